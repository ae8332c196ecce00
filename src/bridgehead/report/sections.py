"""Sections of a report, and the two ways to write them for people: aligned text and Markdown."""

import textwrap
from collections.abc import Iterable, Sequence

import msgspec

from bridgehead.report.plain import plain, plain_line

WIDTH = 100
"""Columns that a page of text may take."""

_GAP = "  "
_INDENT = "  "
_CUT = "…"


_DESCRIPTIVE = frozenset(
    {"OS", "KERNEL", "RUNTIME", "KUBELET", "HELD BY", "IMAGES", "WHY", "CLAIMANTS", "NODES"}
)
"""Columns that may be cut. Names are for copying into the next command and stay whole."""


class Section(msgspec.Struct, frozen=True):
    """A heading, a table (without rows: none), and lines below it."""

    title: str
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    lines: tuple[str, ...] = ()


def as_text(sections: Iterable[Section], width: int = WIDTH) -> str:
    """Aligned columns as ``kubectl get`` prints them; descriptive ones are cut to fit ``width``."""
    return "\n".join(
        "\n".join(map(plain_line, _text(section, width))) + "\n" for section in sections
    )


def as_markdown(sections: Iterable[Section]) -> str:
    """Markdown with whole cells."""
    return "\n".join("\n".join(_markdown(section)) + "\n" for section in sections)


def _text(section: Section, width: int) -> list[str]:
    lines = [section.title]
    if section.rows:
        table = [section.header, *section.rows]
        widths = _fitting(section.header, table, width - len(_INDENT))
        lines += [_INDENT + _row(cells, widths) for cells in table]
    return [*lines, *(part for line in section.lines for part in _wrapped(line, width))]


def _wrapped(line: str, width: int) -> list[str]:
    """A line over several, never cut within a word: names and digests are to be copied whole."""
    return textwrap.wrap(
        line,
        width,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT * 2,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    cut = [_cut(cell, width) for cell, width in zip(cells, widths, strict=True)]
    return _GAP.join(cell.ljust(width) for cell, width in zip(cut, widths, strict=True)).rstrip()


def _cut(cell: str, width: int) -> str:
    """Cut in the middle: names differ at their ends, ``daemonset/NAMESPACE/NAME`` above all."""
    if len(cell) <= width:
        return cell
    end = (width - len(_CUT)) // 2
    return cell[: width - len(_CUT) - end] + _CUT + cell[len(cell) - end :]


def _fitting(header: Sequence[str], table: Sequence[Sequence[str]], width: int) -> list[int]:
    """Width of each column; the widest descriptive one gives way until the row fits.

    Where names alone are wider than the page, the row is: a cut name helps nobody.
    """
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    room = width - len(_GAP) * (len(widths) - 1)
    soft = [number for number, name in enumerate(header) if name in _DESCRIPTIVE]
    while sum(widths) > room:
        widest = max(soft, key=lambda number: widths[number] - len(header[number]), default=None)
        if widest is None or widths[widest] <= len(header[widest]):
            break
        widths[widest] -= 1
    return widths


def _markdown(section: Section) -> list[str]:
    lines = [f"## {plain(section.title)}", ""]
    if section.rows:
        lines.append(_cells(section.header))
        lines.append(_cells("---" for _ in section.header))
        lines += [_cells(map(escaped, row)) for row in section.rows]
    if section.rows and section.lines:
        lines.append("")
    return [*lines, *(f"- {escaped(line)}" for line in section.lines)]


def _cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Text in Markdown: a bar would end the cell; an asterisk, underscore or angle bracket would be
    markup."""
    shown = plain(text)
    for mark in "\\|*_<>`":
        shown = shown.replace(mark, "\\" + mark)
    return shown

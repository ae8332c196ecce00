"""Fixes that cannot hurt: shown as one diff, and written only when that is asked for."""

import difflib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from bridgehead.core.findings.result import Reported
from bridgehead.sources.fixes import NotFixableError, fixed
from bridgehead.sources.overwriting import overwrite

_BOM = "\ufeff"


class FileFix(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it is and as it would be, with the findings that this mends."""

    path: Path
    before: str
    after: str
    mends: tuple[Reported, ...]

    @property
    def diff(self) -> str:
        """As ``diff -u`` shows it."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            str(self.path),
            str(self.path),
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def write(self) -> None:
        """Put it in place of the file; raises OSError."""
        overwrite(self.path, self.after)


class Mending(msgspec.Struct, frozen=True, kw_only=True):
    """Files that would change, and findings with a fix that cannot be written, with why."""

    files: tuple[FileFix, ...]
    left: tuple[tuple[Reported, str], ...]


def mending(findings: Iterable[Reported]) -> Mending:
    """The fixes of these findings, worked into their files; nothing is written."""
    by_file: dict[str, list[Reported]] = {}
    left: list[tuple[Reported, str]] = []
    for item in findings:
        if item.fix is not None and item.fixable:
            by_file.setdefault(item.finding.file, []).append(item)
        elif item.fix is not None:
            left.append((item, "the object was rendered or read from a cluster"))
    files = []
    for name in sorted(by_file):
        found = _mended(Path(name), by_file[name], left)
        if found is not None:
            files.append(found)
    return Mending(files=tuple(files), left=tuple(left))


def _mended(
    path: Path, findings: list[Reported], left: list[tuple[Reported, str]]
) -> FileFix | None:
    """From the last object of the file to the first, so that the lines of those before stay."""
    try:
        before = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        left.extend((item, f"the file cannot be read: {error}") for item in findings)
        return None
    mark, text = (_BOM, before[1:]) if before.startswith(_BOM) else ("", before)
    mends: list[Reported] = []
    for item in sorted(findings, key=lambda item: (-item.first_line, -item.finding.line)):
        assert item.fix is not None
        try:
            text = fixed(text, item.first_line, item.fix, as_json=path.suffix == ".json")
            mends.append(item)
        except NotFixableError as error:
            left.append((item, str(error)))
    if not mends:
        return None
    return FileFix(path=path, before=before, after=mark + text, mends=tuple(reversed(mends)))

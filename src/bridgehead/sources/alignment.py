"""Which line of a template a rendered line comes from.

A template may hold several documents, and helm sorts what they render to. So a rendered document is
aligned with each of them, and the one with which it shares most lines is taken to be its origin.
Lines that are the same in both are aligned in their order; between them a rendered line belongs to
the template's line that begins and ends as it does, around the actions (``{{ ... }}``) in it. Any
other line is shown at the one before it that is known.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

_SEPARATOR = "---"


def aligned(rendered: Sequence[str], template: Sequence[str]) -> list[int]:
    """The number of a template's line, from 1, for each line of one rendered document."""
    best: list[int] = [0] * len(rendered)
    for begin, end in _documents(template):
        numbers = _numbers(rendered, template[begin:end], begin)
        if sum(map(bool, numbers)) > sum(map(bool, best)):
            best = numbers
    last = next(filter(None, best), 1)
    for index, number in enumerate(best):
        last = number or last
        best[index] = last
    return best


def _documents(template: Sequence[str]) -> list[tuple[int, int]]:
    """From where to where the documents of a template reach, as indexes."""
    ends = [number for number, line in enumerate(template) if line.startswith(_SEPARATOR)]
    begins = [0, *(number + 1 for number in ends)]
    return list(zip(begins, [*ends, len(template)], strict=True))


def _numbers(rendered: Sequence[str], template: Sequence[str], offset: int) -> list[int]:
    """Numbers of the lines that are known to be the same; 0 for all others."""
    numbers = [0] * len(rendered)
    begin, other = 0, 0
    for block in SequenceMatcher(None, rendered, template).get_matching_blocks():
        for index, found in _between(rendered, template, (begin, block.a), (other, block.b)):
            numbers[index] = offset + found + 1
        for step in range(block.size):
            numbers[block.a + step] = offset + block.b + step + 1
        begin, other = block.a + block.size, block.b + block.size
    return numbers


def _between(
    rendered: Sequence[str],
    template: Sequence[str],
    lines: tuple[int, int],
    others: tuple[int, int],
) -> list[tuple[int, int]]:
    """Lines of a gap, by what stands around the actions of the template."""
    found = []
    first, end = others
    for index in range(*lines):
        for other in range(first, end):
            if _makes(template[other], rendered[index]):
                found.append((index, other))
                first = other + 1
                break
    return found


def _makes(template: str, line: str) -> bool:
    before, action, rest = template.partition("{{")
    after = rest.rpartition("}}")[2]
    return bool(action and before.strip()) and line.startswith(before) and line.endswith(after)

"""Which line of a template a rendered line comes from.

Lines that are the same in both are aligned in their order; between them a rendered line belongs to
the template's line that begins as it does, up to its first ``{{``. Any other line is shown at the
one before it that is known.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher


def aligned(rendered: Sequence[str], template: Sequence[str]) -> list[int]:
    """The number of a template's line, from 1, for each rendered line."""
    numbers = [0] * len(rendered)
    begin, other = 0, 0
    for block in SequenceMatcher(None, rendered, template).get_matching_blocks():
        _between(rendered, template, numbers, (begin, block.a), (other, block.b))
        for offset in range(block.size):
            numbers[block.a + offset] = block.b + offset + 1
        begin, other = block.a + block.size, block.b + block.size
    last = 1
    for index, number in enumerate(numbers):
        last = number or last
        numbers[index] = last
    return numbers


def _between(
    rendered: Sequence[str],
    template: Sequence[str],
    numbers: list[int],
    lines: tuple[int, int],
    others: tuple[int, int],
) -> None:
    """Lines of a gap, by what stands before the template's first action."""
    first, end = others
    for index in range(*lines):
        for other in range(first, end):
            written, action, _ = template[other].partition("{{")
            if action and written.strip() and rendered[index].startswith(written):
                numbers[index] = other + 1
                first = other + 1
                break

"""Findings that comments in files set aside, and comments that say too little or too much.

``# bridgehead: ignore[RULE, RULE] reason`` counts for the line that it stands on or above; on or
above the first line of an object it counts for the whole of it. The reason is not optional: it is
what the next reader has in place of the finding.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from bridgehead.core.findings.result import Reported


class Ignore(msgspec.Struct, frozen=True, kw_only=True):
    """One such comment. ``target`` is the line that it counts for; 0 where none follows it."""

    file: str
    line: int
    column: int
    target: int
    rules: tuple[str, ...]
    reason: str

    def covers(self, reported: Reported) -> bool:
        """Whether it sets this finding aside. Without a reason it sets aside nothing."""
        finding = reported.finding
        if not self.reason or finding.file != self.file or not self.target:
            return False
        named = {finding.rule, *reported.aliases} & set(self.rules)
        return bool(named) and self.target in (finding.line, reported.first_line)


class Sifted(msgspec.Struct, frozen=True):
    """Findings that stand, those set aside with the comment that does it, and idle comments.

    ``idle`` are pairs of a comment and one of its rules that had nothing to set aside.
    """

    standing: tuple[Reported, ...]
    aside: tuple[tuple[Reported, Ignore], ...]
    idle: tuple[tuple[Ignore, str], ...]


def sift(reported: Iterable[Reported], ignores: Sequence[Ignore]) -> Sifted:
    """Each finding with the first comment that covers it."""
    by_file: dict[str, list[Ignore]] = {}
    for ignore in ignores:
        by_file.setdefault(ignore.file, []).append(ignore)
    standing: list[Reported] = []
    aside: list[tuple[Reported, Ignore]] = []
    used: set[tuple[Ignore, str]] = set()
    for item in reported:
        covering = [one for one in by_file.get(item.finding.file, ()) if one.covers(item)]
        if covering:
            aside.append((item, covering[0]))
            names = (item.finding.rule, *item.aliases)
            used.update((one, name) for one in covering for name in names if name in one.rules)
        else:
            standing.append(item)
    return Sifted(tuple(standing), tuple(aside), tuple(_idle(ignores, used)))


def _idle(ignores: Iterable[Ignore], used: set[tuple[Ignore, str]]) -> Iterator[tuple[Ignore, str]]:
    for ignore in ignores:
        if ignore.reason:
            yield from ((ignore, name) for name in ignore.rules if (ignore, name) not in used)

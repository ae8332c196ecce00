"""Where the twin is known to answer otherwise than the real server, and why.

An entry of ``differences.yaml`` belongs to one interaction and holds the lines in which the two
differ; it fails as soon as they differ in other lines, or no longer.
"""

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import yaml

from tests.twin.differential.playing import Outcome
from tests.twin.differential.script import load, script_names

FILE = Path(__file__).parent / "differences.yaml"


class Difference(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One known difference."""

    script: str
    run: str
    """The interaction, as its script has it."""
    occurrence: int = 1
    """Which one, where the script runs the same command several times."""
    reason: str
    lines: tuple[str, ...]
    """``- `` and what only the real server says, ``+ `` and what only the twin says."""


def known_differences() -> tuple[Difference, ...]:
    """All entries. Raises msgspec.ValidationError for one that is not well written."""
    raw = yaml.safe_load(FILE.read_text())
    return msgspec.convert(raw, tuple[Difference, ...])


def differing_lines(real: Outcome, twin: Outcome) -> tuple[str, ...]:
    """The lines in which two outcomes of one interaction differ, exit codes and streams apart."""
    return tuple(
        f"{sign}{stream}{line}"
        for stream, (one, other) in {
            "exit: ": ([str(real.exit)], [str(twin.exit)]),
            "": (real.stdout.split("\n"), twin.stdout.split("\n")),
            "stderr: ": (real.stderr.split("\n"), twin.stderr.split("\n")),
        }.items()
        for sign, line in _changes(one, other)
    )


def unexpected(script: str, real: Sequence[Outcome], twin: Sequence[Outcome]) -> list[str]:
    """What of a script is neither equal nor known to differ, told one interaction after another."""
    entries = {
        (item.run, item.occurrence): item for item in known_differences() if item.script == script
    }
    seen: dict[str, int] = {}
    told: list[str] = []
    for one, other in zip(real, twin, strict=True):
        seen[one.run] = seen.get(one.run, 0) + 1
        entry = entries.pop((one.run, seen[one.run]), None)
        lines = differing_lines(one, other)
        if lines == (entry.lines if entry else ()):
            continue
        what = "differs" if entry is None else "differs otherwise than is known"
        if not lines:
            what = "is known to differ, but is equal: remove the entry"
        told.append("\n  ".join((f"{one.run}: {what}", *lines)))
    told += [f"no such interaction: {run} ({occurrence})" for run, occurrence in entries]
    return told


def unknown_scripts() -> list[str]:
    """Scripts that entries name and that do not exist."""
    return sorted({item.script for item in known_differences()} - set(script_names()))


def count_of_interactions() -> int:
    """How many interactions are compared."""
    return sum(len(load(name).interactions) for name in script_names())


def _changes(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[str, str]]:
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield from (("- ", line) for line in one[a:b])
            yield from (("+ ", line) for line in other[c:d])

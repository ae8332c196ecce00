"""Old findings: known by their fingerprints, counted, and not complained about again."""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from bridgehead.core.findings.result import Reported
from bridgehead.core.model.json import JsonObject, children, text

SCHEMA = "bridgehead.dev/lint-baseline/v1"


class Parted(msgspec.Struct, frozen=True):
    """Findings that are new, and those that a baseline knows.

    ``gone`` counts entries of the baseline that were found no more.
    """

    new: tuple[Reported, ...]
    old: tuple[Reported, ...]
    gone: int


def baseline_of(found: Iterable[Reported]) -> JsonObject:
    """The document that is kept; rule and object are for its readers."""
    counts: Counter[tuple[str, str, str]] = Counter(
        (item.fingerprint, item.finding.rule, str(item.finding.object)) for item in found
    )
    return {
        "schema": SCHEMA,
        "findings": [
            {"fingerprint": mark, "rule": rule, "object": where, "count": count}
            for (mark, rule, where), count in sorted(
                counts.items(), key=lambda item: (item[0][1], item[0][2], item[0][0])
            )
        ],
    }


def known_in(document: JsonObject) -> Mapping[str, int] | None:
    """How often the baseline has each fingerprint; None for another sort of document."""
    if text(document, "schema") != SCHEMA:
        return None
    known: Counter[str] = Counter()
    for entry in children(document, "findings"):
        count = entry.get("count")
        known[text(entry, "fingerprint")] += count if isinstance(count, int) and count > 0 else 1
    return known


def part(found: Iterable[Reported], known: Mapping[str, int]) -> Parted:
    """New and old. Of a fault that is there more often than it was, the later ones are new."""
    left = Counter(known)
    new: list[Reported] = []
    old: list[Reported] = []
    for item in found:
        if left[item.fingerprint] > 0:
            left[item.fingerprint] -= 1
            old.append(item)
        else:
            new.append(item)
    return Parted(tuple(new), tuple(old), sum(left.values()))

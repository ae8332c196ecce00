"""Causes in their order: what explains more comes first, and what only follows comes below it."""

from collections.abc import Sequence

import msgspec

from bridgehead.core.diagnose.cause import Cause
from bridgehead.core.diagnose.consequences import Consequences
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.model.confidence import Confidence

LAST_LEVEL = 6
"""Rules of this level are asked about what all others have left unexplained."""

_SURENESS = {Confidence.HIGH: 1.0, Confidence.MEDIUM: 0.6, Confidence.LOW: 0.3}
_SPEAKING = ("log ", "event ")
_FOLLOWS = 0.25
"""What a symptom counts that only follows from one that the cause explains itself."""


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A cause with its rule, everything that it explains, and the causes that only follow."""

    rule: DiagnosisRule
    cause: Cause
    reach: frozenset[str]
    """Keys that it explains, consequences included."""
    effects: tuple["Placed", ...] = ()

    @property
    def severity(self) -> Severity:
        """The cause's own, else the rule's."""
        return self.cause.severity or self.rule.severity

    @property
    def confidence(self) -> Confidence:
        """The cause's own, else the rule's."""
        return self.cause.confidence or self.rule.confidence

    @property
    def weight(self) -> float:
        """What it explains times how sure it is."""
        follows = len(self.reach) - len(self.own)
        return (len(self.own) + _FOLLOWS * follows) * _SURENESS[self.confidence]

    @property
    def own(self) -> frozenset[str]:
        """What it explains itself, of the symptoms that there are."""
        return frozenset(self.cause.explains) & self.reach


def ranked(
    said: Sequence[tuple[DiagnosisRule, Cause]], consequences: Consequences, known: frozenset[str]
) -> tuple[Placed, ...]:
    """All causes, roots first; each effect stands below the weightiest cause that it follows from.

    ``known`` are the keys of the symptoms that there are.
    """
    placed = [
        Placed(rule=rule, cause=cause, reach=_reach(rule, cause, consequences) & known)
        for rule, cause in _once(said)
    ]
    order = sorted(placed, key=_place)
    root_of: dict[int, int] = {}
    for number, item in enumerate(order):
        causes = (
            other
            for other, rival in enumerate(order)
            if other != number and other not in root_of and _follows(item, rival)
        )
        root = next(causes, None)
        if root is not None:
            root_of[number] = root
    return tuple(
        msgspec.structs.replace(item, effects=_below(number, order, root_of))
        for number, item in enumerate(order)
        if number not in root_of
    )


def _reach(rule: DiagnosisRule, cause: Cause, consequences: Consequences) -> frozenset[str]:
    """What it explains; what is left when all others were asked explains nothing beyond itself."""
    last = rule.level >= LAST_LEVEL
    return frozenset(cause.explains) if last else consequences.of(cause.explains)


def _below(root: int, order: Sequence[Placed], root_of: dict[int, int]) -> tuple[Placed, ...]:
    """Everything that follows from a root, directly or by way of another effect."""
    found = []
    for number, item in enumerate(order):
        above = root_of.get(number)
        while above is not None and above != root:
            above = root_of.get(above)
        if above == root:
            found.append(item)
    return tuple(found)


def _place(item: Placed) -> tuple[object, ...]:
    """What is wrong, what nothing explains, what is only seen; each by weight.

    Of equals the one that a log or an event speaks of comes first: numbers may fit by chance.
    """
    sort = 2 if item.severity is Severity.INFO else int(item.rule.level >= LAST_LEVEL)
    unsaid = not any(proof.source.startswith(_SPEAKING) for proof in item.cause.evidence)
    names = (item.rule.name, str(item.cause.object), item.cause.nodes, item.cause.message)
    rank = (item.confidence.rank, item.severity.rank, unsaid, item.rule.level)
    return (sort, -item.weight, *rank, *names)


def _follows(item: Placed, root: Placed) -> bool:
    """Whether one is only what the other brings about.

    Because the rule of the other says so and they meet; or because the other stands at an earlier
    step of the method and explains all of it, on the same nodes or the same object.
    """
    if item.own and not root.reach and root.severity is Severity.INFO:
        return False  # what is only seen brings nothing about
    if item.rule.name in root.rule.supersedes:
        return _meets(item, root)
    if root.rule.name in item.rule.supersedes and _meets(root, item):
        return False  # it is the other way round
    if item.rule.level <= root.rule.level or not item.own:
        return False
    if root.severity is Severity.INFO or root.confidence.rank > item.confidence.rank:
        return False
    return item.own <= root.reach and _meets(item, root)


def _meets(item: Placed, root: Placed) -> bool:
    """Whether they speak of the same: a symptom, a node or an object.

    Two faults on one node that explain different symptoms go each for itself: another plugin's.
    """
    if item.reach & root.reach:
        return True
    one, other = item.cause.object, root.cause.object
    plugins_differ = one.kind == other.kind == "DaemonSet" and one != other
    told_apart = plugins_differ or bool(item.reach and root.reach)
    if not told_apart and set(item.cause.nodes) & set(root.cause.nodes):
        return True
    return bool(one.name) and one == other


def _once(
    said: Sequence[tuple[DiagnosisRule, Cause]],
) -> list[tuple[DiagnosisRule, Cause]]:
    """The same cause said node by node becomes one with all its nodes."""
    found: dict[tuple[object, ...], tuple[DiagnosisRule, Cause]] = {}
    for rule, cause in said:
        key = (rule.name, cause.object, cause.message, cause.severity, cause.confidence)
        rival = found.get(key)
        if rival is None:
            found[key] = (rule, cause)
            continue
        first = rival[1]
        both = msgspec.structs.replace(
            first,
            nodes=tuple(sorted({*first.nodes, *cause.nodes})),
            explains=tuple(dict.fromkeys((*first.explains, *cause.explains))),
            evidence=tuple(dict.fromkeys((*first.evidence, *cause.evidence))),
            actions=tuple(dict.fromkeys((*first.actions, *cause.actions))),
            ruled_out=tuple(dict.fromkeys((*first.ruled_out, *cause.ruled_out))),
        )
        found[key] = (rule, both)
    return list(found.values())

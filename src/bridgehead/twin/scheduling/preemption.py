"""Room made for an important pod: which lesser ones would have to go, and where.

Source: k8s.io/kubernetes/pkg/scheduler/framework/preemption and plugins/defaultpreemption (1.37).
All nodes are tried, not a sample of them.
"""

from collections.abc import Iterable, Sequence

import msgspec

from bridgehead.twin.conditions import condition
from bridgehead.twin.objects import Object, at, fields, is_deleting, namespace_of, text
from bridgehead.twin.scheduling.diagnosis import told
from bridgehead.twin.scheduling.filters import Applicant, refusal
from bridgehead.twin.scheduling.ledger import Account, Seat
from bridgehead.twin.selection import selects
from bridgehead.twin.store import Key

BY_SCHEDULER = "PreemptionByScheduler"
"""Reason of the condition ``DisruptionTarget`` of a pod that made room."""
_NO_VICTIMS = "No preemption victims found for incoming pod"
_NOT_HELPFUL = "Preemption is not helpful for scheduling"
_LOWEST = 2**31


class Sacrifice(msgspec.Struct, frozen=True):
    """Pods that would have to go from a node, the most important first."""

    node: str
    victims: tuple[Seat, ...]
    violations: int
    """How many of them a PodDisruptionBudget protects."""


def reason_against(pod: Applicant, nominated: Account | None, *, hopeless: bool) -> str:
    """Why a pod may not make others go now; empty where it may.

    ``hopeless``: its nominated node would refuse it whoever went.
    """
    if pod.spec.get("preemptionPolicy") == "Never":
        return "not eligible due to preemptionPolicy=Never."
    if nominated is not None and not hopeless:
        for seat in nominated.seats.values():
            if seat.priority < pod.priority and _makes_room(seat.pod):
                return "not eligible due to a terminating pod on the nominated node."
    return ""


def best_sacrifice(
    pod: Applicant, candidates: Sequence[Account], nodes: int, budgets: Sequence[Object]
) -> Sacrifice | str:
    """The node where least would be lost; or why none would do, in the scheduler's words.

    ``candidates``: nodes that refused for want of room. ``nodes``: how many there are in all.
    """
    found: list[Sacrifice] = []
    refusals: list[Sequence[str]] = []
    for account in candidates:
        outcome = _on_node(pod, account, budgets)
        if isinstance(outcome, Sacrifice):
            found.append(outcome)
        else:
            refusals.append(outcome)
    if not found:
        return told(nodes, refusals, _NOT_HELPFUL)
    return min(found, key=_loss)


def _on_node(
    pod: Applicant, account: Account, budgets: Sequence[Object]
) -> Sacrifice | Sequence[str]:
    lesser = {key: seat for key, seat in account.seats.items() if seat.priority < pod.priority}
    if not lesser:
        return (_NO_VICTIMS,)
    gone = set(lesser)
    if (left := refusal(pod, account.without(gone))) is not None:
        return left.reasons
    by_importance = sorted(lesser, key=lambda key: _importance(lesser[key], key))
    protected = _protected([(key, lesser[key]) for key in by_importance], budgets)
    for key in [
        *(key for key in by_importance if key in protected),
        *(key for key in by_importance if key not in protected),
    ]:
        if refusal(pod, account.without(gone - {key})) is None:
            gone.remove(key)
    victims = tuple(lesser[key] for key in by_importance if key in gone)
    return Sacrifice(account.name, victims, len(gone & protected))


def _protected(seats: Iterable[tuple[Key, Seat]], budgets: Sequence[Object]) -> set[Key]:
    """Whom a budget protects, where the more important pods go first."""
    allowed = {
        id(budget): int(at(budget, "status", "disruptionsAllowed") or 0) for budget in budgets
    }
    found: set[Key] = set()
    for key, seat in seats:
        labels = fields(seat.pod, "metadata", "labels")
        for budget in budgets:
            if namespace_of(budget) != key[0] or not labels:
                continue
            if not selects(at(budget, "spec", "selector"), labels):
                continue
            if key[1] in fields(budget, "status", "disruptedPods"):
                continue
            allowed[id(budget)] -= 1
            if allowed[id(budget)] < 0:
                found.add(key)
    return found


def _importance(seat: Seat, key: Key) -> tuple[int, str, Key]:
    return -seat.priority, text(seat.pod, "status", "startTime"), key


def _loss(sacrifice: Sacrifice) -> tuple[int, int, int, int, float, str]:
    """What is lost, the worst first; the node's name decides in the end."""
    victims = sacrifice.victims
    if not victims:
        return sacrifice.violations, -_LOWEST, 0, 0, 0.0, sacrifice.node
    highest = max(seat.priority for seat in victims)
    together = sum(seat.priority + _LOWEST for seat in victims)
    started = min(
        text(seat.pod, "status", "startTime") for seat in victims if seat.priority == highest
    )
    return (
        sacrifice.violations,
        highest,
        together,
        len(victims),
        -_as_number(started),
        sacrifice.node,
    )


def _as_number(timestamp: str) -> float:
    digits = "".join(letter for letter in timestamp if letter.isdigit())
    return float(digits or 0)


def _makes_room(pod: Object) -> bool:
    found = condition(pod, "DisruptionTarget") or {}
    return (
        is_deleting(pod) and found.get("status") == "True" and found.get("reason") == BY_SCHEDULER
    )

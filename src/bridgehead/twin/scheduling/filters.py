"""Whether a pod can go to a node, and if not, why, in the words of the scheduler's plugins.

In the order in which the real one asks; the first plugin that refuses a node is the one that is
told of. Source: k8s.io/kubernetes/pkg/scheduler/framework/plugins (1.37).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from bridgehead.twin.objects import Object, fields, items
from bridgehead.twin.scheduling.demand import EVERYWHERE, Demand, demand_of
from bridgehead.twin.scheduling.ledger import Account, priority_of
from bridgehead.twin.scheduling.taints import KEEPS_OUT, UNSCHEDULABLE, tolerated, untolerated
from bridgehead.twin.selection import node_fits
from bridgehead.twin.store import Key

NOT_NAMED = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
"""Of every node that is none of those which a pod names by ``metadata.name``."""


class Refusal(msgspec.Struct, frozen=True):
    """Why a node does not take a pod."""

    reasons: tuple[str, ...]
    final: bool
    """Whether no pod that goes could change it."""


class Applicant(msgspec.Struct, frozen=True):
    """A pod that looks for a node."""

    key: Key
    pod: Object
    spec: Mapping[str, Any]
    demand: Demand
    priority: int


def applicant(key: Key, pod: Object) -> Applicant:
    """A pod, with what is asked of every node worked out."""
    return Applicant(key, pod, fields(pod, "spec"), demand_of(pod), priority_of(pod))


def refusal(pod: Applicant, account: Account) -> Refusal | None:
    """Why a node does not take a pod, as far as the node's own account tells; None: it does."""
    node = account.node
    tolerations = items(pod.spec, "tolerations")
    if fields(node, "spec").get("unschedulable") and not tolerated(UNSCHEDULABLE, tolerations):
        return Refusal(("node(s) were unschedulable",), True)
    if untolerated(node or {}, tolerations, KEEPS_OUT):
        return Refusal(("node(s) had untolerated taint(s)",), True)
    if not node_fits(pod.spec, node or {}):
        return Refusal(("node(s) didn't match Pod's node affinity/selector",), True)
    if _ports_clash(pod, account):
        return Refusal(("node(s) didn't have free ports for the requested pod ports",), False)
    lacking = list(_lacking(pod, account))
    if lacking:
        return Refusal(tuple(reason for reason, _ in lacking), any(never for _, never in lacking))
    return None


def _lacking(pod: Applicant, account: Account) -> Iterator[tuple[str, bool]]:
    """What there is too little of, and whether the whole node has too little."""
    ahead = [
        seat
        for key, seat in account.nominated.items()
        if key != pod.key and key not in account.seats and seat.priority >= pod.priority
    ]
    room = account.allocatable.get("pods", 0)
    if len(account.seats) + len(ahead) + 1 > room:
        yield "Too many pods", False
    for name, amount in pod.demand.requests.items():
        has = account.allocatable.get(name, 0)
        taken = account.requested.get(name, 0)
        taken += sum(seat.demand.requests.get(name, 0) for seat in ahead)
        if amount > has - taken:
            yield f"Insufficient {name}", amount > has


def _ports_clash(pod: Applicant, account: Account) -> bool:
    if not pod.demand.ports:
        return False
    taken = [port for port, count in account.ports.items() if count > 0]
    return any(
        (protocol, number) == (other_protocol, other_number)
        and (address == other_address or EVERYWHERE in {address, other_address})
        for address, protocol, number in pod.demand.ports
        for other_address, other_protocol, other_number in taken
    )

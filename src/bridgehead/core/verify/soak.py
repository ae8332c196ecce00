"""Watching nodes that have passed: what fails them, and what only disturbs them."""

from collections.abc import Mapping

import msgspec

from bridgehead.core.verify.case import Case
from bridgehead.core.verify.device_gates import refused_pods
from bridgehead.core.verify.log_gate import log
from bridgehead.core.verify.result import GateId, GateResult, Verdict

ENDED = frozenset({"waiting", "terminated"})
"""States of a container that ran before and does not run now; its restart comes, or is held off."""


class Verified(msgspec.Struct, frozen=True):
    """The pod that passed its gates, as it was then."""

    pod: str
    """Its uid."""
    restarts: int
    image_ids: Mapping[str, str] = {}


def soak_failure(case: Case, verified: Verified) -> GateResult | None:
    """The gate that a passed node fails now; None while all is well or nothing can be said.

    Judged are facts that cannot pass by themselves: a restart, a refused pod, a known fault in the
    log, and fewer devices than expected while the same pod is up.
    """
    pod = case.pod
    if pod is None or pod.uid != verified.pod:
        return None
    ended = next((item for item in pod.containers if item.state in ENDED), None)
    if pod.restarts > verified.restarts or ended is not None:
        ask = case.question(GateId.POD_READY, "no restart since it passed")
        restarts = f"{pod.restarts - verified.restarts} restarts"
        seen = f"{ended.reason or ended.state}, {restarts}" if ended else restarts
        return ask.answer(Verdict.FAIL, seen, "its container ended after it had passed", case.proof)
    for result in (_offers(case), refused_pods(case), log(case)):
        if result is not None and result.verdict is Verdict.FAIL:
            return result
    return None


def _offers(case: Case) -> GateResult | None:
    """Fewer devices than before; unhealthy where the node still counts them, else lost.

    Two equal looks, ``settle`` apart, decide as they do before a node passes: a plugin that ends,
    and a kubelet that restarts, show first as devices that are away.
    """
    node, since = case.view.node, case.track.offers_since
    if node is None or node.ready is not True or not case.missing:
        return None
    if since is None or case.now - since < case.settle:
        return None
    name = case.missing[0]
    offer, before = node.offer(name), case.expected.offers[name]
    wanted = f"{name} {before.allocatable}"
    counted = offer is not None and offer.capacity >= before.capacity
    ask = case.question(GateId.HEALTHY if counted else GateId.ALLOCATABLE, wanted)
    seen = f"{name} {offer.allocatable} of {offer.capacity}" if offer else f"no {name}"
    why = (
        "devices turned unhealthy after the node had passed"
        if counted
        else "devices went away after the node had passed"
    )
    return ask.answer(Verdict.FAIL, seen, why, case.proof)


def disturbed(case: Case, verified: Verified) -> bool:
    """Whether another pod stands where the verified one was: someone deleted it."""
    pod = case.pod
    return pod is not None and pod.uid != verified.pod and not pod.deleting

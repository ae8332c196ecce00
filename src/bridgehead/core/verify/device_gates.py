"""Gates about what the node offers: all devices back, none unhealthy, no pod refused."""

from collections.abc import Mapping

from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.device import Offer
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.result import GateId, GateResult, Verdict

NOT_YET = "the node's status cannot tell of the new pod yet"


def allocatable(case: Case) -> GateResult:
    """The node offers again what it offered before, and has done so for ``settle`` seconds."""
    wanted = case.expected.offers
    node = case.view.node
    ask = case.question(
        GateId.ALLOCATABLE,
        ", ".join(f"{name} {offer.allocatable}" for name, offer in wanted.items()),
    )
    if node is None:
        return ask.answer(Verdict.UNKNOWN, "no node", "the node is gone")
    seen = ", ".join(f"{name} {_shown(node.offer(name))}" for name in wanted)
    if case.missing:
        why = f"the node does not offer as many {', '.join(case.missing)} as before"
        return ask.answer(Verdict.WAIT, seen, why, (*_renamed(case), *case.proof))
    since = case.track.offers_since
    if since is None:
        return ask.answer(Verdict.WAIT, seen, NOT_YET)
    if case.now - since < case.settle:
        why = f"steady for {case.now - since:.0f} s of {case.settle:g} s"
        return ask.answer(Verdict.WAIT, seen, why)
    return ask.answer(Verdict.PASS, seen)


def _shown(offer: Offer | None) -> str:
    return "never registered" if offer is None else f"{offer.allocatable} of {offer.capacity}"


def _renamed(case: Case) -> tuple[Evidence, ...]:
    """Resources that are new on the node: the plugin may have changed its resource's name."""
    node = case.view.node
    if node is None:
        return ()
    known = {*case.expected.offers, *case.expected.others}
    return tuple(
        Evidence(f"status of node {node.name}", f"{name} is new here: {_shown(offer)}")
        for name, offer in node.offers.items()
        if offer.allocatable > 0 and name not in known
    )


def healthy(case: Case) -> GateResult:
    """No device is unhealthy that was healthy before.

    Capacity counts unhealthy devices, allocatable does not. Capacity with nothing allocatable is
    ambiguous for five minutes after a plugin's end (``endpointStopGracePeriod``, Kubernetes 1.37),
    so that alone is judged only where the same pod had shown its devices before. It must be seen
    for ``settle`` seconds: a plugin that registers anew after a kubelet's start looks so too.
    """
    wanted = case.expected.offers
    before = {name: _unhealthy(offer) for name, offer in wanted.items()}
    ask = case.question(GateId.HEALTHY, _counts(before))
    node = case.view.node
    if node is None:
        return ask.answer(Verdict.UNKNOWN, "no node", "the node is gone")
    since = case.track.offers_since
    if since is None:
        return ask.answer(Verdict.WAIT, "not looked at", NOT_YET)
    worse = {
        name: _unhealthy(offer)
        for name in wanted
        if (offer := node.offer(name)) is not None
        and _unhealthy(offer) > before[name]
        and (offer.allocatable > 0 or case.track.good)
    }
    if worse and case.now - since < case.settle:
        return ask.answer(Verdict.WAIT, _counts(worse), "unhealthy devices, to be seen again")
    if worse:
        why = "devices turned unhealthy under the new pod"
        return ask.answer(Verdict.FAIL, _counts(worse), why, case.proof)
    return ask.answer(Verdict.PASS, "none worse than before")


def _unhealthy(offer: Offer) -> int:
    return max(0, offer.capacity - offer.allocatable)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count} unhealthy" for name, count in counts.items())


def refused_pods(case: Case) -> GateResult:
    """No further pod that asks for the devices was refused by the kubelet, which is for good."""
    ask = case.question(GateId.REFUSED_PODS, "no pod refused")
    new = [pod for pod in case.view.refused if pod.uid not in case.expected.refused]
    if not new:
        return ask.answer(Verdict.PASS, "none")
    shown = tuple(
        Evidence(f"status of pod {pod.ref}", f"{pod.reason}: {pod.message}") for pod in new[:3]
    )
    why = "the kubelet refused pods that ask for these devices"
    return ask.answer(Verdict.FAIL, f"{len(new)} refused", why, shown)

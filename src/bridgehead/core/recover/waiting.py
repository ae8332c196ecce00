"""R0: wait and sample again, where what is seen may not be settled yet."""

from bridgehead.core.recover.assessment import Assessment
from bridgehead.core.recover.precondition import Precondition, judged
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Situation

BASELINE = "--baseline"
"""The option that says what nodes offered before, where nothing else tells."""


def waiting(situation: Situation) -> Assessment:
    """R0 in this situation: it fits as soon as one of its reasons holds."""
    why = unsettled(situation)
    causes = [item.rule for item in situation.faults if Rung.WAIT in item.rungs]
    what = "what the node shows may not be settled"
    if why:
        reason = judged(what, True, why)
    elif causes:
        reason = judged(what, True, f"{causes[0]} passes by itself")
    else:
        reason = judged(what, False, _settled(situation))
    return Assessment(
        rung=Rung.WAIT,
        preconditions=(reason, needed(situation)),
        would=("read the node again until two looks agree, and print what it showed over time",),
        would_not=("write anything, or take the component's lock",),
    )


def unsettled(situation: Situation) -> str:
    """Why no verdict can be taken yet; empty where what the node shows has settled."""
    now, limits, node = situation.now, situation.limits, situation.node.name
    started = situation.plugin_started
    kubelet = situation.kubelet_started
    if started is not None and now - started < limits.settling:
        return f"the plugin on {node} began {now - started:.0f} s ago"
    if kubelet is not None and now - kubelet < limits.settling:
        return f"the kubelet of {node} began {now - kubelet:.0f} s ago"
    pod = situation.pod
    starting = pod is not None and not pod.ready and now - pod.created < limits.unsettled
    fallen = any(
        item.offer is not None and item.offer.capacity and not item.offer.allocatable
        for item in situation.missing
    )
    if pod is not None and starting and fallen:
        return f"pod {pod.ref} is {now - pod.created:.0f} s old and still starts"
    return ""


def settled(situation: Situation) -> Precondition:
    """As a condition of the rungs above: waiting comes first."""
    what = f"plugin and kubelet run for {situation.limits.settling:.0f} s"
    why = unsettled(situation)
    return judged(what, not why, why or _settled(situation))


def _settled(situation: Situation) -> str:
    now, started = situation.now, situation.plugin_started
    kubelet = situation.kubelet_started
    plugin = "no plugin pod is there" if started is None else f"the plugin {now - started:.0f} s"
    known = "no start of the kubelet is known" if kubelet is None else f"it {now - kubelet:.0f} s"
    return f"{plugin}; {known}"


def needed(situation: Situation) -> Precondition:
    """Whether there is anything to repair."""
    what = "the node offers fewer devices than it should"
    if situation.missing:
        return judged(what, True, "; ".join(str(item) for item in situation.missing))
    if situation.expectations_known:
        return judged(what, False, f"node {situation.node.name} offers what it should")
    return judged(
        what, None, f"nothing tells what node {situation.node.name} should offer: give {BASELINE}"
    )

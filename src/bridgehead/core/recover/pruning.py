"""R3: delete pods that a kubelet refused, where a controller has made or makes another one."""

from collections.abc import Iterable

from bridgehead.core.findings.standing import few
from bridgehead.core.model.json import text
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.times import epoch
from bridgehead.core.recover.assessment import Assessment, diagnosed, seldom
from bridgehead.core.recover.precondition import Precondition, judged
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Situation

_SHOWN = 3
"""Pods that are named one by one."""


def pruning(situation: Situation) -> Assessment:
    """R3 in this situation: the newest of each owner stays as evidence, bare pods stay too."""
    refused = refused_on(situation)
    bare = [pod.ref for pod in refused if not pod.owner_uid]
    every = prunable(refused)
    pods = every[: situation.limits.pods_at_once]
    rest = (
        f"; {len(every) - len(pods)} more stay for the next time" if len(every) > len(pods) else ""
    )
    left = [f"delete bare pods, which nobody replaces: {few(bare)}"] if bare else []
    return Assessment(
        rung=Rung.PRUNE,
        preconditions=(
            diagnosed(situation, Rung.PRUNE),
            judged(
                "refused pods are there that a controller owns, more than the newest of each owner",
                bool(pods),
                _counted(situation, refused, every),
            ),
            _over(situation),
            _rate(situation),
        ),
        would=(
            f"delete {len(pods)} failed pods of node {situation.node.name}, each by its uid{rest}",
            *(f"delete pod {pod.ref}: {pod.message or pod.reason}" for pod in pods[:_SHOWN]),
            *([f"and {len(pods) - _SHOWN} more of them"] if len(pods) > _SHOWN else []),
        ),
        would_not=(
            "delete the newest refused pod of each owner: it is the evidence",
            *left,
            "touch pending pods: the scheduler tries them again by itself",
        ),
        pods=pods,
    )


def refused_on(situation: Situation) -> tuple[Pod, ...]:
    """Pods that the kubelet of the node refused and that asked for the plugin's devices."""
    names = set(situation.resources)
    return tuple(
        pod
        for pod in situation.scene.pods_on(situation.node.name)
        if pod.refused and not pod.deleting and names & pod.requests.keys()
    )


def refusal_at(situation: Situation, pod: Pod) -> float:
    """When the kubelet refused it, in seconds since the epoch: it notes that as the pod's start.

    Where that is not kept, the pod's creation; 0 where that is not known either.
    """
    raw = situation.scene.observed.raw_pod(pod)
    return epoch(text(raw, "status", "startTime")) or pod.created


def prunable(refused: Iterable[Pod]) -> tuple[Pod, ...]:
    """Those that a controller owns, without the newest of each owner; oldest first."""
    by_owner: dict[str, list[Pod]] = {}
    for pod in refused:
        if pod.owner_uid:
            by_owner.setdefault(pod.owner_uid, []).append(pod)
    found = []
    for members in by_owner.values():
        members.sort(key=lambda pod: (pod.created, pod.ref))
        found.extend(members[:-1])
    return tuple(sorted(found, key=lambda pod: (pod.created, pod.ref)))


def _counted(situation: Situation, refused: tuple[Pod, ...], every: tuple[Pod, ...]) -> str:
    owned = sum(1 for pod in refused if pod.owner_uid)
    return (
        f"{len(refused)} refused pods on node {situation.node.name}, {owned} of them with a "
        f"controller, {len(every)} of these are not their owner's newest"
    )


def _over(situation: Situation) -> Precondition:
    what = "no more are refused: the devices are back, or the node takes no pods"
    node = situation.node
    if node.unschedulable:
        return judged(what, True, f"node {node.name} is cordoned")
    if situation.missing:
        short = "; ".join(str(item) for item in situation.missing)
        return judged(what, False, f"{short}, and pods may still be sent there: cordon it first")
    if not situation.expectations_known:
        return judged(what, None, f"nothing tells what node {node.name} should offer")
    newest = max((refusal_at(situation, pod) for pod in refused_on(situation)), default=None)
    if newest is None or newest > 0:
        return _quiet(situation, what, newest)
    return judged(what, None, f"nothing tells when pods were refused on node {node.name}")


def _quiet(situation: Situation, what: str, newest: float | None) -> Precondition:
    """A node can offer every device and refuse every pod: only time without a refusal tells."""
    name, least = situation.node.name, situation.limits.quiet
    if newest is None:
        return judged(what, True, f"node {name} offers what it should, and has refused none")
    age = situation.now - newest
    said = f"node {name} offers what it should; the newest refusal there is {age:.0f} s old"
    if age < least:
        said += f", more may follow: wait for {least:.0f} s without one, or cordon it first"
    return judged(what, age >= least, said)


def _rate(situation: Situation) -> Precondition:
    seconds = situation.limits.prunes_after
    what = f"at most one pruning a node in {seconds / 60:.0f} min"
    return seldom(situation, Rung.PRUNE, seconds, what)

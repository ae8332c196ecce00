"""A kubelet has just started, and what its node shows is no verdict yet.

Finds: a node whose kubelet started less than a minute ago and that shows other numbers of devices
than it should or than it steadily did before the start, or earlier readings that jump above the
steady number within a minute after a start, with pods that were refused in that time.

Why: around a kubelet's start the node's status is written before its device manager has heard of
any plugin. The numbers are 0, or those of old; pods are admitted and refused by them.

Sure: the same numbers two minutes later would be a fault; these mend themselves. Node event
"Starting kubelet.".

Do: nothing but wait a minute and look again; controllers replace pods that were refused.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.losing import just_started
from bridgehead.core.diagnose.node_times import Start
from bridgehead.core.diagnose.post import SETTLING
from bridgehead.core.diagnose.remedies import wait
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import devices_key, pod_key
from bridgehead.core.diagnose.trajectory import Trajectory
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.node import Node


def _check(scene: Scene) -> Iterable[Cause]:
    for name in sorted(scene.kubelet_starts):
        node = scene.nodes.get(name)
        if node is None:
            continue
        start = just_started(scene, name)
        odd = _odd_now(scene, node) if start else []
        if start and odd:
            yield _just_now(scene, node, start, odd)
            continue
        start = scene.kubelet_starts[name]
        jumps = [it for it in (scene.trajectory(name, r) for r in node.offers) if _jump(it, start)]
        if start.sure and jumps:
            yield _jumped(scene, node, start, jumps[0])


def _odd_now(scene: Scene, node: Node) -> list[str]:
    """Resources that the node shows other numbers of than it should, or than before the start."""
    start = scene.kubelet_starts[node.name]
    found = []
    for name, offer in sorted(node.offers.items()):
        expected = scene.expected(node.name, name)
        steady = _steady(scene.trajectory(node.name, name), start)
        if (expected is not None and offer.allocatable != expected.count) or (
            steady and offer.allocatable > steady
        ):
            found.append(name)
    return found


def _steady(history: Trajectory, start: Start) -> int:
    """The number that two readings in a row showed last before the start; 0 where none did."""
    before = [it for it in history.stretches if it.begin < it.end <= start.at]
    return (before[-1].allocatable or 0) if before else 0


def _jump(history: Trajectory, start: Start) -> bool:
    """Whether the number stood above what came after it, within a minute after the start."""
    stretches = history.stretches
    return any(
        (one.allocatable or 0) > (other.allocatable or 0) > 0
        and start.at <= one.begin < start.at + SETTLING
        for number, one in enumerate(stretches)
        for other in stretches[number + 1 :]
    )


def _just_now(scene: Scene, node: Node, start: Start, odd: list[str]) -> Cause:
    known = {item.key for item in scene.symptoms}
    keys = {devices_key(node.name, name) for name in odd}
    keys.update(key for name in odd for key in _refused(scene, node, start, name))
    shown = [
        Evidence(f"status of node {node.name}", f"{name} {node.offers[name]}") for name in odd[:3]
    ]
    histories = [scene.trajectory(node.name, name) for name in odd[:2]]
    return Cause(
        message=f"the kubelet of {node.name} started {scene.now - start.at:.0f} s ago: what the "
        f"node shows of {odd[0]} is no verdict yet",
        blame=Blame.EXPECTED,
        evidence=(start.evidence, *shown, *(it.evidence for it in histories if it.stretches)),
        refuted_by="the same numbers two minutes after the start",
        object=ObjectRef("v1", "Node", "", node.name),
        nodes=(node.name,),
        explains=tuple(sorted(keys & known)),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(RuledOut("a lost plugin", "it has had no time yet to register again"),),
        actions=(wait(node.name, odd[0], "plugins register again within a minute"),),
        severity=Severity.INFO,
    )


def _refused(scene: Scene, node: Node, start: Start, resource: str) -> set[str]:
    """Keys of pods that came in the minute around the start and were refused on the node."""
    return {
        pod_key(pod)
        for pod in scene.pods_on(node.name)
        if pod.refused
        and resource in pod.requests
        and start.at - SETTLING <= pod.created <= start.at + SETTLING
    }


def _jumped(scene: Scene, node: Node, start: Start, history: Trajectory) -> Cause:
    known = {item.key for item in scene.symptoms}
    refused = _refused(scene, node, start, history.resource)
    return Cause(
        message=f"{node.name} showed too many of {history.resource} for a moment after its "
        "kubelet's start; that has mended itself",
        blame=Blame.KUBELET,
        evidence=(start.evidence, history.evidence),
        refuted_by="the higher number again without a start of the kubelet",
        object=ObjectRef("v1", "Node", "", node.name),
        nodes=(node.name,),
        explains=tuple(sorted(refused & known)),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(RuledOut("two claimants", "the number was too high at the start alone"),),
        actions=(wait(node.name, history.resource, "two equal readings count"),),
        severity=Severity.INFO,
    )


RULE = DiagnosisRule(
    name="race-at-kubelet-start",
    severity=Severity.INFO,
    level=3,
    references=("kubernetes#114422",),
    cases=("LOSS-10",),
    needs=frozenset({Need.NODES, Need.EVENTS}),
    helped_by=frozenset({Need.PODS, Need.DAEMON_SETS, Need.HISTORY}),
    supersedes=frozenset({"plugin-later-than-pods"}),
    check=_check,
)

"""One pass over one node: cordon, wait for quiet, delete, look at what comes, give it back.

The same steps serve a restart test, a change and a taking back; what differs is the revision that
is expected and what a failure means.
"""

from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import SCHEDULABLE_BEFORE
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.plan import Timing
from bridgehead.core.rollout.baseline import measure
from bridgehead.core.rollout.clearing import clear, to_clear
from bridgehead.core.rollout.commands import Cordon, DeletePod, Purpose
from bridgehead.core.rollout.decision import Decision, note, wait
from bridgehead.core.rollout.losing import lose
from bridgehead.core.rollout.node_probe import ask_probe, failed_pass
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, Work
from bridgehead.core.rollout.verdicts import gates_note
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.gates import judge
from bridgehead.core.verify.result import (
    GateId,
    GateResult,
    Question,
    Verdict,
    all_good,
    failure,
    overdue,
)
from bridgehead.core.verify.track import LOOK_DELAY, Track

QUIET = 2.0
"""Seconds between cordon and deletion: a pod bound just before must reach its kubelet first.

Seen with Kubernetes 1.37.2: a pod bound to a node within two seconds of the plugin's absence is
refused for good.
"""

UPTAKE = 60.0
"""Seconds that a pod on its way may take; a kubelet that works takes a pod up within one."""

WRONG_SUCCESSORS = 2
"""Deletions after which a successor on the wrong revision is no longer replaced but fails.

One that came while the former template was parked is none of those: a runner that takes over parks
first, and however many die there, the node is not to blame.
"""


STRANDED = 240.0
"""Seconds of missing devices after which no longer timeout helps: after five minutes the kubelet
forgets the plugin's devices and capacity falls to 0 (``endpointStopGracePeriod``, Kubernetes 1.37).
"""


def begin(run: Run, node: NodeState, world: World, purpose: Purpose) -> Decision:
    """Start a pass: the cordon is its first effect and carries the node's baseline."""
    seen = world.nodes.get(node.name)
    if seen is None:
        return wait(f"node {node.name} is not there")
    ours = seen.held_by == run.name and seen.annotations.get(SCHEDULABLE_BEFORE) == "true"
    standing = world.view(node.name).successor(frozenset())
    own = standing is not None and standing.revision == run.former_hash(world)
    command = Cordon(
        node=node.name,
        purpose=purpose,
        baseline=measure(run, node, world, own=own),
        schedulable=ours or not seen.unschedulable,
    )
    return Decision(commands=(command,))


def advance(run: Run, node: NodeState, world: World, track: Track | None, now: float) -> Decision:
    """The next step of a node's pass."""
    work = node.work
    if work is None:
        return Decision()
    if work.cordoned_at is None:
        return wait(f"{node.name}: to be cordoned")
    if work.purpose is Purpose.LOSE:
        return lose(run, node, world, now)
    if work.deleted_at is None and node.name not in world.nodes:
        detail: JsonObject = {"reason": "the node is gone"}
        return Decision(notes=(note("node", "cancelled", node=node.name, detail=detail),))
    if work.deleted_at is None:
        return _delete(run, node, work, world, now)
    return _verify(run, node, world, track, now)


def _delete(run: Run, node: NodeState, work: Work, world: World, now: float) -> Decision:
    """Delete the node's pod once no pod is on its way to the devices that are about to go.

    A pod that carries the wanted revision already is not replaced again, but judged.
    """
    pod = world.view(node.name).successor(frozenset())
    wanted = run.expected(node, world).revision
    if work.purpose is not Purpose.RESTART and pod is not None and pod.revision == wanted:
        return Decision(notes=(note("node", "arrived", node=node.name),))
    requesters = world.requesters.get(node.name)
    if requesters is None or work.cordoned_at is None or now < work.cordoned_at + QUIET:
        return wait(f"{node.name}: waits until no pod is on its way to it")
    if to_clear(run, node):
        return clear(run, node, work, world, now)
    if pod is None:
        return _no_pod(run, node, work, now)
    coming = next((pod for pod in requesters if _on_its_way(pod)), None)
    if coming is not None and now < work.cordoned_at + UPTAKE:
        return wait(f"{node.name}: pod {coming.ref} is on its way to its devices")
    return Decision(commands=(_deletion(node, pod),))


def _no_pod(run: Run, node: NodeState, work: Work, now: float) -> Decision:
    patience = run.plan.timing.timeout
    if now < (work.cleared_at or work.since) + patience:
        return wait(f"{node.name}: has no plugin pod to replace")
    ask = Question(GateId.ADMITTED, node.name, "a plugin pod to replace", now)
    answer = ask.answer(Verdict.FAIL, "no pod", f"none came within {patience:g} s")
    return failed_pass(node, work, answer)


def _on_its_way(pod: Pod) -> bool:
    return pod.bound and not pod.admitted and not pod.terminal


def _deletion(node: NodeState, pod: Pod) -> DeletePod:
    return DeletePod(node=node.name, namespace=pod.namespace, name=pod.name, uid=pod.uid)


def _verify(run: Run, node: NodeState, world: World, track: Track | None, now: float) -> Decision:
    """Look at the successor until all gates are good, one fails, or the time is over."""
    work = node.work
    if work is None or work.deleted_at is None:
        return Decision()
    case = run.case(node, world, track, now)
    wrong = _wrong_successor(run, case, work, world)
    if wrong is not None:
        return Decision(commands=(_deletion(node, wrong),))
    results = judge(case)
    failed = failure(results) or _too_late(results, case, work.deleted_at, run.plan.timing)
    if failed is not None:
        return failed_pass(node, work, failed)
    if not all_good(results):
        return wait(_open_gate(node, results))
    if run.unchanged(node, world):
        done = note("node", "unchanged", node=node.name)
        return Decision(notes=(gates_note(node.name, results), done))
    return ask_probe(run, node, world, case, results)


def _too_late(
    results: tuple[GateResult, ...], case: Case, deleted_at: float, timing: Timing
) -> GateResult | None:
    """The gate that is open past its time; missing devices have less of it than the rest.

    A runner that took over gives the node the whole time again, as it has to look anew.
    """
    looked = case.track.since if case.track.since is not None else case.now
    if case.now >= max(deleted_at, looked) + timing.timeout:
        return overdue(results, timing.timeout)
    look = LOOK_DELAY * timing.status_period + timing.settle
    if case.missing and case.now >= max(deleted_at + STRANDED, looked + look):
        return overdue((item for item in results if item.gate is GateId.ALLOCATABLE), STRANDED)
    return None


def _wrong_successor(run: Run, case: Case, work: Work, world: World) -> Pod | None:
    """A successor of a revision that nobody expects: replaced once more before it fails."""
    pod = case.pod
    if pod is None or not case.expected.revision:
        return None
    if len(work.deleted) >= WRONG_SUCCESSORS + work.parked:
        return None
    if pod.revision == case.expected.revision or not work.deleted or not run.observed(world):
        return None
    return pod


def _open_gate(node: NodeState, results: tuple[GateResult, ...]) -> str:
    first = next(item for item in results if item.verdict in {Verdict.WAIT, Verdict.UNKNOWN})
    return f"{node.name}: {first.gate.value}: {first.reason}"

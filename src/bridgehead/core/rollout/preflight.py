"""Before the first deletion: can every canary, or gained node, pull the target's images?"""

from bridgehead.core.rollout.commands import CreateOwnPod, DeleteOwnPod, Role
from bridgehead.core.rollout.decision import Decision, gate_note, note, wait
from bridgehead.core.rollout.halting import Halt, halted, stay_or_leave, too_late
from bridgehead.core.rollout.merge import merged
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import NodeState
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.pod_gates import PULL_PATIENCE
from bridgehead.core.verify.probe import started
from bridgehead.core.verify.result import GateId, Question, Verdict
from bridgehead.core.verify.track import Track


def preflight(run: Run, world: World, tracks: Tracks, now: float) -> Decision:
    """One pull pod on each node that would be the first to need an image; no device is touched.

    A pull that goes on has the component's timeout: images are large, and are better pulled here
    than in the gap. One that stands in error has less, from when the error was first seen.
    """
    nodes, _ = run.plan.pulls
    open_ones = [run.state.node(name) for name in nodes if not run.state.node(name).pulled]
    if (halt := halted(run, now)) is not None:
        return stay_or_leave(run, _cut_short(halt, open_ones))
    pulling = any(Role.PULL in node.own_pods for node in open_ones)
    if not pulling and (halt := too_late(run, now)) is not None:
        return stay_or_leave(run, halt)
    if not open_ones:
        return Decision(notes=(note("preflight", "passed"),))
    return merged(*(_pull(run, node, world, tracks.get(node.name), now) for node in open_ones))


def _cut_short(halt: Halt, open_ones: list[NodeState]) -> Halt:
    """A pull begins anew with the next runner: one that takes longer than that has never ends."""
    if not open_ones or not halt.lasting:
        return halt
    names = ", ".join(node.name for node in open_ones)
    why = f"{halt.why}, with more time, as {names} had not pulled the images yet"
    return Halt(why, lasting=True)


def _pull(run: Run, node: NodeState, world: World, track: Track | None, now: float) -> Decision:
    images = sorted(run.plan.pulls[1].values())
    why = f"{node.name} cannot run {', '.join(images)}"
    if (said := node.refused_pods.get(Role.PULL)) is not None:
        ask = Question(GateId.ADMITTED, node.name, "a pod of the component is admitted", now)
        answer = ask.answer(Verdict.FAIL, "refused", said)
        return Decision(notes=(gate_note("preflight", "failed", answer, reason=why),))
    if Role.PULL not in node.own_pods:
        return Decision(commands=(CreateOwnPod(node=node.name, role=Role.PULL),))
    pod = world.own_pod(node.name, Role.PULL)
    if pod is not None and pod.deleting:
        pod = None
    ask = Question(GateId.IMAGE, node.name, f"{', '.join(images)} can be pulled", now)
    answer = started(pod, ask, None, None)
    if answer.verdict is Verdict.WAIT:
        error = track.pull_error_at if track is not None else None
        failing = error is not None and now >= error + PULL_PATIENCE
        patience = PULL_PATIENCE if failing else run.plan.timing.timeout
        if not failing and now < node.own_pods[Role.PULL] + patience:
            return wait(f"{node.name}: pulls the image: {answer.reason}")
        answer = answer.failed(f"not within {patience:g} s: {answer.reason or answer.seen}")
    gone = DeleteOwnPod(node=node.name, role=Role.PULL)
    if answer.verdict is Verdict.PASS:
        return Decision(notes=(note("preflight", "pulled", node=node.name),), commands=(gone,))
    return Decision(notes=(gate_note("preflight", "failed", answer, reason=why),), commands=(gone,))

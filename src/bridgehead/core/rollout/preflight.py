"""Before the first deletion: can every canary pull the target's images?"""

from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.plan import StageKind
from bridgehead.core.rollout.commands import CreateOwnPod, DeleteOwnPod, Role
from bridgehead.core.rollout.decision import Decision, gate_note, note, wait
from bridgehead.core.rollout.merge import merged
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.probe import started
from bridgehead.core.verify.result import GateId, Question, Verdict
from bridgehead.core.verify.track import PULL_ERRORS

PATIENCE = 60.0
"""Seconds that a pull may stand in error. A pull that goes on has the component's timeout: images
are large, and it is better pulled here than in the gap.
"""


def preflight(run: Run, world: World, now: float) -> Decision:
    """One pull pod on each canary; no device is touched."""
    canaries = [
        name for stage in run.plan.stages if stage.kind is StageKind.CANARY for name in stage.nodes
    ]
    open_ones = [run.state.node(name) for name in canaries if not run.state.node(name).pulled]
    if not open_ones:
        return Decision(notes=(note("preflight", "passed"),))
    return merged(*(_pull(run, node, world, now) for node in open_ones))


def _pull(run: Run, node: NodeState, world: World, now: float) -> Decision:
    images = sorted(run.plan.spec.change.by_container().values())
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
        patience = PATIENCE if _in_error(pod) else run.plan.timing.timeout
        if now < node.own_pods[Role.PULL] + patience:
            return wait(f"{node.name}: pulls the image: {answer.reason}")
        answer = answer.failed(f"not within {patience:g} s: {answer.reason or answer.seen}")
    gone = DeleteOwnPod(node=node.name, role=Role.PULL)
    if answer.verdict is Verdict.PASS:
        return Decision(notes=(note("preflight", "pulled", node=node.name),), commands=(gone,))
    return Decision(notes=(gate_note("preflight", "failed", answer, reason=why),), commands=(gone,))


def _in_error(pod: Pod | None) -> bool:
    return pod is not None and any(item.reason in PULL_ERRORS for item in pod.containers)

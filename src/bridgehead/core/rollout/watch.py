"""Nodes that have passed stay under watch, and nodes that come or go are noticed."""

from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.decision import Decision, gate_note, note
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.result import GateId, Question, Verdict
from bridgehead.core.verify.soak import disturbed, soak_failure

DISTURBANCES = 1
"""How often a node's pod may be replaced by someone else before that counts as a failure."""


def watched(run: Run, world: World, tracks: Tracks, now: float) -> Decision:
    """What became of the nodes that have passed."""
    notes = [
        found
        for node in run.with_status(NodeStatus.PASSED)
        if (found := _look(run, node, world, tracks, now)) is not None
    ]
    return Decision(notes=tuple(notes))


def _look(run: Run, node: NodeState, world: World, tracks: Tracks, now: float) -> Draft | None:
    if node.verified is None or node.work is not None:
        return None
    case = run.case(node, world, tracks.get(node.name), now)
    if disturbed(case, node.verified):
        return _disturbance(node, case.pod.name if case.pod else "", now)
    failed = soak_failure(case, node.verified)
    return gate_note("node", "failed", failed, purpose="change") if failed else None


def _disturbance(node: NodeState, pod: str, now: float) -> Draft:
    if node.disturbances < DISTURBANCES:
        detail: JsonObject = {"pod": pod}
        return note("node", "disturbed", node=node.name, detail=detail)
    ask = Question(GateId.ADMITTED, node.name, "the pod that passed", now)
    why = "its pod was replaced by someone else twice"
    return gate_note("node", "failed", ask.answer(Verdict.FAIL, f"pod {pod}", why))


def newcomers(run: Run, world: World) -> Decision:
    """Nodes that run the component outside all stages are appended; nodes that left, dropped."""
    known = {*run.plan.nodes, *run.state.joined, *(item.node for item in run.plan.set_aside)}
    selected = run.plan.spec.nodes
    notes = [
        note("node", "joined", node=name)
        for name in sorted(world.pods)
        if name not in known
        and (node := world.nodes.get(name)) is not None
        and node.ready is True
        and selected.selects(node.labels)
        and any(pod.ready for pod in world.pods[name])
    ]
    gone = [
        note("node", "left", node=item.name)
        for item in run.with_status(NodeStatus.PENDING, NodeStatus.PASSED)
        if item.name not in world.nodes
    ]
    return Decision(notes=(*notes, *gone))

"""A Node object that was deleted and made anew under its name: a new node, as one that joined.

It has neither our cordon nor our mark, and what was measured or proven of the old one says nothing
of it: another machine may have taken the name.
"""

from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.decision import Decision, note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.world import World


def renewed(run: Run, world: World) -> Decision:
    """A note for each node in flight, under watch or measured whose object is another one now.

    What a person is asked about, as it failed, keeps its name and its answer.
    """
    return Decision(
        notes=tuple(
            note("node", "renewed", node=node.name, detail=_detail(run, node))
            for node in run.state.nodes.values()
            if node.work is not None or node.status in {NodeStatus.PENDING, NodeStatus.PASSED}
            if node.name not in run.plan.loses and _another(node, world)
        )
    )


def _another(node: NodeState, world: World) -> bool:
    seen = world.nodes.get(node.name)
    measured = node.baseline.node if node.baseline is not None else ""
    return seen is not None and bool(measured) and seen.uid != measured


def _detail(run: Run, node: NodeState) -> JsonObject:
    reason = "its Node object was deleted and made anew, so nothing that was known of it holds"
    return {"reason": reason, "stage": run.stage_of(node.name)}

"""What of a run is in the cluster now: marks, cordons and pods of ours, with age and owner."""

import msgspec

from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.component import Component
from bridgehead.core.model.node import SCHEDULABLE_BEFORE, Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.rollout.state import NodeState, RunState


class Leftover(msgspec.Struct, frozen=True, kw_only=True):
    """Something of a run's that is in the cluster now."""

    object: str
    what: str
    owner: str = ""
    """Whose run it is, as its spec says; empty where that names nobody."""
    since: str = ""
    """When it came there, as the journal has it, or of a pod its creation; empty if not known."""
    age: float | None = None
    """Seconds since then; None where that is not known."""


def leftovers(
    run: str,
    owner: str,
    state: RunState,
    *,
    component: Component | None,
    own: tuple[Pod, ...],
    nodes: tuple[Node, ...],
    now: float,
) -> tuple[Leftover, ...]:
    """All of it; ``own`` are the run's pods, ``now`` is in seconds since the epoch."""

    def left(item: str, what: str, at: float) -> Leftover:
        since, age = (stamp(at), max(0.0, now - at)) if at > 0 else ("", None)
        return Leftover(object=item, what=what, owner=owner, since=since, age=age)

    held = [node for node in nodes if node.held_by == run]
    marked = component if component is not None and f"/{run}/" in component.anchor else None
    strategy = f"is held by this run, update strategy {marked.strategy_type}" if marked else ""
    return (
        *((left(marked.ref, strategy, state.began_at),) if marked else ()),
        *(left(f"node/{node.name}", _hold(node), _since(state.node(node.name))) for node in held),
        *(left(f"pod/{pod.ref}", "a pod of this run", pod.created) for pod in own),
    )


def _hold(node: Node) -> str:
    if node.annotations.get(SCHEDULABLE_BEFORE) == "true":
        return "cordoned by this run"
    return "marked by this run; it was cordoned before"


def _since(node: NodeState) -> float:
    """When the run took the node; of a cordon without an outcome yet, when it was intended."""
    return node.held_since or (node.work.since if node.work is not None else 0.0)

"""Logs that could not be read at the end of a soak: a soak that saw none says nothing of faults.

While a stage soaks, the logs of its nodes are read on, and one that cannot be read for a moment is
no trouble. One that still cannot at its end is waited for, as a gate that is not known is before a
node passes.
"""

from bridgehead.core.journal.entry import Draft
from bridgehead.core.rollout.decision import gate_note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState
from bridgehead.core.rollout.tracking import under_watch
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.result import GateId, Question, Verdict


def unread(run: Run, world: World) -> tuple[NodeState, ...]:
    """Nodes under watch whose log could not be read when that was last tried."""
    return tuple(node for node in under_watch(run) if why_unread(node, world))


def why_unread(node: NodeState, world: World) -> str:
    """Why the log of the node's pod was not read; empty where it was."""
    view = world.view(node.name)
    return view.log_unread or ("" if view.log is not None else "it was not read yet")


def never_read(node: NodeState, world: World, seconds: float, now: float) -> Draft:
    """A node whose log could not be read for so long after its soak has failed."""
    ask = Question(GateId.LOG, node.name, "no known fault while it soaked", now)
    why = f"could not be read within {seconds:g} s after its soak: {why_unread(node, world)}"
    return gate_note("node", "failed", ask.answer(Verdict.FAIL, "not read", why), purpose="change")

"""Restart tests that a run was held up after: each counts directly before its own change only."""

import msgspec

from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeStatus, RunState, with_node


def outdated(run: Run) -> tuple[Draft, ...]:
    """Restart tests that say little by the time that their node is changed: they are done anew.

    So its node is not kept cordoned through a halt either. Where a runner's own time is over they
    count on, as the same command goes on soon: with a second test each runner might have the time
    for that and no more.
    """
    return tuple(
        note("node", "untested", node=node.name)
        for node in run.with_status(NodeStatus.PENDING)
        if node.restart_tested and node.work is None and not node.touched
    )


def untested(state: RunState, entry: Entry) -> RunState:
    """The run was held up between a restart test and the change that it was for."""
    node = msgspec.structs.replace(state.node(entry.node), restart_tested=False)
    return with_node(state, node)

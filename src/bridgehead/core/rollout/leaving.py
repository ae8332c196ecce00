"""What a runner does before it leaves a run that is not over."""

from bridgehead.core.rollout.commands import Command, DeleteOwnPod
from bridgehead.core.rollout.decide import interrupted
from bridgehead.core.rollout.node_probe import sorted_roles
from bridgehead.core.rollout.run import Run


def leaving(run: Run) -> tuple[Command, ...]:
    """Park the former template, and take our pods along; whoever goes on makes them again."""
    pods = [
        DeleteOwnPod(node=node.name, role=role)
        for node in run.state.nodes.values()
        for role in sorted_roles(node)
    ]
    return (*interrupted(run).commands, *pods)

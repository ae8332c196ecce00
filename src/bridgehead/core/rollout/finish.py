"""The good ending: the target stands for good, the former strategy is back, all else is gone."""

from bridgehead.core.rollout.commands import Flip, LetGo, Position, RestoreStrategy
from bridgehead.core.rollout.decision import Decision, wait
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, NodeStatus
from bridgehead.core.rollout.world import World


def finish(run: Run, world: World) -> Decision:
    """After the last stage: leave the target standing and let the component go."""
    if run.state.template is not Position.TARGET:
        return Decision(commands=(Flip(to=Position.TARGET),))
    step = close(run, world, keep=run.target_hash(world))
    if step is not None:
        return step
    passed = run.with_status(NodeStatus.PASSED)
    return Decision(ending=Ending(exit=0, summary=f"{len(passed)} nodes run the new version"))


def close(run: Run, world: World, *, keep: str) -> Decision | None:
    """Give the strategy back and remove the annotations; None when both is done.

    The strategy goes back only when no pod differs from the template that stays: with RollingUpdate
    back, the controller replaces every differing pod by itself at once (Kubernetes 1.37.2).
    """
    if run.state.taken_over and not run.state.restored:
        if not run.observed(world):
            return wait("the DaemonSet controller has not seen the last change yet")
        if differing := differs(world, keep):
            return wait(f"{', '.join(differing)}: the pod is of another revision than the template")
        return Decision(commands=(RestoreStrategy(),))
    if not run.state.let_go:
        return Decision(commands=(LetGo(),))
    return None


def differs(world: World, keep: str) -> list[str]:
    """Nodes whose live pod carries another hash than ``keep``."""
    return sorted(
        name
        for name, pods in world.pods.items()
        if any(pod.revision != keep and not pod.terminal for pod in pods)
    )

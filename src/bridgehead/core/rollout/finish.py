"""The good ending: the target stands for good, the former strategy is back, all else is gone."""

from bridgehead.core.rollout.baseline import proven
from bridgehead.core.rollout.commands import Flip, LetGo, Position, RestoreStrategy
from bridgehead.core.rollout.decision import Decision, wait
from bridgehead.core.rollout.observed import unobserved
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, NodeStatus
from bridgehead.core.rollout.world import World


def finish(run: Run, world: World, now: float) -> Decision:
    """After the last stage: leave the target standing and let the component go."""
    if run.state.template is not Position.TARGET:
        if (step := unobserved(run, world, now)) is not None and run.state.taken_over:
            return step
        return Decision(commands=(Flip(to=Position.TARGET),))
    step = close(run, world, now, keep=run.target_hash(world))
    if step is not None:
        return step
    passed = run.with_status(NodeStatus.PASSED)
    late = differing(world, run.target_hash(world))
    rest = f"; {', '.join(late)} will take it on when Ready again" if late else ""
    return Decision(ending=Ending(exit=0, summary=f"{len(passed)} nodes run the new version{rest}"))


def close(run: Run, world: World, now: float, *, keep: str) -> Decision | None:
    """Give the strategy back and remove the annotations; None when both is done.

    The strategy goes back only when no pod differs from the template that stays: with RollingUpdate
    back, the controller replaces every differing pod by itself at once (Kubernetes 1.37.2). Nodes
    that were set aside as NotReady may converge so, where the version has passed on their kind.
    """
    if run.state.taken_over and not run.state.restored:
        if (step := unobserved(run, world, now)) is not None:
            return step
        late = [name for name in differing(world, keep) if not _may_follow(run, name, world)]
        late += [name for name in _left_to_no_one(run, world) if name not in late]
        if not late:
            return Decision(commands=(RestoreStrategy(),))
        if any(_young(run, name, world, now) for name in late):
            return wait(f"{', '.join(late)}: the pod is of another revision than the template")
        return Decision(ending=_mixed(run, late, differing(world, keep)))
    if not run.state.let_go:
        return Decision(commands=(LetGo(),))
    return None


def differing(world: World, keep: str) -> list[str]:
    """Nodes whose live pod carries another hash than ``keep``."""
    return sorted(
        name
        for name, pods in world.pods.items()
        if name in world.nodes and any(pod.revision != keep and not pod.terminal for pod in pods)
    )


def _left_to_no_one(run: Run, world: World) -> list[str]:
    """Nodes of which nothing is proven, and nodes left out by a person that have no pod now.

    The controller would make the pod, unwatched; and a run with such a node is not simply done: the
    unproven ones are cordoned.
    """
    return [
        item.name
        for item in run.state.nodes.values()
        if item.name in world.nodes
        and (item.unsound or (item.left_out and not world.pods.get(item.name)))
    ]


def _may_follow(run: Run, name: str, world: World) -> bool:
    """Whether the node may take the standing version on by itself, once it is back."""
    node = run.state.node(name)
    if node.left_out or node.unsound:
        return False
    aside = node.status is NodeStatus.SET_ASIDE or any(
        item.node == name for item in run.plan.set_aside
    )
    return aside and world.nodes[name].ready is not True and proven(run, name, world)


def _young(run: Run, name: str, world: World, now: float) -> bool:
    """Whether the pods may still change by themselves: one is on its way out, or just came.

    A pod whose node is away stays on its way out for ever.
    """
    timeout = run.plan.timing.timeout
    return any(
        now < (run.state.last_at if pod.deleting else pod.created) + timeout
        for pod in world.pods.get(name, ())
    )


def _mixed(run: Run, late: list[str], other: list[str]) -> Ending:
    """``late`` keep the run from giving the strategy back; ``other`` have a differing pod."""
    mixed = [f"{name} ({_why(run, name)})" for name in late if name in other]
    rest = [f"{name} ({_why(run, name)})" for name in late if name not in other]
    parts = [f"{len(run.with_status(NodeStatus.PASSED))} nodes run the new version"]
    if mixed:
        pods = ", ".join(mixed)
        parts.append(f"the pods of {pods} are of another revision than the template that stands")
    if rest:
        parts.append(f"nothing is proven of {', '.join(rest)}")
    return Ending(
        exit=4,
        summary=(
            f"{'; '.join(parts)}. The update strategy stays OnDelete, so that they are not "
            "replaced unwatched."
        ),
        failure=run.state.failure,
    )


def _why(run: Run, name: str) -> str:
    planned = next((item.reason for item in run.plan.set_aside if item.node == name), "")
    return run.state.node(name).reason or planned or "not part of this run"

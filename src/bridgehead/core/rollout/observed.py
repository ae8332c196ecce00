"""Waiting until the DaemonSet controller works with what was last written."""

from bridgehead.core.rollout.decision import Decision, note, wait
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, Mode
from bridgehead.core.rollout.world import World

PATIENCE = 60.0
"""Seconds for ``observedGeneration`` to follow; a quarter of a second is usual (Kubernetes 1.37.2).
"""


def unobserved(run: Run, world: World, now: float) -> Decision | None:
    """None once the last write is observed: only then may a pod be deleted or the next write made.

    After a minute the run goes no further: forward it holds, so that the former template is parked;
    with that written already it ends.
    """
    return None if run.observed(world) else _awaited(run, world, "seen the last change", now)


def unmade(run: Run, world: World, now: float) -> Decision | None:
    """None once the target revision is there: without its hash no pod can be told to carry it.

    It may never come: a webhook that writes something else at each request has the server store
    another template than the plan's.
    """
    if run.target_hash(world):
        return None
    return _awaited(run, world, "made the target revision", now)


def _awaited(run: Run, world: World, what: str, now: float) -> Decision:
    """What the controller has still to do after the last write, or the end of our patience.

    Only time in which somebody looked counts: the API server may have been away with the controller
    behind it, or the runner that wrote.
    """
    if now < max(run.state.written_at, world.seen_since) + PATIENCE:
        return wait(f"the DaemonSet controller has not {what} yet")
    late = f"the DaemonSet controller has not {what} within {PATIENCE:g} s"
    if run.state.mode is Mode.FORWARD:
        return Decision(notes=(note("turn", "hold", detail={"reason": late}),))
    return Decision(
        ending=Ending(
            exit=4,
            summary=(
                f"{late}: is kube-controller-manager running? No pod was deleted meanwhile. Once "
                "it works, the run can be gone on with"
            ),
            failure=run.state.failure,
        )
    )

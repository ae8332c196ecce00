"""The use case ``pause``: nothing new begins, and the former template stands."""

import msgspec

from bridgehead.app.asking import Asked, Asker, Outcome, file, run_of, see_to_it, take_up
from bridgehead.app.following import Answer, Following
from bridgehead.app.open_run import Orphaned
from bridgehead.app.rollout import Busy
from bridgehead.app.session import Session
from bridgehead.app.subject import NothingOpen, OpenRun, Subject, find
from bridgehead.cluster.errors import HeldError
from bridgehead.cluster.lock_watch import Holding
from bridgehead.core.journal.entry import stamp
from bridgehead.core.plan.plan import Timing
from bridgehead.core.rollout.control import Pause
from bridgehead.core.rollout.run import Run

NotOpen = NothingOpen | Orphaned | Busy
"""Why there is no run to ask."""


class Parked(msgspec.Struct, frozen=True, kw_only=True):
    """There was nothing to do so that the former template stands when nobody is at the run."""

    run: Run
    alive: bool
    """Whether a runner is at it, which parks by itself before it leaves."""


async def pause(session: Session, subject: Subject, asker: Asker) -> Outcome | NotOpen:
    """Ask the run to pause, and wait until the former template stands and nothing is in flight.

    A run that nobody is at and that has left nothing undone is not taken over for it: whoever goes
    on with it finds the pause. Raises StillAsked, KubeError and ClusterError.
    """
    found = await find(session, subject)
    if not isinstance(found, OpenRun):
        return found
    user = await session.kube.self_subject_review()
    request = Pause(
        time=stamp(session.clock()),
        identity=user.username,
        actor=asker.actor,
        reason=asker.reason,
    )
    number = await file(session, found, request)
    following = Following(session, found)
    sight = await following.look()
    run = msgspec.structs.replace(run_of(found), state=sight.state)
    if sight.holding is Holding.NOBODY and is_at_rest(run):
        return Asked(run=run, request=request, answer=Answer.FILED, alive=False)
    return await see_to_it(
        session,
        following,
        request,
        number,
        enough=Answer.DONE,
        parked_is_enough=True,
        patience=_seen_through(found.record.plan.timing),
    )


async def park(session: Session, subject: Subject) -> Outcome | NotOpen | Parked:
    """Make sure that no killed runner has left the new template standing; ask nothing of the run.

    Nodes in flight are seen through, nothing else begins, and the rollout's own command goes on
    with the run later. For the last step of a pipeline. Raises Stopped, KubeError and ClusterError.
    """
    found = await find(session, subject)
    if not isinstance(found, OpenRun):
        return found
    following = Following(session, found)
    while True:
        sight = await following.look()
        run = msgspec.structs.replace(run_of(found), state=sight.state)
        if sight.holding is Holding.ALIVE:
            return Parked(run=run, alive=True)
        if sight.holding is Holding.NOBODY:
            if is_at_rest(run):
                return Parked(run=run, alive=False)
            try:
                return await take_up(session, found, following.lock_sighting, only_to_park=True)
            except HeldError:
                return Parked(run=run, alive=True)
        await following.pause()


def is_at_rest(run: Run) -> bool:
    """Whether whoever was at the run has parked and left nothing in flight."""
    return not run.exposed and not run.state.pending and not run.state.working


def _seen_through(timing: Timing) -> float:
    """Seconds in which a runner that begins nothing more has seen its nodes through."""
    return 2 * timing.timeout + timing.settle + 60

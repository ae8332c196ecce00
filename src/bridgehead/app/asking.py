"""Asking something of an open run: file it, then see that whoever is at the run acts on it.

A runner that lives does what is asked, and whoever asked follows its records. Without one, the
asking process takes the run over and does it itself.
"""

import msgspec

from bridgehead.app.following import Answer, Following, Sight
from bridgehead.app.limits import TooShort
from bridgehead.app.locking import tell_holder
from bridgehead.app.loop import Stopped
from bridgehead.app.resume import Over, resume
from bridgehead.app.rollout import NotAllowed
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session
from bridgehead.app.subject import OpenRun
from bridgehead.cluster import control
from bridgehead.cluster.access import complete, missing_permissions
from bridgehead.cluster.errors import HeldError
from bridgehead.cluster.lease import Sighting
from bridgehead.cluster.lock_watch import Holding
from bridgehead.core.rollout.control import Request
from bridgehead.core.rollout.run import Run


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks, and why, in one line each."""

    actor: str = ""
    """A name that the person gives; nobody checks it."""
    reason: str = ""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request that is filed; a runner acts on it, or whoever goes on with the run does."""

    run: Run
    request: Request
    answer: Answer
    alive: bool
    """Whether a runner was seen to be at the run: by its lock, or because it noted the request."""


class StillAsked(Stopped):
    """Told to stop while another process was followed; what was asked stays asked."""

    def __init__(self, run: str) -> None:
        super().__init__(parked=None)
        self.run = run


Outcome = Ended | Asked | NotAllowed | TooShort

ORDER = tuple(Answer)


async def file(session: Session, found: OpenRun, request: Request) -> int:
    """Write the request into the run's record; its number there."""
    return await control.ask(session.kube, found.namespace, found.record.run, request)


async def see_to_it(
    session: Session,
    following: Following,
    request: Request,
    number: int,
    *,
    enough: Answer,
    parked_is_enough: bool = False,
    patience: float | None = None,
) -> Outcome:
    """Follow the run until the request has come as far as ``enough``; take over from nobody.

    ``patience`` bounds in seconds how long a runner that lives is followed. Raises StillAsked where
    told to stop, KubeError and ClusterError; the request stays filed whatever happens here.
    """
    found = following.found
    give_up = session.clock() + patience if patience is not None else None
    told = Holding.NOBODY
    try:
        while True:
            sight = await following.look()
            answer = sight.answer(number, parked_is_enough=parked_is_enough)
            if ORDER.index(answer) >= ORDER.index(enough):
                return following.ended(sight) or _asked(found, request, answer, sight)
            if sight.holding is Holding.NOBODY:
                try:
                    return await take_up(session, found, following.lock_sighting)
                except HeldError:
                    sight = msgspec.structs.replace(sight, holding=Holding.UNSURE)
            elif give_up is not None and session.clock() > give_up:
                return _asked(found, request, answer, sight)
            if sight.holding is not told:
                told = sight.holding
                await tell(session, found, told)
            await following.pause()
    except Stopped as stopped:
        if stopped.parked is None:
            raise StillAsked(found.record.run) from stopped
        raise


async def take_up(
    session: Session, found: OpenRun, known: Sighting | None, *, only_to_park: bool = False
) -> Ended | NotAllowed | TooShort:
    """Go on with the run as its runner, by its record alone. Raises HeldError where one lives."""
    here = msgspec.structs.replace(session, state_namespace=found.namespace)
    ref = found.record.plan.spec.component
    user = await session.kube.self_subject_review()
    lacking = await missing_permissions(session.kube, ref, found.namespace)
    if lacking:
        return NotAllowed(lacking, user.username, complete(lacking, ref, found.namespace))
    result = await resume(
        here,
        found.record,
        found.component,
        user.username,
        known=known,
        only_to_park=only_to_park,
    )
    return result.ended if isinstance(result, Over) else result


def run_of(found: OpenRun) -> Run:
    """The run as the core knows it."""
    plan = found.record.plan
    return Run(name=found.record.run, plan=plan, state=found.state, family=plan.family)


def _asked(found: OpenRun, request: Request, answer: Answer, sight: Sight) -> Asked:
    run = msgspec.structs.replace(run_of(found), state=sight.state)
    noted = answer is not Answer.FILED
    alive = sight.holding is Holding.ALIVE or (noted and sight.holding is Holding.UNSURE)
    return Asked(run=run, request=request, answer=answer, alive=alive)


async def tell(session: Session, found: OpenRun, holding: Holding) -> None:
    """Say whom we wait for, and why."""
    if holding is Holding.UNSURE:
        here = msgspec.structs.replace(session, state_namespace=found.namespace)
        await tell_holder(here, found.record.plan.spec.component)
    elif holding is Holding.ALIVE:
        session.watcher.say("it lives and does what is asked; these are its records:")

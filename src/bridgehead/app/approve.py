"""The use case ``approve``: consent to go on at a point of the plan, after it was shown."""

import msgspec

from bridgehead.app.asking import Asked, Asker, file, run_of
from bridgehead.app.following import Answer
from bridgehead.app.pause import NotOpen
from bridgehead.app.session import Session
from bridgehead.app.subject import OpenRun, Subject, find
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import stamp
from bridgehead.core.rollout.approvals import awaited, binding, consent, open_points, points
from bridgehead.core.rollout.control import Approve, readable, who
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode


class NotAwaited(msgspec.Struct, frozen=True, kw_only=True):
    """The run does not wait for that consent; nothing was written (exit 1)."""

    run: Run
    why: str


class Awaited(msgspec.Struct, frozen=True, kw_only=True):
    """What is there to be approved, to be shown before it is."""

    found: OpenRun
    run: Run
    point: str
    approver: str
    """Whom the API server takes the asking client for."""
    alone: bool
    """Whether ``twoPeople`` is asked for and the approver is who runs it: then it does not count
    until somebody else does."""


async def what_is_awaited(
    session: Session, subject: Subject, point: str | None
) -> Awaited | NotAwaited | NotOpen:
    """The consent that the run waits for. Reads only; raises KubeError and ClusterError."""
    found = await find(session, subject)
    if not isinstance(found, OpenRun):
        return found
    user = await session.kube.self_subject_review()
    entries = await RunStore(session.kube, found.namespace).entries(found.record.run)
    runner = entries[-1].identity if entries else ""
    run = _with_filed(run_of(found), found, runner)
    wanted = awaited(run, session.clock())
    if wanted is None or run.state.mode in {Mode.BACK, Mode.ENDED} or point not in {None, wanted}:
        return NotAwaited(run=run, why=_why_not(run, point, wanted, session.clock()))
    alone = run.plan.spec.two_people and user.username == runner
    return Awaited(found=found, run=run, point=wanted, approver=user.username, alone=alone)


async def approve(
    session: Session, awaited_: Awaited, *, expires_in: float | None, asker: Asker
) -> Asked:
    """File the consent. ``expires_in`` is in seconds. Raises KubeError and ClusterError."""
    now = session.clock()
    plan = awaited_.run.plan
    request = Approve(
        time=stamp(now),
        identity=awaited_.approver,
        actor=asker.actor,
        reason=asker.reason,
        point=awaited_.point,
        change_digest=plan.change_digest,
        binds=binding(plan),
        expires=stamp(now + expires_in) if expires_in is not None else "",
    )
    await file(session, awaited_.found, request)
    return Asked(run=awaited_.run, request=request, answer=Answer.FILED, alive=False)


def _with_filed(run: Run, found: OpenRun, runner: str) -> Run:
    """The run with the approvals that are filed and that nobody has noted yet."""
    unheard = readable(found.record.control)[run.state.requests :]
    given = tuple(item for item in unheard if isinstance(item, Approve))
    state = msgspec.structs.replace(run.state, approvals=(*run.state.approvals, *given))
    return msgspec.structs.replace(run, state=state, limits=Limits(identity=runner))


def _why_not(run: Run, point: str | None, wanted: str | None, now: float) -> str:
    planned = points(run.plan)
    if point is not None and point not in planned:
        has = f"its points are {', '.join(planned)}" if planned else "it has none"
        return f"the plan of run {run.name} has no point {point}: {has}"
    if run.state.mode is Mode.BACK:
        return f"run {run.name} takes back what it changed; there is nothing to approve"
    if wanted is not None:
        return f"run {run.name} waits for approval {wanted}, not {point}"
    for given in (consent(run, item, now) for item in open_points(run)):
        if given is not None:
            return f"{given.point} is approved already, by {who(given)} at {given.time}"
    if point in run.state.consented:
        return f"{point} was approved, and run {run.name} has gone past it"
    ahead = [item for item in planned if item not in run.state.consented]
    later = f"; it will at {ahead[0]}" if ahead else ""
    return f"run {run.name} waits for no approval now{later}"

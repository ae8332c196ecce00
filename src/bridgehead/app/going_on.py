"""The use case ``resume``: go on after a pause or a hold, from the run's record alone."""

from collections.abc import Iterator

import msgspec

from bridgehead.app.asking import Asker, Outcome, file, run_of, see_to_it, take_up, tell
from bridgehead.app.following import Answer, Following
from bridgehead.app.pause import NotOpen
from bridgehead.app.session import Session
from bridgehead.app.subject import OpenRun, Subject, find
from bridgehead.cluster.lock_watch import Holding
from bridgehead.core.journal.entry import stamp
from bridgehead.core.rollout.control import Pause, Resume, readable
from bridgehead.core.rollout.resuming import FAILED, fits, in_gap, put_off
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Answer as Way
from bridgehead.core.rollout.state import Mode, NodeStatus


class Ways(msgspec.Struct, frozen=True, kw_only=True):
    """What the person wants done about nodes that failed."""

    without: tuple[str, ...] = ()
    retry: tuple[str, ...] = ()


class Unanswered(msgspec.Struct, frozen=True, kw_only=True):
    """The run holds, and nobody says what is to become of nodes that failed (exit 2)."""

    run: Run
    nodes: tuple[str, ...]


class BadNames(msgspec.Struct, frozen=True, kw_only=True):
    """Names that the run cannot be gone on without, or that cannot be tried again (exit 2)."""

    run: Run
    problems: tuple[str, ...]


async def go_on(
    session: Session, subject: Subject, ways: Ways, asker: Asker
) -> Outcome | NotOpen | Unanswered | BadNames:
    """Lift a pause or a hold, and go on with the run as its runner, to an ending.

    Nodes that the run had set aside before it stopped are tried again where nobody is named.
    Where a runner stays at the run it goes on by itself: then this waits until it has noted the
    request. Nothing is asked where the run neither pauses nor holds. Raises Stopped, StillAsked,
    KubeError and ClusterError.
    """
    found = await find(session, subject)
    if not isinstance(found, OpenRun):
        return found
    run = run_of(found)
    if problems := tuple(problems_of(run, ways)):
        return BadNames(run=run, problems=problems)
    if open_ones := open_questions(run, ways):
        return Unanswered(run=run, nodes=open_ones)
    if ways == Ways():
        ways = Ways(retry=put_off(run))
    if not _needs_word(found, ways):
        return await _take_up_or_follow(session, found)
    user = await session.kube.self_subject_review()
    request = Resume(
        time=stamp(session.clock()),
        identity=user.username,
        actor=asker.actor,
        reason=asker.reason,
        without=ways.without,
        retry=ways.retry,
    )
    number = await file(session, found, request)
    return await see_to_it(session, Following(session, found), request, number, enough=Answer.NOTED)


async def _take_up_or_follow(session: Session, found: OpenRun) -> Outcome:
    """Nothing has to be lifted: whoever was at the run has only left it. Raises HeldError."""
    following = Following(session, found)
    if (await following.look()).holding is Holding.UNSURE:
        await tell(session, found, Holding.UNSURE)
    return await take_up(session, found, following.lock_sighting)


def _needs_word(found: OpenRun, ways: Ways) -> bool:
    """Whether the run would not go on by itself; a pause that nobody has noted yet counts."""
    state = found.state
    unheard = readable(found.record.control)[state.requests :]
    paused = state.paused is not None or any(isinstance(item, Pause) for item in unheard)
    return paused or state.mode is Mode.HOLD or bool(ways.without or ways.retry)


def open_questions(run: Run, ways: Ways) -> tuple[str, ...]:
    """Nodes of a run that holds which nobody has spoken of, now or before."""
    if run.state.mode is not Mode.HOLD:
        return ()
    told = {*ways.without, *ways.retry, *run.state.answers}
    failed = (item.name for item in run.state.nodes.values() if item.status in FAILED)
    return tuple(name for name in failed if name not in told)


def problems_of(run: Run, ways: Ways) -> Iterator[str]:
    """What is wrong with the names that a person gave, in words."""
    if (ways.without or ways.retry) and run.state.mode is Mode.BACK:
        yield f"run {run.name} takes back all that it changed; no node goes on with it"
        return
    aside = (item.node for item in run.plan.set_aside)
    known = {*run.plan.nodes, *run.plan.gains, *aside, *run.state.joined, *run.state.nodes}
    for name in dict.fromkeys((*ways.without, *ways.retry)):
        node = run.state.node(name)
        way = Way.RETRY if name in ways.retry else Way.WITHOUT
        if name in run.plan.loses:
            yield f"{name} is to lose the component, as the template takes it off there"
        elif name not in known:
            yield f"{name} is no node of run {run.name}"
        elif name in ways.without and name in ways.retry:
            yield f"{name} cannot both be left out and be tried again"
        elif not fits(run, name, way):
            yield f"{name} has not failed: it is {node.status.value}"
        elif way is Way.WITHOUT and node.status is NodeStatus.PENDING and in_gap(node):
            yield f"{name} is being replaced at this moment: ask again once it has passed or failed"

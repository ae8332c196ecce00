"""The use case ``recover``: say which rung fits and why; with consent, take it and verify it."""

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from bridgehead.app.open_run import at_its_run
from bridgehead.app.recover_acts import Acted, Acting, Command
from bridgehead.app.recover_look import Asked, Place, look, situation
from bridgehead.app.recover_wait import dead_long_enough, waited
from bridgehead.app.rollback import NothingToTakeBack, rollback
from bridgehead.app.rollout import NotAllowed, Options, RolloutResult
from bridgehead.app.session import Session, unless_stopped
from bridgehead.cluster.access import Missing, complete, lacking
from bridgehead.cluster.errors import ClaimedError
from bridgehead.cluster.lock import PATIENCE, ComponentLock, Lock, holder_name
from bridgehead.cluster.recover_access import needed_to_recover
from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.standing import few
from bridgehead.core.model.node import Node
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.settings import ComponentRef, LockSettings
from bridgehead.core.recover.assessment import Assessment
from bridgehead.core.recover.choice import Choice, assess, choose
from bridgehead.core.recover.past import Past, without_verdict
from bridgehead.core.recover.rung import Rung, may_do_alone
from bridgehead.core.recover.situation import Answer, Situation
from bridgehead.report.plain import plain_line

Diagnose = Callable[[Session], Awaitable[Diagnosis]]
"""Asks the rules about the cluster as it is now."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asks for. ``rung`` None leaves it to the diagnosis; ``node`` too."""

    asked: Asked
    node: str = ""
    rung: Rung | None = None
    command: tuple[str, ...] = ()
    owner: str = ""


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """What fits on one node, with everything that it rests on. Nothing was done."""

    situation: Situation
    choice: Choice
    tried: str = ""
    """What the server said to a dry run of the effect; empty where none was asked."""
    grant: str = ""
    """What has to be granted before the server takes it; empty where that is not in the way."""


class OpenEnd(msgspec.Struct, frozen=True):
    """An earlier recovery of which nobody knows whether it has helped."""

    component: ComponentRef
    past: Past


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """All nodes that were looked at."""

    nodes: tuple[Explained, ...]
    unread: tuple[Unread, ...] = ()
    open_ends: tuple[OpenEnd, ...] = ()
    grant: str = ""
    """What has to be granted before anything may be done; empty where records could be read."""


Taken = Explanation | Explained | Acted | RolloutResult | NothingToTakeBack
"""What comes of a recovery with consent."""


class NodeUnclearError(Exception):
    """More than one node could be meant, or the one that is named is not there."""


async def explain(session: Session, request: Request, diagnose: Diagnose) -> Explanation:
    """Which rung fits where, why, and what it would do. Reads and tries only.

    Raises NoSuchPluginError, NodeUnclearError for a node that is not there, and KubeError.
    """
    session = await at_its_run(session, request.asked.component)
    place = await look(session, request.asked)
    diagnosis = await diagnose(session)
    found = []
    for node in nodes_of(place, request, diagnosis):
        seen = await situation(session, request.asked, place, node, diagnosis)
        choice = judged(seen, request)
        chosen = choice.chosen
        tried = await Acting.tried(session, seen, chosen) if chosen else Answer(None, "")
        found.append(Explained(situation=seen, choice=choice, tried=tried.said, grant=tried.grant))
    return explanation(place, request, diagnosis, *found)


def explanation(
    place: Place, request: Request, diagnosis: Diagnosis, *found: Explained
) -> Explanation:
    """What was explained of nodes, with what could not be read and what is open from before."""
    missing = place.records.unread
    ends = without_verdict(place.records.past)
    return Explanation(
        nodes=found,
        unread=_unread(place, diagnosis),
        open_ends=tuple(OpenEnd(request.asked.component, item) for item in ends),
        grant=missing.grant if missing is not None else "",
    )


def _unread(place: Place, diagnosis: Diagnosis) -> tuple[Unread, ...]:
    """What could not be read or judged, by either look."""
    failed = (
        Unread(f"what rule {item.rule} says", f"the rule failed: {item.error}")
        for item in diagnosis.failures
    )
    return tuple(dict.fromkeys((*place.unread, *diagnosis.unread, *failed)))


async def recover(
    session: Session, request: Request, diagnose: Diagnose, command: Command
) -> Taken:
    """Take the rung that was named, or the one that fits, and verify it.

    ``Explanation`` where no node needs it, and ``Explained`` where a precondition does not hold:
    nothing was done then. Raises HeldError and ClaimedError where somebody else has the component,
    NoSuchPluginError, NodeUnclearError, and KubeError.
    """
    session = await at_its_run(session, request.asked.component)
    return await _Recovering(session, request, command).go(diagnose)


class LeftAlone(msgspec.Struct, frozen=True):
    """Nothing was done without a person, and why."""

    why: str


async def take_alone(
    session: Session, request: Request, diagnose: Diagnose, allowed: Rung | None
) -> Acted | LeftAlone:
    """Take what fits without a person, if it is allowed, after what has just begun has settled.

    Only a cause of the diagnosis counts, never a person's wish. Raises HeldError, KubeError, and
    Stopped when told to.
    """
    diagnosis, seen = await _seen(session, request, diagnose)
    choice = choose(seen)
    if choice.chosen is not None and choice.chosen.rung is Rung.WAIT:
        early = choice.chosen.preconditions[0].evidence
        session.watcher.say(plain_line(f"{early}: it is looked at again before anything is done"))
        found = await waited(session, seen, choice.chosen)
        if found.verified:
            return found
        diagnosis, seen = await _seen(session, request, diagnose)
        choice = choose(seen)
    chosen = choice.chosen
    if chosen is None:
        return LeftAlone("; ".join((choice.why, *_obstacles(choice))))
    if seen.open_run or not may_do_alone(chosen.rung, allowed):
        return LeftAlone(f"{choice.why}, which is not allowed without a person")
    ref, state = request.asked.component, session.state_namespace
    missing = await lacking(session.kube, needed_to_recover(ref, state, chosen.rung), state)
    if missing:
        return LeftAlone(f"permissions are missing: {'; '.join(map(str, missing))}")
    async with await locked_for(session, ref) as lock:
        taking = _Recovering(session, request, _no_command, allowed)
        done = await taking.under(lock, diagnosis, seen)
    return done if isinstance(done, Acted) else LeftAlone(done.choice.why)


async def _seen(
    session: Session, request: Request, diagnose: Diagnose
) -> tuple[Diagnosis, Situation]:
    """The node that is named, as it is now. Raises NodeUnclearError where it is gone."""
    place = await look(session, request.asked)
    node = place.scene.nodes.get(request.node)
    if node is None:
        raise NodeUnclearError(f"node {request.node} is gone")
    diagnosis = await diagnose(session)
    return diagnosis, await situation(session, request.asked, place, node, diagnosis)


def _obstacles(choice: Choice) -> Sequence[str]:
    """What stands in the way of each rung, the first of it."""
    return [
        f"{item.rung.value}: {item.obstacles[0].what}: {item.obstacles[0].evidence}"
        for item in choice.assessments
        if item.obstacles
    ]


async def _no_command(argv: tuple[str, ...]) -> tuple[int, str]:
    raise ValueError(f"no command is run without a person: {argv}")


class _Recovering:
    """One node, one rung."""

    def __init__(
        self,
        session: Session,
        request: Request,
        command: Command,
        alone: Rung | None = None,
    ) -> None:
        """``alone`` is the highest rung where no person has asked; None where one has."""
        self._session = session
        self._request = request
        self._command = command
        self._alone = alone

    async def go(self, diagnose: Diagnose) -> Taken:
        """What came of it."""
        session, request = self._session, self._request
        ref = request.asked.component
        place = await look(session, request.asked)
        diagnosis = await diagnose(session)
        nodes = nodes_of(place, request, diagnosis)
        if not nodes and request.rung is None:
            return explanation(place, request, diagnosis)
        node = _one(nodes)
        seen = await situation(session, request.asked, place, node, diagnosis)
        choice = _consented(seen, request)
        rung = choice.chosen.rung if choice.chosen is not None else request.rung
        if choice.chosen is not None and rung is Rung.WAIT:
            return await waited(session, seen, choice.chosen)
        if place.records.unread is not None and choice.assessments:
            without = place.records.unread
            refused = await self._not_allowed(ref, rung or choice.assessments[0].rung, without)
            return refused or Explained(situation=seen, choice=choice)
        if choice.chosen is not None and rung is Rung.ROLL_BACK:
            return await rollback(session, ref, Options())
        if seen.open_run and rung not in {Rung.ROLL_BACK, Rung.WAIT}:
            raise ClaimedError(str(ref), seen.open_run)
        if _only_time_is_missing(request, choice):
            readings = await dead_long_enough(session, seen)
            seen = await situation(
                session, request.asked, await look(session, request.asked), node, diagnosis
            )
            seen = msgspec.structs.replace(seen, readings=readings)
            choice = _consented(seen, request)
        chosen = choice.chosen
        wanted = chosen.rung if chosen is not None else _only_rights_lack(seen, choice)
        if wanted is not None and (refused := await self._not_allowed(ref, wanted)) is not None:
            return refused
        if choice.chosen is None:
            return Explained(situation=seen, choice=choice)
        async with await locked_for(session, ref) as lock:
            return await self.under(lock, diagnosis, seen)

    async def _not_allowed(
        self, ref: ComponentRef, rung: Rung, without: Unread | None = None
    ) -> NotAllowed | None:
        """Permissions that are missing, all at once and before anything is written.

        ``without`` are records that could not be read: nobody knows then what was done before.
        """
        kube, state = self._session.kube, self._session.state_namespace
        needed = needed_to_recover(ref, state, rung)
        missing = await lacking(kube, needed, state)
        if without is not None and not missing:
            missing = (Missing(needed[0]),)
        if not missing:
            return None
        user = (await kube.self_subject_review()).username
        own = tuple(Missing(item) for item in needed)
        why = f"the limits of recovery cannot be judged: {without.why}" if without else ""
        return NotAllowed(missing, user, (*complete(missing, ref, state), *own), why)

    async def under(self, lock: Lock, diagnosis: Diagnosis, before: Situation) -> Explained | Acted:
        """Look once more: what was true before the lock may not be any longer."""
        session, request = self._session, self._request
        place = await look(session, request.asked)
        node = place.scene.nodes.get(before.node.name)
        if node is None:
            raise NodeUnclearError(f"node {before.node.name} is gone")
        seen = await situation(session, request.asked, place, node, diagnosis)
        if seen.open_run:
            raise ClaimedError(str(request.asked.component), seen.open_run)
        seen = msgspec.structs.replace(seen, readings=before.readings)
        choice = _consented(seen, request)
        alone = self._alone
        beyond = alone is not None and not (
            choice.chosen is not None and may_do_alone(choice.chosen.rung, alone)
        )
        if choice.chosen is None or beyond:
            return Explained(situation=seen, choice=choice)
        user = (await session.kube.self_subject_review()).username
        hand = Acting(session, seen, lock.check, owner=request.owner, identity=user)
        if choice.chosen.rung.by_hand:
            return await hand.by_command(choice.chosen, request.command, self._command)
        return await hand.act(choice.chosen)


async def locked_for(session: Session, ref: ComponentRef) -> Lock:
    """The component's lock. Raises HeldError while somebody else lives, Stopped when told to."""
    duration = LockSettings().duration
    user = await session.kube.self_subject_review()
    lock = ComponentLock(
        session.kube,
        session.state_namespace,
        ref,
        duration=duration,
        holder=holder_name("recover", user.username, session.host, session.kube.chance),
        wall=session.clock,
        steady=session.steady,
    )
    waiting = lock.acquire(duration * PATIENCE, from_the_living=False)
    return await unless_stopped(session, waiting)


def _consented(seen: Situation, request: Request) -> Choice:
    """What consent reaches: a dead name is removed only where a person names that rung."""
    choice = judged(seen, request)
    chosen = choice.chosen
    if chosen is None or chosen.rung is not Rung.DEAD_NAME or request.rung is chosen.rung:
        return choice
    why = f"{chosen.rung.value} is taken only where a person names it: --rung {chosen.rung.value}"
    return msgspec.structs.replace(choice, chosen=None, why=why)


def judged(seen: Situation, request: Request) -> Choice:
    """The rung that was named, whether it is ready or not; else what fits."""
    if request.rung is None:
        return choose(seen)
    named = assess(seen, request.rung, request.command)
    why = "a person names it" if named.ready else "a precondition does not hold, or is not known to"
    return Choice(assessments=(named,), chosen=named if named.ready else None, why=why)


def _only_rights_lack(seen: Situation, choice: Choice) -> Rung | None:
    """A rung in whose way nothing stands but a dry run that was not allowed."""
    tried = seen.dry_run
    if not tried.grant:
        return None
    for item in choice.assessments:
        if item.obstacles and all(one.evidence == tried.said for one in item.obstacles):
            return item.rung
    return None


def _only_time_is_missing(request: Request, choice: Choice) -> bool:
    """Whether R5 was named and nothing but the length of time is not known."""
    named: tuple[Assessment, ...] = choice.assessments
    if request.rung is not Rung.DEAD_NAME or choice.chosen is not None:
        return False
    obstacles = named[0].obstacles
    return len(obstacles) == 1 and "has shown 0/0" in obstacles[0].what


def nodes_of(place: Place, request: Request, diagnosis: Diagnosis) -> tuple[Node, ...]:
    """The node that was named; else all of the plugin on which something is wrong."""
    nodes = place.scene.nodes
    if request.node:
        if request.node not in nodes:
            raise NodeUnclearError(f"there is no node {request.node}")
        return (nodes[request.node],)
    wrong = (item for item in diagnosis.causes if item.severity is not Severity.INFO)
    named = {name for item in wrong for name in item.nodes}
    mine = {node.name for node in place.scene.wanted_on(place.plugin)}
    mine |= {pod.node for pod in place.plugin.pods}
    short = {
        node.name
        for node in nodes.values()
        for resource in place.plugin.resources
        for expected in [place.scene.expected(node.name, resource)]
        for offer in [node.offer(resource)]
        if expected is not None and (offer.allocatable if offer else 0) < expected.count
    }
    return tuple(nodes[name] for name in sorted(mine & (named | short)) if name in nodes)


def _one(found: Sequence[Node]) -> Node:
    if len(found) == 1:
        return found[0]
    if not found:
        raise NodeUnclearError("no node needs help: name the one that is meant")
    names = few([node.name for node in found], 10)
    raise NodeUnclearError(f"{len(found)} nodes need help ({names}): name one")

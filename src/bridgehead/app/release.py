"""The use case ``release``: give back what a run has left, even when nobody can go on with it."""

import msgspec

from bridgehead.app.locking import tell_holder
from bridgehead.app.open_run import at_its_run, open_run, over, write_ending
from bridgehead.app.session import Session, unless_stopped
from bridgehead.cluster.anchor import parse_anchor
from bridgehead.cluster.errors import BrokenJournalError, ClaimedError, UnreadableRunError
from bridgehead.cluster.letting_go import LettingGo, is_own
from bridgehead.cluster.lock import PATIENCE, ComponentLock, Lock, holder_name
from bridgehead.cluster.names import recoveries_name
from bridgehead.cluster.read import read_snapshot
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.components.resources import pods_of
from bridgehead.core.model.component import Component
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.plan.settings import ComponentRef, LockSettings
from bridgehead.core.rollout.facts import closes
from bridgehead.core.rollout.state import Ending, Mode
from bridgehead.core.rollout.transition import UnknownRecordError, fold
from bridgehead.kube.errors import PatchTestFailed


class OfRevision(msgspec.Struct, frozen=True):
    """A pod of the component, with the hash and the number (0: unknown) of its revision."""

    node: str
    pod: str
    revision: str
    number: int


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What runs of a component have left in the cluster."""

    component: Component | None
    """The component, where it carries annotations of ours."""
    nodes: tuple[Node, ...]
    pods: tuple[Pod, ...]
    differing: tuple[OfRevision, ...]
    """Pods of the component that are not of the standing template."""
    agreeing: tuple[OfRevision, ...] = ()
    """Those that are."""
    goes_on: Mode | None = None
    """How its run stands, where pods differ and somebody can still go on with it."""
    unread: tuple[Unread, ...] = ()
    """What could not be read. With anything here the rest is not all, and nothing is written."""

    @property
    def nothing(self) -> bool:
        """Whether there is nothing to give back, as far as was read."""
        return self.component is None and not self.nodes and not self.pods


class Released(msgspec.Struct, frozen=True, kw_only=True):
    """What was done about it."""

    left: Left
    done: tuple[tuple[str, str], ...] = ()
    """Objects and what became of them."""
    changed: bool = False
    """The component was changed at that moment and keeps its marks."""


async def release(session: Session, ref: ComponentRef, *, dry_run: bool) -> Released:
    """Uncordon what runs of the component cordoned, remove their pods, restore its strategy.

    Where pods differ from the standing template the strategy stays OnDelete: with RollingUpdate
    back, the controller would replace them all at once. Nothing is written, no lock either, where
    there is nothing to give back or not all could be read: pods that are not seen may differ.
    Raises HeldError while a runner lives, and Stopped where it is told to stop before it has the
    lock.
    """
    session = await at_its_run(session, ref)
    left = await _left(session, ref)
    if dry_run or left.unread or (left.nothing and not await _unclosed(session, ref)):
        return Released(left=left)  # without the lock: taking it writes to the cluster
    async with await _lock(session, ref) as lock:
        left = await _left(session, ref)
        if left.unread:
            return Released(left=left)
        hand = LettingGo(session.kube, lock.check)
        done = [(f"node/{node.name}", await hand.node(node)) for node in left.nodes]
        done += [(f"pod/{pod.ref}", await hand.pod(pod)) for pod in left.pods]
        user = (await session.kube.self_subject_review()).username
        if left.component is not None and not left.differing:
            try:
                await hand.component(left.component)
            except PatchTestFailed:
                return Released(left=left, done=tuple(done), changed=True)
            done.append((left.component.ref, "former update strategy restored, marks removed"))
        done += await _close(session, ref, left, user)
        return Released(left=left, done=tuple(done))


async def _lock(session: Session, ref: ComponentRef) -> Lock:
    user = await session.kube.self_subject_review()
    duration = LockSettings().duration
    lock = ComponentLock(
        session.kube,
        session.state_namespace,
        ref,
        duration=duration,
        holder=holder_name("release", user.username, session.host, session.kube.chance),
        wall=session.clock,
        steady=session.steady,
    )
    await tell_holder(session, ref)
    waiting = lock.acquire(duration * PATIENCE, from_the_living=False)
    return await unless_stopped(session, waiting)


async def _left(session: Session, ref: ComponentRef) -> Left:
    """What is there now. ClaimedError where another run, of another namespace, has come since."""
    snapshot = await read_snapshot(session.kube, now=session.clock(), namespaces=(ref.namespace,))
    component = _named(snapshot, ref)
    store = RunStore(session.kube, session.state_namespace)
    runs = {item.run for item in await store.list_runs(ref)}
    runs.add(recoveries_name(ref))
    anchor = parse_anchor(component.anchor) if component else None
    if anchor is not None:
        if anchor.namespace != session.state_namespace:
            raise ClaimedError(str(ref), str(anchor))
        runs.add(anchor.run)
    names = frozenset(runs)
    differing, agreeing = _compared(snapshot, component)
    marked = component if component is not None and component.anchor else None
    return Left(
        component=marked,
        nodes=tuple(node for node in snapshot.nodes if node.held_by in names),
        pods=tuple(pod for pod in snapshot.pods if is_own(pod, names)),
        differing=differing,
        agreeing=agreeing,
        goes_on=await _goes_on(session, marked) if marked is not None and differing else None,
        unread=tuple(item for item in snapshot.unread if item.what not in _NOT_NEEDED),
    )


_NOT_NEEDED = frozenset({"pods of other namespaces", "version of the server"})
"""Our pods and the component's are all in its namespace."""


def _named(snapshot: Snapshot, ref: ComponentRef) -> Component | None:
    wanted = (ref.namespace, ref.name)
    found = (item for item in snapshot.components if (item.namespace, item.name) == wanted)
    return next(found, None)


def _compared(
    snapshot: Snapshot, component: Component | None
) -> tuple[tuple[OfRevision, ...], tuple[OfRevision, ...]]:
    """The component's pods: those that are not of the standing template, and those that are."""
    if component is None:
        return (), ()
    revisions = snapshot.revisions_of(component)
    numbers = {item.hash: item.number for item in revisions}
    standing = {
        item.hash for item in revisions if item.template_digest == component.template_digest
    }
    pods = sorted(
        (
            OfRevision(pod.node, pod.name, pod.revision, numbers.get(pod.revision, 0))
            for pod in pods_of(component, snapshot.pods)
            if not pod.terminal
        ),
        key=lambda item: (item.node, item.pod),
    )
    return (
        tuple(item for item in pods if item.revision not in standing),
        tuple(item for item in pods if item.revision in standing),
    )


async def _goes_on(session: Session, component: Component) -> Mode | None:
    """How the run stands that keeps the component; None where nobody can go on with it."""
    try:
        found = await open_run(session, component)
        if not isinstance(found, Record):
            return None
        state = fold(await RunStore(session.kube, session.state_namespace).entries(found.run))
    except (UnreadableRunError, BrokenJournalError, UnknownRecordError):
        return None
    ending = state.ending
    stuck = ending is not None and (
        ending.given_up
        or ending.rollback_helps is False
        or (ending.stray is not None and ending.stray.in_the_way)
    )
    return None if stuck else state.mode


async def _unclosed(session: Session, ref: ComponentRef) -> bool:
    """Whether a run of the component does not say that it is over."""
    store = RunStore(session.kube, session.state_namespace)
    for item in reversed(await store.list_runs(ref)):
        try:
            if not any(closes(entry) for entry in await store.last_page(item.run)):
                return True
        except UnreadableRunError:
            return True
    return False


async def _close(
    session: Session, ref: ComponentRef, left: Left, user: str
) -> list[tuple[str, str]]:
    """End every run of the component of which nothing is left: nobody shall go on with it.

    That is also one whose component is gone or was replaced. One whose record cannot be read stays
    as it is: it holds nothing any more.
    """
    store = RunStore(session.kube, session.state_namespace)
    anchor = parse_anchor(left.component.anchor) if left.component is not None else None
    done = []
    for item in reversed(await store.list_runs(ref)):
        if anchor is not None and anchor.run == item.run and left.differing:
            continue
        try:
            state = fold(await store.entries(item.run))
        except (UnreadableRunError, BrokenJournalError, UnknownRecordError) as error:
            remove = f"kubectl delete configmap -n {session.state_namespace} {item.run}"
            done.append((f"run/{item.run}", f"not closed: {error}; when looked into: {remove}"))
            continue
        if state.mode is Mode.ENDED:
            continue
        released = Ending(exit=4, summary=f"released by {user}")
        unheard = over(session.state_namespace, item.run, state, left.component)
        await write_ending(session, store, item.run, unheard or released, user)
        done.append((f"run/{item.run}", "closed"))
    return done

"""The use case ``release``: give back what a run has left, even when nobody can go on with it."""

import msgspec

from bridgehead.app.rollout import tell_holder
from bridgehead.app.runner import Session
from bridgehead.cluster.anchor import parse_anchor
from bridgehead.cluster.errors import NoSuchRunError
from bridgehead.cluster.letting_go import LettingGo, is_own
from bridgehead.cluster.lock import ComponentLock, Lock, holder_name
from bridgehead.cluster.read import read_snapshot
from bridgehead.cluster.store import RunStore
from bridgehead.core.components.resources import pods_of
from bridgehead.core.journal.chain import Signature
from bridgehead.core.model.component import Component
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Snapshot
from bridgehead.core.plan.settings import ComponentRef, LockSettings
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.state import Ending, Mode
from bridgehead.core.rollout.transition import fold


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What runs of a component have left in the cluster."""

    component: Component | None
    """The component, where it carries annotations of ours."""
    nodes: tuple[Node, ...]
    pods: tuple[Pod, ...]
    differing: tuple[tuple[str, str], ...]
    """Nodes with the hash of a pod that is not of the standing template."""

    @property
    def nothing(self) -> bool:
        """Whether there is nothing to give back."""
        return self.component is None and not self.nodes and not self.pods


class Released(msgspec.Struct, frozen=True, kw_only=True):
    """What was done about it."""

    left: Left
    done: tuple[tuple[str, str], ...] = ()
    """Objects and what became of them."""


async def release(session: Session, ref: ComponentRef, *, dry_run: bool) -> Released:
    """Uncordon what runs of the component cordoned, remove their pods, restore its strategy.

    Where pods differ from the standing template the strategy stays OnDelete: with RollingUpdate
    back, the controller would replace them all at once. Raises HeldError while a runner lives.
    """
    if dry_run:
        return Released(left=await _left(session, ref))
    async with await _lock(session, ref) as lock:
        left = await _left(session, ref)
        hand = LettingGo(session.kube, lock.check)
        done = [(f"node/{node.name}", await hand.node(node)) for node in left.nodes]
        done += [(f"pod/{pod.ref}", await hand.pod(pod)) for pod in left.pods]
        if left.component is not None and not left.differing:
            await hand.component(left.component)
            done.append((left.component.ref, "former update strategy restored, marks removed"))
            await _close(session, left.component)
        return Released(left=left, done=tuple(done))


async def _lock(session: Session, ref: ComponentRef) -> Lock:
    user = await session.kube.self_subject_review()
    duration = LockSettings().duration
    lock = ComponentLock(
        session.kube,
        session.state_namespace,
        ref,
        duration=duration,
        holder=holder_name("release", user.username, session.host),
        wall=session.clock,
    )
    await tell_holder(session, ref)
    return await lock.acquire(duration * 1.5, from_the_living=False)


async def _left(session: Session, ref: ComponentRef) -> Left:
    snapshot = await read_snapshot(session.kube, now=session.clock(), namespaces=(ref.namespace,))
    component = _named(snapshot, ref)
    store = RunStore(session.kube, session.state_namespace)
    runs = {item.run for item in await store.list_runs(ref)}
    anchor = parse_anchor(component.anchor) if component else None
    if anchor is not None:
        runs.add(anchor.run)
    names = frozenset(runs)
    return Left(
        component=component if component is not None and component.anchor else None,
        nodes=tuple(node for node in snapshot.nodes if node.held_by in names),
        pods=tuple(pod for pod in snapshot.pods if is_own(pod, names)),
        differing=_differing(snapshot, component),
    )


def _named(snapshot: Snapshot, ref: ComponentRef) -> Component | None:
    wanted = (ref.namespace, ref.name)
    found = (item for item in snapshot.components if (item.namespace, item.name) == wanted)
    return next(found, None)


def _differing(snapshot: Snapshot, component: Component | None) -> tuple[tuple[str, str], ...]:
    if component is None:
        return ()
    standing = {
        item.hash
        for item in snapshot.revisions_of(component)
        if item.template_digest == component.template_digest
    }
    pods = pods_of(component, snapshot.pods)
    return tuple(
        sorted(
            (pod.node, pod.revision)
            for pod in pods
            if not pod.terminal and pod.revision not in standing
        )
    )


async def _close(session: Session, component: Component) -> None:
    """End the run that held the component, where it has a record: nobody shall go on with it."""
    anchor = parse_anchor(component.anchor)
    if anchor is None:
        return
    store = RunStore(session.kube, anchor.namespace)
    try:
        state = fold(await store.entries(anchor.run))
    except NoSuchRunError:
        return
    if state.mode is Mode.ENDED:
        return
    user = await session.kube.self_subject_review()
    ending = Ending(exit=4, summary=f"released by {user.username}")
    detail = {"ending": msgspec.to_builtins(ending), "closed": "true"}
    signature = Signature(run=anchor.run, owner="", identity=user.username)
    await store.append(
        anchor.run, (note("run", "ended", detail=detail),), signature, session.clock()
    )

"""The lock of a component as a use case takes it: told whom it waits for, and stopped meanwhile."""

from bridgehead.app.session import Session, unless_stopped
from bridgehead.cluster.lease import Sighting
from bridgehead.cluster.lock import PATIENCE, ComponentLock, Lock, holder_name
from bridgehead.cluster.read import read_holder
from bridgehead.core.plan.settings import ComponentRef, RolloutSpec


async def locked(
    session: Session, spec: RolloutSpec, run: str, user: str, *, known: Sighting | None = None
) -> Lock:
    """The component's lock, as long as its holder needs to be told alive or dead. HeldError.

    ``known`` is how the lock was seen before, by the same clock: its holder was told then.
    """
    lock = ComponentLock(
        session.kube,
        session.state_namespace,
        spec.component,
        duration=spec.lock.duration,
        holder=holder_name(run, user, session.host, session.kube.chance),
        wall=session.clock,
        steady=session.steady,
    )
    if known is None:
        await tell_holder(session, spec.component)
    waiting = lock.acquire(spec.lock.duration * PATIENCE, from_the_living=False, known=known)
    return await unless_stopped(session, waiting)


async def tell_holder(session: Session, component: ComponentRef) -> None:
    """Say whom we wait for: whether a holder still lives shows only when it renews, or does not."""
    holder = await read_holder(session.kube, session.state_namespace, component)
    if holder:
        session.watcher.say(f"locked by {holder}; waiting to see whether it still lives")

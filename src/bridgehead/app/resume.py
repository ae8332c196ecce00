"""Going on with an open run as its runner, whatever stopped the one before."""

import msgspec

from bridgehead.app.limits import TooShort, bounds, too_short, turned
from bridgehead.app.locking import locked
from bridgehead.app.open_run import over, write_ending
from bridgehead.app.runner import Ended, drive, held_by_next
from bridgehead.app.session import Session
from bridgehead.cluster.anchor import parse_anchor
from bridgehead.cluster.errors import RemovedJournalError
from bridgehead.cluster.lease import Sighting
from bridgehead.cluster.read import read_component
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.component import Component
from bridgehead.core.rollout.adopting import adopted
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode, RunState
from bridgehead.core.rollout.transition import fold


class Over(msgspec.Struct, frozen=True):
    """The run that was to be gone on with ended while its lock was waited for."""

    record: Record
    ended: Ended


async def resume(
    session: Session,
    record: Record,
    component: Component | None,
    user: str,
    *also: Draft,
    known: Sighting | None = None,
    only_to_park: bool = False,
) -> Ended | Over | TooShort:
    """Go on where another runner stopped: take the lock, append first, raise the holder count.

    ``also`` are facts to write beside the takeover, such as a turn back; ``known`` is how the lock
    was seen before, so that a silent holder is not waited for twice. ``only_to_park``: its time is
    over as it begins, so that it parks, sees nodes in flight through, and leaves.
    The former template is parked before any other write: whoever died may have left the target.
    A run that ended while its lock was waited for is over: nothing is written, above all no anchor
    on a component that was let go.
    """
    anchor = parse_anchor(component.anchor) if component is not None else None
    if anchor is not None:
        session = msgspec.structs.replace(session, state_namespace=anchor.namespace)
    async with await locked(session, record.plan.spec, record.run, user, known=known) as lock:
        store = RunStore(session.kube, session.state_namespace)
        entries = await store.entries(record.run)
        if not entries and anchor is not None:  # it is written before the anchor is
            raise RemovedJournalError(
                f"somebody has deleted the journal of run {record.run}: nobody can go on with it"
            )
        limits = _limits(session, record, user, only_to_park=only_to_park)
        run = _run_of(record, fold(entries), limits)
        standing = await read_component(session.kube, record.plan.spec.component)
        ending = over(session.state_namespace, record.run, run.state, standing)
        if ending is not None:
            entries = (*entries, *await write_ending(session, store, record.run, ending, user))
        ending = ending or (run.state.ending if run.state.mode is Mode.ENDED else None)
        if ending is not None:
            return Over(record, Ended(run=run, ending=ending, head=entries[-1].digest))
        goes_back = only_to_park or turned(run, record.control, also)
        short = None if goes_back else too_short(run, session.clock())
        if short is not None:
            return short
        signature = Signature(run=record.run, owner=record.owner, identity=user)
        first = (held_by_next(run.state, adopted(run, standing)), *also)
        return await drive(
            session, store, record, run, signature, lock=lock, first=first, takes_over=True
        )


def _run_of(record: Record, state: RunState, limits: Limits) -> Run:
    plan = record.plan
    return Run(name=record.run, plan=plan, state=state, family=plan.family, limits=limits)


def _limits(session: Session, record: Record, user: str, *, only_to_park: bool) -> Limits:
    limits = bounds(session, record.plan, user)
    if not only_to_park:
        return limits
    return msgspec.structs.replace(limits, until=session.clock(), waits=False)

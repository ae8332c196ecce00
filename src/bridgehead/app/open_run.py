"""Which run holds a component, by the component's own annotation, and which are over unheard."""

import msgspec

from bridgehead.app.session import Session
from bridgehead.cluster.anchor import Anchor, parse_anchor
from bridgehead.cluster.errors import NoSuchRunError
from bridgehead.cluster.read import read_component
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.component import Component
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.rollout.commands import LetGo, Position
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.state import Ending, Mode, RunState
from bridgehead.core.rollout.transition import fold
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden


class Orphaned(msgspec.Struct, frozen=True):
    """The component carries the anchor of a run that has no record (exit 4)."""

    component: str
    anchor: str


async def open_run(session: Session, component: Component) -> Record | Orphaned | None:
    """The open run that the component's anchor names; None where that run is over."""
    anchor = parse_anchor(component.anchor)
    if anchor is None:
        return Orphaned(component.ref, component.anchor)
    store = RunStore(session.kube, anchor.namespace)
    try:
        record = await store.load(anchor.run)
    except NoSuchRunError:
        return Orphaned(component.ref, component.anchor)
    state = fold(await store.entries(anchor.run))
    return None if state.mode is Mode.ENDED else record


async def state_of_its_run(kube: Kube, ref: ComponentRef, otherwise: str) -> str:
    """The state namespace that the component's mark names; ``otherwise`` where there is no mark.

    The record and the lock of the run that keeps it are there.
    """
    anchor = await mark_of(kube, ref)
    return otherwise if anchor is None else anchor.namespace


async def mark_of(kube: Kube, ref: ComponentRef) -> Anchor | None:
    """The mark of the run that keeps the component.

    Where the component may not be read nothing is found out: what comes next says so, as it reads
    it too.
    """
    try:
        component = await read_component(kube, ref)
    except Forbidden:
        return None
    return parse_anchor(component.anchor) if component is not None else None


async def at_its_run(session: Session, ref: ComponentRef) -> Session:
    """The session, with the state namespace of the run that keeps the component."""
    found = await state_of_its_run(session.kube, ref, session.state_namespace)
    return msgspec.structs.replace(session, state_namespace=found)


def over(namespace: str, run: str, state: RunState, component: Component | None) -> Ending | None:
    """How a run ended whose runner died before it could say so; None where it may still go on.

    A run holds its component by the anchor. One without it has let go as its last step, or never
    came to claim the component: either way nothing of it is left to be done.
    """
    anchor = parse_anchor(component.anchor) if component is not None else None
    if state.mode is Mode.ENDED or (anchor and anchor.same_run(Anchor(namespace, run, 0))):
        return None
    if state.let_go or any(isinstance(item, LetGo) for item in state.pending.values()):
        return _let_go(state)
    if not state.taken_over and not state.nodes and not state.pending:
        return Ending(exit=1, summary="it never began; nothing was changed")
    return None


def _let_go(state: RunState) -> Ending:
    """Letting go is the last step before an ending; which one, the way shows."""
    if state.mode is Mode.BACK:
        what = "it had taken back what it changed"
        return Ending(exit=1 if state.refused else 3, summary=f"{what}; {_UNHEARD}")
    if state.mode is Mode.FORWARD and state.template is Position.TARGET:
        return Ending(exit=0, summary=f"its nodes run the new version; {_UNHEARD}")
    return Ending(exit=4, summary=f"it had let its component go; {_UNHEARD}", over=True)


_UNHEARD = "its runner ended before it could say so"


async def close_unheard(
    session: Session, ref: ComponentRef, component: Component | None, user: str
) -> None:
    """Write the ending of the component's newest runs that are over and do not say so.

    To be called under the component's lock: without it a run that is just beginning looks alike.
    It stops at the first that has an ending: whoever began that one has closed those before it.
    """
    store = RunStore(session.kube, session.state_namespace)
    for listed in reversed(await store.list_runs(ref)):
        state = fold(await store.entries(listed.run))
        if state.mode is Mode.ENDED:
            return
        ending = over(session.state_namespace, listed.run, state, component)
        if ending is not None:
            await write_ending(session, store, listed.run, ending, user)


async def write_ending(
    session: Session, store: RunStore, run: str, ending: Ending, user: str
) -> tuple[Entry, ...]:
    """End a run that nobody shall go on with; ``store`` is the one that has read its entries."""
    detail = {"ending": msgspec.to_builtins(ending), "closed": "true"}
    signature = Signature(run=run, owner="", identity=user)
    return await store.append(
        run, (note("run", "ended", detail=detail),), signature, session.clock()
    )

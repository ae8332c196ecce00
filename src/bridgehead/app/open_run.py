"""Which run holds a component, by the component's own annotation."""

import msgspec

from bridgehead.app.runner import Session
from bridgehead.cluster.anchor import parse_anchor
from bridgehead.cluster.errors import NoSuchRunError
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.model.component import Component
from bridgehead.core.rollout.state import Mode
from bridgehead.core.rollout.transition import fold


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

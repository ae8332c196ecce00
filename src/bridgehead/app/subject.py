"""The run that a command is about, named by its spec, its component, or its own name."""

import msgspec

from bridgehead.app.component_ref import RunName
from bridgehead.app.open_run import Orphaned, over
from bridgehead.app.rollout import Busy, differences
from bridgehead.app.session import Session
from bridgehead.cluster.anchor import parse_anchor
from bridgehead.cluster.convert import component_from
from bridgehead.cluster.errors import NoSuchRunError
from bridgehead.cluster.read import read_component
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.model.component import Component
from bridgehead.core.plan.plan import Refusal
from bridgehead.core.plan.refuse import component_missing
from bridgehead.core.plan.settings import ComponentRef, RolloutSpec
from bridgehead.core.rollout.state import Ending, Mode, RunState
from bridgehead.core.rollout.transition import fold
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden
from bridgehead.kube.resources import DAEMON_SETS

Subject = ComponentRef | RunName | RolloutSpec
"""A spec names its component, and says that no other change of it is meant."""


class OpenRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that still keeps its component, as it stood when it was looked for."""

    namespace: str
    """Where its record is."""
    record: Record
    state: RunState
    component: Component | None


class NothingOpen(msgspec.Struct, frozen=True, kw_only=True):
    """No run keeps the component; ``run`` is its newest one, if it ever had one."""

    subject: str
    run: str = ""
    ending: Ending | None = None
    absent: Refusal | None = None
    """That there is no such component, where it never had a run either: its name is mistyped."""


async def find(session: Session, subject: Subject) -> OpenRun | NothingOpen | Orphaned | Busy:
    """The open run that is meant. Reads only.

    Raises NoSuchRunError for a name that no run has, and what else reading a run raises.
    """
    if isinstance(subject, RunName):
        return await _stands(session, session.state_namespace, subject.name)
    ref = subject.component if isinstance(subject, RolloutSpec) else subject
    component = await read_component(session.kube, ref)
    found = await _of(session, ref, component)
    if isinstance(found, OpenRun) and isinstance(subject, RolloutSpec):
        differing = differences(found.record.plan.spec, subject)
        if differing:
            return Busy(found.record.run, f"its spec differs in {', '.join(differing)}")
    return found


async def _of(
    session: Session, ref: ComponentRef, component: Component | None
) -> OpenRun | NothingOpen | Orphaned:
    if component is not None and component.anchor:
        anchor = parse_anchor(component.anchor)
        if anchor is None:
            return Orphaned(component.ref, component.anchor)
        try:
            return await _stands(session, anchor.namespace, anchor.run, component)
        except NoSuchRunError:
            return Orphaned(component.ref, component.anchor)
    runs = await RunStore(session.kube, session.state_namespace).list_runs(ref)
    if not runs:
        absent = await absence(session.kube, ref, component)
        return NothingOpen(subject=str(ref), absent=absent)
    return await _stands(session, session.state_namespace, runs[-1].run, component)


async def absence(kube: Kube, ref: ComponentRef, component: Component | None) -> Refusal | None:
    """That there is no such component, with what may be meant as far as it may be read."""
    if component is not None:
        return None
    try:
        found = (await kube.list_raw(DAEMON_SETS)).items
    except Forbidden:
        found = ()
    return component_missing(ref, [component_from(item) for item in found])


async def _stands(
    session: Session, namespace: str, run: str, component: Component | None = None
) -> OpenRun | NothingOpen:
    store = RunStore(session.kube, namespace)
    record = await store.load(run)
    state = fold(await store.entries(run))
    if component is None:
        component = await read_component(session.kube, record.plan.spec.component)
    ending = state.ending if state.mode is Mode.ENDED else over(namespace, run, state, component)
    if ending is not None:
        return NothingOpen(subject=str(record.plan.spec.component), run=run, ending=ending)
    return OpenRun(namespace=namespace, record=record, state=state, component=component)


async def component_named(session: Session, subject: Subject) -> ComponentRef:
    """The component that is meant. Raises NoSuchRunError for a name that no run has."""
    if isinstance(subject, ComponentRef):
        return subject
    if isinstance(subject, RolloutSpec):
        return subject.component
    record = await RunStore(session.kube, session.state_namespace).load(subject.name)
    return record.plan.spec.component


async def component_of(session: Session, subject: Subject) -> ComponentRef | Busy:
    """The same, for commands that are about whatever the component's last run was.

    A run by its name is meant only as long as no other has come after it. Raises NoSuchRunError.
    """
    ref = await component_named(session, subject)
    if not isinstance(subject, RunName):
        return ref
    store = RunStore(session.kube, session.state_namespace)
    newest = (await store.list_runs(ref))[-1].run
    return ref if newest == subject.name else Busy(newest, f"it came after {subject.name}")

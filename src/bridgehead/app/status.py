"""The use case ``status``: which runs there are, how they stand, and what is left of them."""

from contextlib import suppress

import msgspec

from bridgehead.app.component_ref import RunName
from bridgehead.app.limits import zones
from bridgehead.app.open_run import over
from bridgehead.cluster.anchor import parse_anchor
from bridgehead.cluster.convert import component_from, node_from, pod_from
from bridgehead.cluster.errors import BrokenJournalError, NoSuchRunError, UnreadableRunError
from bridgehead.cluster.holds import HoldWatch
from bridgehead.cluster.names import RUN_LABEL
from bridgehead.cluster.read import read_component, read_holder
from bridgehead.cluster.record import Listed, Record
from bridgehead.cluster.recoveries import journals
from bridgehead.cluster.store import RunStore
from bridgehead.core.components.resources import owns
from bridgehead.core.model.component import Component
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.rollout.control import UnreadableRequestError, readable, requests
from bridgehead.core.rollout.facts import closes
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.standing import Standing, standing
from bridgehead.core.rollout.state import Mode, RunState
from bridgehead.core.rollout.transition import UnknownRecordError, fold
from bridgehead.core.rollout.wishes import Used, Wishes, used, wishes
from bridgehead.kube.client import Kube
from bridgehead.kube.resources import DAEMON_SETS, NODES, PODS


async def status(
    kube: Kube, state_namespace: str, subject: ComponentRef | RunName | None, now: float
) -> tuple[Standing, ...]:
    """The named run; a component's open runs, else its last one; all open runs. Reads only.

    Newest first. ``now`` is in seconds since the epoch. Marks of runs that have no record are found
    by ``orphans``, runs that cannot be read by ``damaged``. Raises KubeError, and for a named run
    NoSuchRunError, UnreadableRunError and BrokenJournalError.
    """
    store = RunStore(kube, state_namespace)
    if isinstance(subject, RunName):
        return (await stand(kube, store, await store.load(subject.name), state_namespace, now),)
    found = []
    for item in reversed(await _candidates(store, subject)):
        with suppress(*_DAMAGE):
            record = await store.load(item.run)
            found.append(await stand(kube, store, record, state_namespace, now))
    open_ones = tuple(item for item in found if item.open)
    return open_ones or (tuple(found[:1]) if subject is not None else ())


async def damaged(
    kube: Kube, state_namespace: str, subject: ComponentRef | None
) -> tuple[tuple[str, str, str], ...]:
    """Runs that cannot be read, as run, component and why: somebody has changed their record.

    What they hold is not known from them; ``release`` gives it back by the marks alone.
    """
    store = RunStore(kube, state_namespace)
    found = []
    for item in await _candidates(store, subject):
        try:
            await store.load(item.run)
            fold(await store.entries(item.run))
        except _DAMAGE as error:
            found.append((item.run, item.component, str(error)))
    return tuple(found)


_DAMAGE = (UnreadableRunError, BrokenJournalError, UnknownRecordError)


async def orphans(
    kube: Kube, state_namespace: str, subject: ComponentRef | None
) -> tuple[tuple[str, str], ...]:
    """Components, and without a subject nodes, that carry the mark of a run without a record.

    Each with the mark. Somebody has deleted the record: nobody can go on with such a run, and
    ``release`` gives back what it left: by the component, or by the run's name where only nodes
    still carry it. Raises KubeError.
    """
    if subject is not None:
        one = await read_component(kube, subject)
        marked = [one] if one is not None and one.anchor else []
    else:
        found = (component_from(raw) for raw in (await kube.list_raw(DAEMON_SETS)).items)
        marked = [item for item in found if item.anchor]
    lost = [(item.ref, item.anchor) for item in marked if not await _recorded(kube, item)]
    if subject is None:
        anchors = (parse_anchor(item.anchor) for item in marked)
        known = {anchor.run for anchor in anchors if anchor is not None}
        known |= {item.run for item in await RunStore(kube, state_namespace).list_runs()}
        known |= (await journals(kube, state_namespace)).keys()
        nodes = [node_from(item) for item in (await kube.list(NODES)).items]
        held = ((f"node/{node.name}", node.held_by) for node in nodes)
        lost += [(node, run) for node, run in held if run and run not in known]
    return tuple(lost)


async def kept_by_recovery(
    kube: Kube, state_namespace: str, subject: ComponentRef | None
) -> tuple[tuple[str, str], ...]:
    """Nodes that recovery keeps cordoned, each with its component; they wait for ``release``."""
    components = await journals(kube, state_namespace)
    if not components:
        return ()
    nodes = [node_from(item) for item in (await kube.list(NODES)).items]
    held = ((node.name, components.get(node.held_by, "")) for node in nodes)
    wanted = str(subject) if subject is not None else ""
    return tuple((name, ref) for name, ref in held if ref and wanted in {"", ref})


async def _recorded(kube: Kube, component: Component) -> bool:
    anchor = parse_anchor(component.anchor)
    if anchor is None:
        return False
    try:
        await RunStore(kube, anchor.namespace).load(anchor.run)
    except NoSuchRunError:
        return False
    except UnreadableRunError:
        pass  # it has one, and ``damaged`` tells of it
    return True


async def _candidates(store: RunStore, subject: ComponentRef | None) -> list[Listed]:
    """Runs that may be shown: those still open, and the newest, which may be over."""
    runs = await store.list_runs(subject)
    return [item for item in runs if item is runs[-1] or not await _says_it_ended(store, item.run)]


async def _says_it_ended(store: RunStore, run: str) -> bool:
    """Whether its last segment holds its ending: other runs' journals are not read for that.

    Where an ending is followed by so many records that it is not in the last segment, this says no,
    and whoever asks looks at the whole journal.
    """
    with suppress(UnreadableRunError):
        return any(closes(entry) for entry in await store.last_page(run))
    return False


async def stand(
    kube: Kube, store: RunStore, record: Record, state_namespace: str, now: float
) -> Standing:
    """How one run stands at ``now``."""
    plan = record.plan
    ref = plan.spec.component
    entries = await store.entries(record.run)
    state = fold(entries)
    component = await read_component(kube, ref)
    holder = await read_holder(kube, state_namespace, ref)
    ending = over(state_namespace, record.run, state, component)
    if ending is not None and not holder.startswith(f"{record.run}/"):
        state = msgspec.structs.replace(state, mode=Mode.ENDED, ending=ending)
    pods = (await kube.list(PODS, ref.namespace)).items
    models = [pod_from(item) for item in pods]
    nodes = {item.metadata.name: node_from(item) for item in (await kube.list(NODES)).items}
    # Locks are shown whether they have expired or not: nothing is decided by them here.
    holds = HoldWatch(kube, lambda: 0.0, lambda: 0.0)
    await holds.find()
    await holds.refresh()
    shown = standing(
        run=record.run,
        owner=record.owner,
        plan=plan,
        state=state,
        component=component,
        pods=tuple(pod for pod in models if component is not None and owns(component, pod)),
        own=tuple(pod for pod in models if pod.labels.get(RUN_LABEL) == record.run),
        nodes=tuple(holds.on(nodes).values()),
        holder=holder,
        now=now,
    )
    if not shown.open:  # what its nodes carry now belongs to later changes
        return msgspec.structs.replace(shown, nodes=())
    runner = entries[-1].identity if entries else ""
    return msgspec.structs.replace(shown, wishes=_wishes(record, state, runner, now, used(entries)))


def _wishes(record: Record, state: RunState, runner: str, now: float, by: Used) -> Wishes:
    """What people want of an open run; approvals are judged against whoever ran it last."""
    plan = record.plan
    limits = Limits(identity=runner, zones=zones(plan))
    run = Run(name=record.run, plan=plan, state=state, family=plan.family, limits=limits)
    try:
        return wishes(run, requests(record.control), now, used=by)
    except UnreadableRequestError as error:
        asked = readable(record.control)
        return wishes(run, asked, now, unreadable=str(error), used=by)


async def newest_run(store: RunStore, component: ComponentRef) -> str:
    """The component's newest run; empty where it has none."""
    runs = await store.list_runs(component)
    return runs[-1].run if runs else ""

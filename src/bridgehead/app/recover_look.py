"""Looks at one plugin on one node, with all that recovery's preconditions ask for. Reads only."""

from collections.abc import Iterable

import msgspec

from bridgehead.app.expectation import LastRun
from bridgehead.app.recover_records import Records, read_records
from bridgehead.app.session import Session
from bridgehead.app.subject import OpenRun
from bridgehead.cluster.dry_run import pod_refusal
from bridgehead.cluster.names import recoveries_name
from bridgehead.cluster.read import read_snapshot
from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.diagnose.node_times import starts_of
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.findings.observed import Observed, Reading, event_of
from bridgehead.core.findings.standing import few
from bridgehead.core.inventory.cohort import cohort_of
from bridgehead.core.model.json import JsonObject, children, text
from bridgehead.core.model.node import Node
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.core.recover.limits import LIMITS, Limits
from bridgehead.core.recover.situation import Answer, Situation, WayBack, causes_of
from bridgehead.core.rollout.state import Mode, NodeStatus
from bridgehead.kube.errors import Forbidden, NotFound
from bridgehead.kube.resources import EVENTS, NODES, PODS


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be recovered, as far as it was named, and what is known from elsewhere."""

    component: ComponentRef
    resource: str = ""
    by_person: bool = False
    """Whether a person named the rung."""
    baseline: Snapshot | None = None
    own_run: str = ""
    """A run that may keep the component: the one in whose name this recovers."""
    limits: Limits = LIMITS


class NoSuchPluginError(Exception):
    """The component is not there, or is no device plugin; the message says which."""


class Place(msgspec.Struct, frozen=True):
    """The plugin in its cluster, at one time, and what is recorded of it."""

    scene: Scene
    plugin: Plugin
    records: Records

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What could not be read of either."""
        records = (self.records.unread,) if self.records.unread is not None else ()
        return (*self.scene.observed.unread, *records)


async def plugins_there(session: Session) -> tuple[tuple[ComponentRef, ...], tuple[Unread, ...]]:
    """All device plugins of the cluster, by name, and what keeps others from being seen.

    Raises KubeError.
    """
    snapshot = await read_snapshot(session.kube, now=session.clock())
    refs = (
        ComponentRef(ComponentKind.DAEMON_SET, item.namespace, item.name)
        for item in sorted(snapshot.components, key=lambda item: item.ref)
        if is_device_plugin(item)
    )
    return tuple(refs), snapshot.unread


async def look(session: Session, asked: Asked) -> Place:
    """The plugin with its nodes. Raises NoSuchPluginError and KubeError."""
    snapshot = await _snapshot(session, asked.component.namespace)
    records = await read_records(session, asked.component)
    last = records.last
    history = (*_before(last), *_recorded(asked.baseline))
    observed = Observed(snapshot=snapshot, history=history, unread=snapshot.unread)
    return place_of(Scene(observed), asked, records)


def place_of(scene: Scene, asked: Asked, records: Records) -> Place:
    """The plugin in a scene. Raises NoSuchPluginError."""
    for plugin in scene.plugins:
        if plugin.component.ref == str(asked.component):
            return Place(scene, _named(plugin, records.last), records)
    components = scene.observed.snapshot.components
    found = [item for item in components if item.ref == str(asked.component)]
    known = ", ".join(item.component.ref for item in scene.plugins) or "none"
    what = "is no device plugin" if found else "is not there"
    raise NoSuchPluginError(f"{asked.component} {what}; device plugins of this cluster: {known}")


async def _snapshot(session: Session, namespace: str) -> Snapshot:
    """The cluster; where DaemonSets may not be read everywhere, those of the namespace."""
    snapshot = await read_snapshot(session.kube, now=session.clock())
    missing = tuple(item for item in snapshot.unread if item.what == "daemonsets")
    if not missing:
        return snapshot
    near = await read_snapshot(session.kube, now=session.clock(), namespaces=(namespace,))
    elsewhere = (Unread("daemonsets of other namespaces", item.why, item.grant) for item in missing)
    return msgspec.structs.replace(near, unread=(*near.unread, *elsewhere))


async def situation(
    session: Session, asked: Asked, place: Place, node: Node, diagnosis: Diagnosis
) -> Situation:
    """Everything about one of its nodes."""
    raw = await _raw_node(session, node.name)
    started, unread = await _kubelet_started(session, raw)
    plugin = place.plugin
    pod = plugin.pod_on(node.name)
    scene = place.scene
    if pod is not None:
        try:
            found = await session.kube.get_raw(PODS, pod.name, pod.namespace)
        except NotFound:
            found = {}
        scene = _with_pod(scene, {"kind": "Pod", **found} if found else None)
    records = place.records
    keeps = records.keeps
    own = keeps is not None and keeps.record.run == asked.own_run
    return Situation(
        scene=scene,
        plugin=plugin,
        node=node,
        resource=asked.resource,
        causes=causes_of(diagnosis, node.name, plugin.component.ref),
        undiagnosed=(*unjudged(diagnosis), *unread),
        past=records.past,
        unrecorded=records.unread.why if records.unread is not None else "",
        dry_run=await _dry_run(session, place),
        images=images_of(raw),
        kubelet_started=started,
        way_back=_way_back(place, node, keeps) if keeps is not None else None,
        open_run=records.mark if keeps is None else "" if own else keeps.record.run,
        own_run=asked.own_run if own else "",
        holder=recoveries_name(asked.component),
        asked=asked.by_person,
        limits=asked.limits,
    )


def _named(plugin: Plugin, last: LastRun | None) -> Plugin:
    """The plugin with the names that its last run was about, where nothing tells them better."""
    if last is None or not last.plan.resources:
        return plugin
    names = tuple(sorted({*plugin.resources, *last.plan.resources}))
    offered = msgspec.structs.replace(plugin.offered, resources=names)
    return msgspec.structs.replace(plugin, offered=offered)


def _before(last: LastRun | None) -> Iterable[Reading]:
    """What the nodes offered before the component's last run."""
    if last is None:
        return
    for name, node in sorted(last.state.nodes.items()):
        if node.baseline is None:
            continue
        for resource, offer in sorted(node.baseline.offers.items()):
            yield Reading(
                at=last.state.began_at,
                node=name,
                resource=resource,
                capacity=offer.capacity,
                allocatable=offer.allocatable,
            )


def _recorded(baseline: Snapshot | None) -> Iterable[Reading]:
    """What a saved inventory says."""
    if baseline is None:
        return
    for node in baseline.nodes:
        for resource, offer in sorted(node.offers.items()):
            yield Reading(
                at=baseline.at,
                node=node.name,
                resource=resource,
                capacity=offer.capacity,
                allocatable=offer.allocatable,
            )


def _with_pod(scene: Scene, raw: JsonObject | None) -> Scene:
    if raw is None:
        return scene
    observed = msgspec.structs.replace(scene.observed, objects={"Pod": (raw,)})
    return Scene(observed, scene.symptoms)


async def _raw_node(session: Session, name: str) -> JsonObject:
    found: JsonObject = await session.kube.get_raw(NODES, name)
    return found


def images_of(raw: JsonObject) -> frozenset[str] | None:
    """Names of the images that a node lists; None where it lists none."""
    listed = children(raw, "status", "images")
    names = {name for item in listed for name in _strings(item.get("names"))}
    return frozenset(names) if listed else None


def _strings(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


async def _kubelet_started(
    session: Session, raw: JsonObject
) -> tuple[float | None, tuple[str, ...]]:
    """When the node's kubelet began, as its event and its condition tell."""
    node = text(raw, "metadata", "name")
    about = f"involvedObject.kind=Node,involvedObject.name={node}"
    events, unread = [], []
    try:
        found = await session.kube.list_raw(EVENTS, field_selector=about)
        events = [event_of(item) for item in found.items]
    except Forbidden as error:
        unread.append(f"events of node {node}: {error.message}")
    start = starts_of(events, [raw]).get(node)
    return start.at if start else None, tuple(unread)


def unjudged(diagnosis: Diagnosis) -> tuple[str, ...]:
    """What the diagnosis could not read, and rules that failed."""
    unread = [f"{item.what}: {item.why}" for item in diagnosis.unread]
    return (*unread, *(f"rule {item.rule} failed" for item in diagnosis.failures))


async def _dry_run(session: Session, place: Place) -> Answer:
    component = place.plugin.component
    try:
        refusal = await pod_refusal(session.kube, component, component.template)
    except Forbidden as error:
        grant = f"create pods in namespace {component.namespace}"
        return Answer(None, f"could not be asked: {error.message}", grant)
    if refusal is not None:
        return Answer(False, refusal.message)
    return Answer(True, f"namespace {component.namespace} would take it")


def _way_back(place: Place, node: Node, keeps: OpenRun) -> WayBack:
    state, plan = keeps.state, keeps.record.plan
    proven, evidence = _proven(place, node, keeps)
    return WayBack(
        run=keeps.record.run,
        held=state.mode in {Mode.HOLD, Mode.BACK},
        former=plan.former.hash,
        proven=proven,
        evidence=evidence,
    )


def _proven(place: Place, node: Node, keeps: OpenRun) -> tuple[bool | None, str]:
    """Whether the former revision starts here or on a node of this kind, by run and cluster."""
    former = keeps.record.plan.former.hash
    known = keeps.state.node(node.name)
    if known.status is NodeStatus.STUCK:
        return False, f"run {keeps.record.run}: it does not come back on {node.name}"
    if known.restart_tested:
        return True, f"run {keeps.record.run}: restart test of {former} passed on {node.name}"
    if known.status is NodeStatus.TAKEN_BACK:
        return True, f"run {keeps.record.run}: {node.name} was taken back to {former}, verified"
    kind = cohort_of(node)
    alike = sorted(
        pod.node
        for pod in place.plugin.pods
        if pod.revision == former and pod.ready
        for other in [place.scene.nodes.get(pod.node)]
        if other is not None and cohort_of(other) == kind and _offers(place.plugin, other)
    )
    if alike:
        return True, f"{former} runs on {few(alike, 3)}, of the same cohort"
    return None, f"no node of its cohort runs {former}, and no restart test is recorded"


def _offers(plugin: Plugin, node: Node) -> bool:
    return any(name in node.offers and node.offers[name].allocatable for name in plugin.resources)

"""From API objects to the nouns: one conversion a kind, for live and recorded clusters alike.

Pure. Nodes and pods come as the partial structs of ``kube.objects``; DaemonSets and their revisions
come raw, because their templates are compared, digested and written back exactly as stored.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bridgehead.cluster.rows import ConditionRow, ContainerRow, NodeRow, PodRow, PodSpecRow
from bridgehead.core.components.owners import owners_of
from bridgehead.core.model.component import Component, Revision, template_digest, template_of
from bridgehead.core.model.device import Offer, device_count, is_extended
from bridgehead.core.model.json import JsonObject, JsonValue, child, children, text, texts
from bridgehead.core.model.node import Node, Taint
from bridgehead.core.model.pod import REVISION_HASH, Container, Pod
from bridgehead.kube.objects.base import Condition
from bridgehead.kube.objects.node import Node as NodeObject
from bridgehead.kube.objects.pod import Container as ContainerSpec
from bridgehead.kube.objects.pod import ContainerState, ContainerStatus, PodSpec
from bridgehead.kube.objects.pod import Pod as PodObject

_OWN_FIELDS = frozenset({"template", "selector", "updateStrategy"})
"""Fields of a DaemonSet's spec that a component has by name."""


def node_from(item: NodeObject | NodeRow) -> Node:
    """The node as a rollout knows it."""
    info = item.status.node_info
    return Node(
        name=item.metadata.name,
        uid=item.metadata.uid,
        labels=item.metadata.labels,
        annotations=item.metadata.annotations,
        taints=tuple(
            Taint(key=taint.key, effect=taint.effect, value=taint.value)
            for taint in item.spec.taints
        ),
        unschedulable=item.spec.unschedulable,
        ready=_condition(item.status.conditions, "Ready"),
        offers=_offers(item.status.capacity, item.status.allocatable),
        os_image=info.os_image,
        kernel=info.kernel_version,
        runtime=info.container_runtime_version,
        arch=info.architecture,
        kubelet=info.kubelet_version,
        boot_id=info.boot_id,
        resource_version=item.metadata.resource_version,
    )


def pod_from(item: PodObject | PodRow) -> Pod:
    """The pod as a rollout knows it."""
    meta, spec, status = item.metadata, item.spec, item.status
    owner = meta.controller
    return Pod(
        namespace=meta.namespace,
        name=meta.name,
        uid=meta.uid,
        node=item.intended_node,
        bound=bool(spec.node_name),
        labels=meta.labels,
        owner_kind=owner.kind if owner else "",
        owner_name=owner.name if owner else "",
        owner_uid=owner.uid if owner else "",
        phase=status.phase,
        reason=status.reason,
        message=status.message,
        admitted=status.start_time is not None,
        ready=_condition(status.conditions, "Ready") is True,
        deleting=meta.deletion_timestamp is not None,
        created=_seconds(meta.creation_timestamp),
        requests=requests(spec),
        containers=_containers(spec.containers, status.container_statuses),
        init_containers=_containers(spec.init_containers, status.init_container_statuses),
        host_paths=tuple(sorted({v.host_path.path for v in spec.volumes if v.host_path})),
    )


def component_from(raw: JsonObject) -> Component:
    """The component of a DaemonSet object; its template stays exactly as stored."""
    metadata, spec = _object(raw, "metadata"), _object(raw, "spec")
    return Component(
        namespace=text(metadata, "namespace"),
        name=text(metadata, "name"),
        uid=text(metadata, "uid"),
        generation=_number(raw, "metadata", "generation") or 0,
        observed_generation=_number(raw, "status", "observedGeneration") or 0,
        template=_object(raw, "spec", "template"),
        strategy=_object(raw, "spec", "updateStrategy"),
        selector=_object(raw, "spec", "selector"),
        labels=texts(metadata, "labels"),
        annotations=texts(metadata, "annotations"),
        owners=owners_of(metadata),
        managers=_managers(metadata),
        deleting=child(metadata, "deletionTimestamp") is not None,
        resource_version=text(metadata, "resourceVersion"),
        rest={key: item for key, item in spec.items() if key not in _OWN_FIELDS},
        desired=_number(raw, "status", "desiredNumberScheduled"),
    )


def revision_from(raw: JsonObject) -> Revision:
    """The revision that a ControllerRevision object keeps."""
    return Revision(
        name=text(raw, "metadata", "name"),
        hash=text(raw, "metadata", "labels", REVISION_HASH),
        number=_number(raw, "revision") or 0,
        template_digest=template_digest(template_of(raw)),
    )


def controller_uid(raw: JsonObject) -> str:
    """The uid of the controller that an object belongs to, or an empty string."""
    return text(_controller(raw), "uid")


def controller_ref(raw: JsonObject) -> str:
    """The DaemonSet that controls an object, as commands name it, or an empty string."""
    controller = _controller(raw)
    if text(controller, "kind") != "DaemonSet":
        return ""
    return f"daemonset/{text(raw, 'metadata', 'namespace')}/{text(controller, 'name')}"


def _controller(raw: JsonObject) -> JsonObject:
    references = children(raw, "metadata", "ownerReferences")
    return next((ref for ref in references if ref.get("controller") is True), {})


def requests(spec: PodSpec | PodSpecRow) -> dict[str, int]:
    """Devices that the pod takes of each extended resource, as the scheduler counts them.

    Containers and restartable init containers run together; a plain init container runs beside
    the restartable ones before it. The larger of the two sums counts (KEP-753, stable in 1.33).
    """
    together: dict[str, int] = {}
    starting: dict[str, int] = {}
    for container in spec.init_containers:
        for name, count in _own_requests(container).items():
            current = together.get(name, 0) + count
            starting[name] = max(starting.get(name, 0), current)
            if container.restart_policy == "Always":
                together[name] = current
    for container in spec.containers:
        for name, count in _own_requests(container).items():
            together[name] = together.get(name, 0) + count
    names = sorted({*together, *starting})
    return {name: max(together.get(name, 0), starting.get(name, 0)) for name in names}


def _own_requests(container: ContainerSpec | ContainerRow) -> dict[str, int]:
    """Requests of one container. Of an extended resource the limit must be set and equal to them.

    Source: https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
    """
    limits = container.resources.limits
    counts = {name: device_count(limits[name]) for name in limits if is_extended(name)}
    return {name: count for name, count in counts.items() if count}


def _offers(capacity: Mapping[str, str], allocatable: Mapping[str, str]) -> dict[str, Offer]:
    """Extended resources only. A count that is no whole number is none that a kubelet writes."""
    offers = {}
    for name in sorted({*capacity, *allocatable}):
        if not is_extended(name):
            continue
        total = device_count(capacity.get(name, "0"))
        healthy = device_count(allocatable.get(name, "0"))
        if total is not None and healthy is not None:
            offers[name] = Offer(capacity=total, allocatable=healthy)
    return offers


def _condition(conditions: Sequence[Condition | ConditionRow], name: str) -> bool | None:
    """Whether the condition holds; None where it is missing or Unknown."""
    for item in conditions:
        if item.type == name:
            return {"True": True, "False": False}.get(item.status)
    return None


def _containers(
    specs: Sequence[ContainerSpec | ContainerRow], statuses: Sequence[ContainerStatus]
) -> tuple[Container, ...]:
    known = {status.name: status for status in statuses}
    nothing = ContainerStatus()
    return tuple(_container(spec, known.get(spec.name, nothing)) for spec in specs)


def _container(spec: ContainerSpec | ContainerRow, status: ContainerStatus) -> Container:
    state, reason, message, exit_code = _state(status.state)
    _, last_reason, last_message, last_exit_code = _state(status.last_state)
    return Container(
        name=spec.name,
        image=spec.image,
        image_id=status.image_id,
        container_id=status.container_id,
        ready=status.ready,
        restarts=status.restart_count,
        state=state,
        reason=reason,
        message=message,
        exit_code=exit_code,
        last_reason=last_reason,
        last_message=last_message,
        last_exit_code=last_exit_code,
    )


def _state(state: ContainerState) -> tuple[str, str, str, int | None]:
    """Name, reason, message and exit code of a container's state."""
    if state.terminated is not None:
        ended = state.terminated
        return "terminated", ended.reason, ended.message, ended.exit_code
    if state.running is not None:
        return "running", "", "", None
    if state.waiting is not None:
        return "waiting", state.waiting.reason, state.waiting.message, None
    return "", "", "", None


def _managers(metadata: JsonObject) -> tuple[tuple[str, str], ...]:
    """Field managers with the time of their last write, newest last; such times sort as text.

    Who writes a subresource (a controller its object's status) has not changed the object.
    """
    written = children(metadata, "managedFields")
    entries = [entry for entry in written if not text(entry, "subresource")]
    return tuple(
        sorted(
            ((text(entry, "manager"), text(entry, "time")) for entry in entries),
            key=lambda entry: (entry[1], entry[0]),
        )
    )


def _seconds(time: datetime | None) -> float:
    return time.timestamp() if time else 0.0


def _object(raw: JsonValue, *path: str) -> JsonObject:
    found = child(raw, *path)
    return found if isinstance(found, Mapping) else {}


def _number(raw: JsonValue, *path: str) -> int | None:
    found = child(raw, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else None

"""The binding of a pod to a node, as the subresource ``binding`` does it.

Source: k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go, assignPod, and
plugin/pkg/admission/podtopologylabels (1.37).
"""

from bridgehead.twin.conditions import with_pod_condition
from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, fields, is_deleting, items, text, with_field
from bridgehead.twin.registry import Registry
from bridgehead.twin.scheduling.ledger import NODES

_TOPOLOGY = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")
"""Labels that a pod gets from its node."""


def bind(registry: Registry, namespace: str, pod: str, node: str, *, uid: str = "") -> Object:
    """Assign a pod to a node; the pod as it is then.

    Raises ApiError: 404, and 409 where the pod is assigned, on its way out, gated, or another one
    than ``uid`` says.
    """
    kind = registry.kinds.named("", "pods")
    old = registry.get(kind, namespace, pod)
    if uid and uid != text(old, "metadata", "uid"):
        actual = text(old, "metadata", "uid")
        raise _conflict(
            pod, f"Precondition failed: UID in precondition: {uid}, UID in object meta: {actual}"
        )
    if is_deleting(old):
        raise _conflict(pod, f"pod {pod} is being deleted, cannot be assigned to a host")
    if there := text(old, "spec", "nodeName"):
        raise _conflict(pod, f'pod {pod} is already assigned to node "{there}"')
    if items(old, "spec", "schedulingGates"):
        raise _conflict(pod, f"pod {pod} has non-empty .spec.schedulingGates")
    return registry.update(kind, _bound(registry, old, node), subresource="binding")


def _bound(registry: Registry, pod: Object, node: str) -> Object:
    pod = with_field(pod, ("spec", "nodeName"), node)
    pod = with_field(pod, ("status", "nominatedNodeName"), None)
    there = registry.store.get(NODES, "", node)
    for label in _TOPOLOGY:
        if value := fields(there, "metadata", "labels").get(label):
            pod = with_field(pod, ("metadata", "labels", label), value)
    condition = {"type": "PodScheduled", "status": "True"}
    return with_pod_condition(pod, condition, registry.clock.timestamp())


def _conflict(pod: str, why: str) -> ApiError:
    kind = Kind(group="", version="v1", kind="Pod", plural="pods/binding")
    message = f'Operation cannot be fulfilled on {kind.plural} "{pod}": {why}'
    return ApiError(409, "Conflict", message, {"name": pod, "kind": kind.plural})

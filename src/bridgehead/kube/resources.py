"""Which resources we speak of: group, version, plural, scope, and the struct they decode to."""

from typing import Generic, TypeVar
from urllib.parse import quote

import msgspec

from bridgehead.kube.objects import cluster, dra, workload
from bridgehead.kube.objects.base import PartialObject
from bridgehead.kube.objects.lean_pod import LeanPod
from bridgehead.kube.objects.node import Node
from bridgehead.kube.objects.pod import Pod

T = TypeVar("T")


class Resource(msgspec.Struct, Generic[T], frozen=True):
    """A resource of the API and the struct that its objects decode to."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    type: type[T]

    @property
    def api_version(self) -> str:
        """As manifests write it: `v1`, `apps/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """As `kubectl` names it: `pods`, `daemonsets.apps`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str | None = None, name: str = "", subresource: str = "") -> str:
        """Path of the collection or of one object; without a namespace all namespaces are meant.

        Raises ValueError where an object needs a namespace and has none, or must not have one.
        """
        if name and self.namespaced and not namespace:
            raise ValueError(f"{self.kind} {name} needs a namespace")
        if namespace and not self.namespaced:
            raise ValueError(f"{self.kind} is not in a namespace, but {namespace} was given")
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        scope = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        rest = "".join(f"/{quote(part, safe='')}" for part in (name, subresource) if part)
        return f"{root}{scope}/{self.plural}{rest}"


def _core(plural: str, kind: str, decoded: type[T], *, namespaced: bool = True) -> Resource[T]:
    return Resource("", "v1", plural, kind, namespaced, decoded)


def _apps(plural: str, kind: str, decoded: type[T]) -> Resource[T]:
    return Resource("apps", "v1", plural, kind, True, decoded)


NODES = _core("nodes", "Node", Node, namespaced=False)
NAMESPACES = _core("namespaces", "Namespace", cluster.Namespace, namespaced=False)
PODS = _core("pods", "Pod", Pod)
LEAN_PODS = _core("pods", "Pod", LeanPod)
EVENTS = _core("events", "Event", cluster.Event)
CONFIG_MAPS = _core("configmaps", "ConfigMap", cluster.ConfigMap)
SERVICE_ACCOUNTS = _core("serviceaccounts", "ServiceAccount", cluster.ServiceAccount)
RESOURCE_QUOTAS = _core("resourcequotas", "ResourceQuota", cluster.ResourceQuota)

DAEMON_SETS = _apps("daemonsets", "DaemonSet", workload.DaemonSet)
CONTROLLER_REVISIONS = _apps(
    "controllerrevisions", "ControllerRevision", workload.ControllerRevision
)
DEPLOYMENTS = _apps("deployments", "Deployment", workload.Replicated)
REPLICA_SETS = _apps("replicasets", "ReplicaSet", workload.Replicated)
STATEFUL_SETS = _apps("statefulsets", "StatefulSet", workload.Replicated)
JOBS = Resource("batch", "v1", "jobs", "Job", True, workload.Job)

LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease", True, cluster.Lease)
RUNTIME_CLASSES = Resource(
    "node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", False, cluster.RuntimeClass
)
CUSTOM_RESOURCE_DEFINITIONS = Resource(
    "apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
    False,
    cluster.CustomResourceDefinition,
)

DEVICE_CLASSES = Resource(
    "resource.k8s.io", "v1", "deviceclasses", "DeviceClass", False, dra.DeviceClass
)
RESOURCE_CLAIMS = Resource(
    "resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", True, dra.ResourceClaim
)
RESOURCE_SLICES = Resource(
    "resource.k8s.io", "v1", "resourceslices", "ResourceSlice", False, dra.ResourceSlice
)

AnyResource = Resource[PartialObject]
"""What discovery hands out: only kind and metadata are decoded; `get_raw` has the rest."""

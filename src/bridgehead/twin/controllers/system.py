"""What the API server of every cluster makes for itself when it starts.

Source: k8s.io/kubernetes/pkg/controlplane/controller/{systemnamespaces,kubernetesservice},
pkg/registry/scheduling/rest/storage_scheduling.go (Kubernetes 1.37).
"""

from bridgehead.twin.objects import Object
from bridgehead.twin.registry import Registry

NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
SERVICE_ADDRESS = "10.0.0.1"
"""The first address of the range from which services get theirs."""

_PRIORITIES = {
    "system-node-critical": (
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    "system-cluster-critical": (
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, "
        "but can be moved to another node if necessary.",
    ),
}


def make_system_objects(registry: Registry) -> None:
    """Make namespaces, priority classes and the service ``kubernetes`` where they are missing."""
    for name in NAMESPACES:
        _make(registry, "", "namespaces", {"metadata": {"name": name}})
    for name, (value, description) in _PRIORITIES.items():
        priority: Object = {"metadata": {"name": name}, "value": value, "description": description}
        _make(registry, "scheduling.k8s.io", "priorityclasses", priority)
    labels = {"component": "apiserver", "provider": "kubernetes"}
    service: Object = {
        "metadata": {"name": "kubernetes", "labels": labels},
        "spec": {
            "clusterIP": SERVICE_ADDRESS,
            "clusterIPs": [SERVICE_ADDRESS],
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 443}],
        },
    }
    _make(registry, "", "services", service, namespace="default")


def _make(registry: Registry, group: str, plural: str, obj: Object, *, namespace: str = "") -> None:
    kind = registry.kinds.named(group, plural)
    if registry.store.get(kind.stored, namespace, obj["metadata"]["name"]) is None:
        registry.create(kind, obj, namespace=namespace)

"""What every namespace gets: its default service account, and the cluster's certificate authority.

Source: k8s.io/kubernetes/pkg/controller/serviceaccount/serviceaccounts_controller.go and
pkg/controller/certificates/rootcacertpublisher/publisher.go (Kubernetes 1.37).
"""

from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import (
    Object,
    fields,
    is_deleting,
    name_of,
    namespace_of,
    text,
    with_field,
)
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import Registry
from bridgehead.twin.store import Change

SERVICE_ACCOUNTS = Stored("", "serviceaccounts")
CONFIG_MAPS = Stored("", "configmaps")
NAMESPACES = Stored("", "namespaces")
DEFAULT = "default"
ROOT_CA = "kube-root-ca.crt"

_DESCRIPTION = "kubernetes.io/description"
_DESCRIBED = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters."
)


class NamespaceDefaults:
    """Makes both in every namespace, and again when somebody deletes or changes them."""

    def __init__(self, registry: Registry, authority: str) -> None:
        """``authority``: certificates in PEM."""
        self._registry = registry
        self._data = {"ca.crt": authority}
        self._accounts = registry.kinds.named(*SERVICE_ACCOUNTS)
        self._config_maps = registry.kinds.named(*CONFIG_MAPS)
        self._queue: WorkQueue[str] = WorkQueue(registry.clock, self._sync)

    def start(self) -> None:
        """Follow the store from now on."""
        self._registry.store.subscribe(self._changed, NAMESPACES, SERVICE_ACCOUNTS, CONFIG_MAPS)
        for namespace in self._registry.store.select(NAMESPACES):
            self._queue.add(name_of(namespace))

    def _changed(self, change: Change) -> None:
        obj, name = change.object, name_of(change.object)
        match change.kind.plural:
            case "namespaces" if change.type != "DELETED":
                self._queue.add(name)
            case "serviceaccounts" if name == DEFAULT and change.type == "DELETED":
                self._queue.add(namespace_of(obj))
            case "configmaps" if name == ROOT_CA:
                self._queue.add(namespace_of(obj))

    def _sync(self, name: str) -> None:
        store = self._registry.store
        namespace = store.get(NAMESPACES, "", name)
        if namespace is None or is_deleting(namespace):
            return
        if text(namespace, "status", "phase") == "Terminating":
            return
        if store.get(SERVICE_ACCOUNTS, name, DEFAULT) is None:
            account: Object = {"metadata": {"name": DEFAULT}}
            self._registry.create(self._accounts, account, namespace=name)
        self._publish(name)

    def _publish(self, namespace: str) -> None:
        found = self._registry.store.get(CONFIG_MAPS, namespace, ROOT_CA)
        if found is None:
            made: Object = {
                "metadata": {"name": ROOT_CA, "annotations": {_DESCRIPTION: _DESCRIBED}},
                "data": self._data,
            }
            self._registry.create(self._config_maps, made, namespace=namespace)
            return
        annotations = fields(found, "metadata", "annotations")
        if found.get("data") == self._data and annotations.get(_DESCRIPTION) == _DESCRIBED:
            return
        mended = with_field(found, ("data",), self._data)
        described = {**annotations, _DESCRIPTION: _DESCRIBED}
        mended = with_field(mended, ("metadata", "annotations"), described)
        self._registry.update(self._config_maps, mended)

"""Leases of all nodes in ``kube-node-lease``, renewed by one timer for all of them together.

Each kubelet of a real cluster renews its own every ten seconds. Here one timer renews all that are
due, so that a clock that jumps over hours wakes once for a thousand nodes; above some hundred nodes
it does so less often, yet well within the 40 seconds for which a lease is good.

Source: k8s.io/component-helpers/apimachinery/lease/controller.go (1.37).
"""

from collections.abc import Callable, Iterable

from bridgehead.twin.nodes.context import Context
from bridgehead.twin.nodes.kubelet import Kubelet
from bridgehead.twin.objects import Object, text, uid_of

NAMESPACE = "kube-node-lease"
_MANY = 200
"""Nodes above which leases are renewed less often."""


class Heartbeats:
    """Renews the leases of kubelets that run and reach the API server."""

    def __init__(self, context: Context, kubelets: Callable[[], Iterable[Kubelet]]) -> None:
        self._context = context
        self._kubelets = kubelets
        self._beats = False

    def start(self) -> None:
        """Beat from now on."""
        if not self._beats:
            self._beats = True
            self._beat()

    @property
    def period(self) -> float:
        """Seconds between two renewals."""
        fleet = self._context.fleet
        quarter = fleet.settings.lease_duration / 4
        return quarter if len(fleet.machines) <= _MANY else quarter * 3

    def renew(self, kubelet: Kubelet) -> None:
        """Renew the lease of one node now."""
        self._renew(kubelet, self._context.clock.micro_timestamp())

    def _renew(self, kubelet: Kubelet, now: str) -> None:
        if not kubelet.up or not kubelet.host.connected:
            return
        context, name = self._context, kubelet.name
        store = context.registry.store
        found = store.get(context.leases.stored, NAMESPACE, name)
        if found is not None:
            # Past the registry: a hundred thousand renewals an hour need not be judged each.
            spec = {**found["spec"], "holderIdentity": name, "renewTime": now}
            store.put(context.leases, {**found, "spec": spec})
            return
        node = store.get(context.nodes.stored, "", name)
        if node is not None:
            spec = {
                "holderIdentity": name,
                "leaseDurationSeconds": int(kubelet.settings.lease_duration),
                "renewTime": now,
            }
            lease = {"metadata": _metadata(name, node), "spec": spec}
            context.registry.create(context.leases, lease, namespace=NAMESPACE)

    def _beat(self) -> None:
        now = self._context.clock.micro_timestamp()
        for kubelet in self._kubelets():
            self._renew(kubelet, now)
        self._context.clock.after(self.period, self._beat)


def _metadata(name: str, node: Object) -> Object:
    owner = {
        "apiVersion": "v1",
        "kind": text(node, "kind") or "Node",
        "name": name,
        "uid": uid_of(node),
    }
    return {"name": name, "ownerReferences": [owner]}

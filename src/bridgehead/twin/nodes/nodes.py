"""All nodes of a twin: hosts and their kubelets, and what can happen to them."""

from collections.abc import Iterator

from bridgehead.twin.api.exchange import Chunks
from bridgehead.twin.api.pod_parts import LogOptions
from bridgehead.twin.controllers import events
from bridgehead.twin.nodes import logs
from bridgehead.twin.nodes.adoption import adopt
from bridgehead.twin.nodes.context import Context, Refusal, nobody_is_refused
from bridgehead.twin.nodes.fleet import Fleet, Machine
from bridgehead.twin.nodes.heartbeats import Heartbeats
from bridgehead.twin.nodes.host import Host
from bridgehead.twin.nodes.kubelet import Kubelet
from bridgehead.twin.objects import Object, fields, text, uid_of
from bridgehead.twin.pods import index_by_node
from bridgehead.twin.registry import Registry
from bridgehead.twin.store import Change


class Nodes:
    """Runs a fleet."""

    def __init__(
        self, registry: Registry, fleet: Fleet, *, refusal: Refusal = nobody_is_refused
    ) -> None:
        """``refusal``: asked where a process in a pod calls the API server."""
        self.context = Context(registry, fleet, refusal=refusal)
        self.hosts: dict[str, Host] = {}
        self._kubelets: dict[str, Kubelet] = {}
        self._heartbeats = Heartbeats(self.context, self._running)

    def start(self) -> None:
        """Start all machines. Nodes and pods that the API has already go on as they are."""
        registry = self.context.registry
        index_by_node(registry.store)
        registry.store.subscribe(self._changed)
        for machine in self.context.fleet.machines.values():
            self.add(machine)
        self._heartbeats.start()

    def add(self, machine: Machine) -> None:
        """A machine joins the fleet, and its kubelet starts."""
        self.context.fleet.machines[machine.name] = machine
        host = Host(self.context, machine, len(self.hosts))
        self.hosts[machine.name] = host
        node = self.context.registry.store.get(self.context.nodes.stored, "", machine.name)
        kubelet = Kubelet(host)
        self._kubelets[machine.name] = kubelet
        if node is not None and fields(node, "status"):
            adopt(kubelet)
            self._heartbeats.renew(kubelet)
        else:
            kubelet.start(self._heartbeats.renew)

    def stop_kubelet(self, node: str) -> None:
        """Stop it; the node's containers run on, and its plugins do not notice."""
        self._kubelets[node].stop()

    def start_kubelet(self, node: str) -> None:
        """Start it, unless it runs."""
        if self._kubelets[node].alive:
            return
        events.forget(self.context.registry, "kubelet", node)
        kubelet = Kubelet(self.hosts[node])
        self._kubelets[node] = kubelet
        kubelet.start(self._heartbeats.renew)

    def restart_kubelet(self, node: str) -> None:
        """Stop it and start it again: resources of plugins are 0 until those register anew."""
        self.stop_kubelet(node)
        self.start_kubelet(node)

    def restart_containerd(self, node: str) -> None:
        """Restart the runtime: containers run on, and nothing is seen of it in the API."""
        if self._kubelets[node].up:
            self._kubelets[node].look_again()

    def stop(self, node: str) -> None:
        """Switch a machine off: every process on it is gone."""
        self._kubelets[node].stop()
        self.hosts[node].power_off()

    def reboot(self, node: str) -> None:
        """Switch a machine off, and let its kubelet start when it has booted."""
        self.stop(node)
        host = self.hosts[node]
        self.context.clock.after(host.delay("boot"), lambda: self._booted(node))

    def _booted(self, node: str) -> None:
        if self._kubelets[node].alive:
            return
        self.start_kubelet(node)

    def cut_network(self, node: str) -> None:
        """The node reaches the API server no longer; its pods run on."""
        self.hosts[node].connected = False

    def restore_network(self, node: str) -> None:
        """The node reaches the API server again, and catches up."""
        host = self.hosts[node]
        if host.connected:
            return
        host.connected = True
        kubelet = self._kubelets[node]
        if kubelet.up:
            kubelet.caught_up()
            self._heartbeats.renew(kubelet)

    def create_file(self, node: str, path: str) -> None:
        """Make an empty file on a node, for processes that look for one."""
        self.hosts[node].machine.files.add(path)

    def remove_file(self, node: str, path: str) -> None:
        """Take a file away from a node."""
        self.hosts[node].machine.files.discard(path)

    def logs(self, pod: Object, options: LogOptions) -> bytes | Chunks:
        """What a container of a pod has printed; followed, what it will print too.

        Raises ApiError, worded as the API server and the kubelet word it.
        """
        host = self.hosts.get(text(pod, "spec", "nodeName"))
        container = options.container
        known = logs.lives(host.sandboxes.get(uid_of(pod)) if host else None, container)
        if host is not None:
            alive = self._kubelets[host.machine.name].up
            logs.check_reachable(pod, container, host, alive=alive)
        life = logs.chosen(pod, container, known, previous=options.previous)
        lines = logs.written(
            life, tail=options.tail, since=options.since, timestamps=options.timestamps
        )
        if options.follow and life.state == "running":
            return logs.followed(life, lines, timestamps=options.timestamps)
        return lines.encode()[: options.limit]

    def _running(self) -> Iterator[Kubelet]:
        return (kubelet for kubelet in self._kubelets.values() if kubelet.up)

    def _changed(self, change: Change) -> None:
        if change.kind.plural != "pods" or change.kind.group:
            return
        kubelet = self._kubelets.get(text(change.object, "spec", "nodeName"))
        if kubelet is not None and kubelet.up and kubelet.host.connected:
            kubelet.heard(change)

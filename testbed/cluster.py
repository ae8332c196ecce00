"""A whole cluster: start it, find it again from another process, change it, stop it.

Everything is read from the state folder, so any number of processes may hold a Cluster of the same
name: the one that started it, the pytest workers, the command line.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from testbed import controlplane, kwok, network, watchdog
from testbed.api import Api, Object
from testbed.base_image import write_base_image
from testbed.errors import TestbedError
from testbed.kubeconfig import write_kubeconfig
from testbed.node import Node
from testbed.process import Process, start_time
from testbed.registry_server import registry, registry_address
from testbed.state import Addresses, State, claim, state_of
from testbed.system import raise_inotify_limit
from testbed.teardown import down, sweep

_PARALLEL = 10
"""Nodes that start or import at a time; they wait on each other's disk more than on processors."""


class Cluster:
    """The cluster of that name, running or not."""

    def __init__(self, name: str = "default") -> None:
        self.state: State = state_of(name)

    @property
    def name(self) -> str:
        """The cluster's name."""
        return self.state.name

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""
        return self.state.folder / "kubeconfig"

    @property
    def audit_log(self) -> Path:
        """Every write to the API server, one JSON event a line; see testbed/audit.py."""
        return self.state.folder / "audit.log"

    @property
    def registry_address(self) -> str:
        """Host and port of the registry as they stand in image references."""
        return registry_address(self.state)

    @property
    def nodes(self) -> dict[str, Node]:
        """The real nodes by name, in the order of their numbers."""
        found = [
            Node(self.state, path.parent.name, int(path.read_text()))
            for path in (self.state.folder / "nodes").glob("*/number")
        ]
        return {node.name: node for node in sorted(found, key=lambda node: node.number)}

    @property
    def api(self) -> Api:
        """The test bed's own minimal client, as administrator."""
        return Api(self.state)

    @property
    def apiserver(self) -> Process:
        """The API server's process; `stop()` returns when its port is free again."""
        return controlplane.apiserver(self.state)

    @property
    def etcd(self) -> Process:
        """The store's process."""
        return controlplane.etcd(self.state)

    @property
    def scheduler(self) -> Process:
        """The scheduler's process."""
        return controlplane.scheduler(self.state)

    @property
    def controller_manager(self) -> Process:
        """The controllers' process."""
        return controlplane.controller_manager(self.state)

    @property
    def registry(self) -> Process:
        """The registry's process."""
        return registry(self.state)

    def start(
        self,
        nodes: int | Sequence[str] = 3,
        kwok_nodes: int = 0,
        *,
        owner: int | None = None,
        release: str = "",
    ) -> Cluster:
        """Start the cluster and wait until every node is Ready.

        `nodes` is a number (then they are named node-1, node-2, ...) or their names. With `owner`,
        a pid, the cluster ends with that process, even if that is killed. `release` is the minor
        version of an earlier Kubernetes. Leavings of a killed run of the same name are removed
        first. Raises TestbedError when it runs already or does not
        come up; what was started is removed again.
        """
        sweep()
        if self.running:
            raise TestbedError(
                f"cluster {self.name!r} runs already; end it: "
                f"uv run python -m testbed down --name {self.name}"
            )
        down(self.state)
        names = [f"node-{n}" for n in range(1, nodes + 1)] if isinstance(nodes, int) else nodes
        try:
            self._start(names, kwok_nodes, owner, release)
        except BaseException:
            if not os.environ.get("BRIDGEHEAD_TESTBED_KEEP"):
                down(self.state)
            raise
        return self

    def _start(
        self, names: Sequence[str], kwok_nodes: int, owner: int | None, release: str
    ) -> None:
        started = None if owner is None else start_time(owner)
        record = claim(self.state, (owner, started) if owner and started else None, release)
        if record.owner_pid:
            watchdog.start(self.state)
        raise_inotify_limit()
        network.make_bridge(self.state, Addresses(record.slot))
        controlplane.make_credentials(self.state)
        write_kubeconfig(self.state, self.kubeconfig, "admin", ["system:masters"])
        write_base_image(self._base_image)
        controlplane.start(self.state)
        if kwok_nodes:
            kwok.kwok(self.state).start()
        simulated = kwok.create_nodes(self.api, kwok_nodes)
        self.add_nodes(names)
        self.wait_ready(simulated)

    @property
    def running(self) -> bool:
        """Whether the API server of the cluster runs."""
        return (self.state.folder / "cluster.json").exists() and self.apiserver.pid is not None

    def stop(self) -> None:
        """End the cluster and remove all that it left on the machine."""
        down(self.state)

    def add_node(self, name: str) -> Node:
        """Add a real node and wait until it is Ready."""
        return self.add_nodes([name])[0]

    def add_nodes(self, names: Sequence[str]) -> list[Node]:
        """Add real nodes, all at a time, and wait until they are Ready."""
        nodes = [self._number(name) for name in names]
        if nodes:
            with ThreadPoolExecutor(_PARALLEL) as pool:
                list(pool.map(lambda node: node.start(self._base_image), nodes))
            self.wait_ready(names)
        return nodes

    def remove_node(self, name: str) -> None:
        """Kill a node with all its pods and delete it and them from the API."""
        node = self.nodes[name]
        node.remove()
        for pod in self.pods_on(name):
            meta = pod["metadata"]
            path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
            self.api.delete(path, grace=0)
        self.api.delete(f"/api/v1/nodes/{name}")

    def import_images(self, tar: Path, nodes: Iterable[str] | None = None) -> None:
        """Import a docker-archive or OCI tar into all nodes, or into the named ones."""
        chosen = [self.nodes[name] for name in nodes] if nodes is not None else self.nodes.values()
        with ThreadPoolExecutor(_PARALLEL) as pool:
            list(pool.map(lambda node: node.import_image(tar), chosen))

    def user_kubeconfig(self, name: str, groups: Sequence[str] = ()) -> Path:
        """A kubeconfig of a user whom the API server knows by certificate."""
        path = self.state.folder / "users" / f"{name.replace('/', '_')}.kubeconfig"
        return write_kubeconfig(self.state, path, name, groups)

    def start_apiserver(self) -> None:
        """Start etcd and the API server unless they run, and wait until the latter is ready."""
        self.etcd.start()
        self.apiserver.start()
        controlplane.wait_for(
            self.api.ready, 60, "the API server is ready", [self.apiserver, self.etcd]
        )

    def restart_apiserver(self, *, kill: bool = False) -> None:
        """Stop the API server, wait for its end, start it again and wait until it is ready."""
        self.apiserver.stop(kill=kill, timeout=90)
        self.start_apiserver()

    def pods_on(self, node: str) -> list[Object]:
        """All pods bound to a node."""
        query = f"/api/v1/pods?fieldSelector=spec.nodeName%3D{node}"
        found: list[Object] = self.api.get(query)["items"]
        return found

    def ready_nodes(self) -> set[str]:
        """The names of all nodes that are Ready, simulated ones included."""
        return {
            node["metadata"]["name"]
            for node in self.api.get("/api/v1/nodes")["items"]
            for condition in node["status"].get("conditions", [])
            if condition["type"] == "Ready" and condition["status"] == "True"
        }

    def wait_ready(self, names: Iterable[str], timeout: float = 120) -> None:
        """Wait until these nodes are Ready.

        Raises TestbedError that names those which are not, with the end of a kubelet's log.
        """
        wanted = set(names)
        end = time.monotonic() + timeout
        while missing := wanted - self.ready_nodes():
            if time.monotonic() > end:
                node = self.nodes.get(min(missing))
                log = (node.kubelet if node else kwok.kwok(self.state)).tail()
                raise TestbedError(f"not Ready after {timeout:.0f} s: {sorted(missing)}; {log}")
            time.sleep(0.2)

    @property
    def _base_image(self) -> Path:
        return self.state.folder / "base-image.tar"

    def _number(self, name: str) -> Node:
        with self.state.locked("nodes"):
            existing = self.nodes
            if name in existing:
                raise TestbedError(f"cluster {self.name!r} has a node {name!r} already")
            taken = {node.number for node in existing.values()}
            number = next(n for n in range(1, 250) if n not in taken)
            folder = self.state.node_folder(name)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "number").write_text(str(number))
        return Node(self.state, name, number)

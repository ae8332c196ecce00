"""A twin as a ground for scenarios: everything in one event loop, in simulated time."""

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import yaml

from bridgehead.cli.surroundings import Surroundings
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.twin.api.http import server
from bridgehead.twin.controllers.node_health import Timing
from bridgehead.twin.nodes.fleet import Fleet, Machine
from bridgehead.twin.nodes.images import Image, Pull
from bridgehead.twin.nodes.nodes import Nodes
from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.twin import Twin
from bridgehead.twin.virtual.connector import MemoryConnector
from testbed.api import ApiError, Object
from testbed.controlplane import NODE_GRACE_PERIOD
from testbed.knobs import environment
from tests.scenarios.desk import Desk
from tests.scenarios.ground import Done, Typed
from tests.scenarios.turns import by_turns, pause, wait_for
from tests.scenarios.twin_api import Audited, TwinApi
from tests.scenarios.view import until

P = ParamSpec("P")
T = TypeVar("T")

STATUS_PERIOD = 1.0
"""The test bed's kubelets report every second."""
LATENCY = 0.002
"""Seconds that a message takes from a client to the API, and back."""
PROCESS = 0.8
"""Seconds that a command takes until it does anything."""
_PRESENT = Pull(present=True)
_NOT_FOUND = (
    "rpc error: code = NotFound desc = failed to pull and unpack image "
    '"{0}": failed to resolve image: {0}: not found'
)
"""What containerd says of an image that a registry does not have."""
_NOWHERE = "http://127.0.0.1:1"
"""Where kubeconfigs of a twin point to; its connector leads to the twin whatever they say."""


class TwinMachine:
    """A node of a twin, in hand."""

    def __init__(self, name: str, nodes: Nodes) -> None:
        self.name = name
        self._nodes = nodes

    def start_kubelet(self) -> None:
        """Start it, unless it runs."""
        _in_loop(self._nodes.start_kubelet, self.name)

    def stop_kubelet(self) -> None:
        """Stop it; the containers run on."""
        _in_loop(self._nodes.stop_kubelet, self.name)

    def restart_kubelet(self) -> None:
        """Stop it and start it again."""
        _in_loop(self._nodes.restart_kubelet, self.name)

    def restart_containerd(self) -> None:
        """Stop the runtime and start it again."""
        _in_loop(self._nodes.restart_containerd, self.name)

    def repair(self) -> None:
        """Let the kubelet run again."""
        self.start_kubelet()

    def create_file(self, path: str) -> None:
        """Make an empty file."""
        _in_loop(self._nodes.create_file, self.name, path)

    def remove_file(self, path: str) -> None:
        """Take a file away."""
        _in_loop(self._nodes.remove_file, self.name, path)

    def remove_files(self, folder: str) -> None:
        """Files go with the twin."""


class TwinGround:
    """A twin of so many nodes. Make it in a loop of simulated time, then ``start`` it."""

    def __init__(self, nodes: int, folder: Path, *, seed: int = 1) -> None:
        loop: Any = asyncio.get_running_loop()
        self.clock: Callable[[], float] = loop.now
        self.steady: Callable[[], float] = loop.time
        names = [f"node-{number}" for number in range(1, nodes + 1)]
        settings = KubeletSettings(node_status_update=STATUS_PERIOD)
        fleet = Fleet([Machine(name=name) for name in names], settings=settings)
        timing = Timing(grace=NODE_GRACE_PERIOD, period=1.0)
        self.twin = Twin(start=loop.now(), seed=seed, fleet=fleet, timing=timing)
        self.audit_log = folder / "audit.log"
        self.registry_address = "registry.twin.test:5000"
        self._folder = folder
        self._chance = random.Random(seed)
        self._front = Audited(self.twin.api, self.audit_log)
        self._accept = server(self._front)
        self.api = TwinApi(self._front, self.twin.administrator, latency=LATENCY)
        self.nodes = tuple(TwinMachine(name, self.twin.nodes) for name in names)
        self._healing: dict[str, asyncio.Task[None]] = {}

    async def start(self, namespace: str) -> None:
        """Wait until all nodes are Ready and pods can be created in a new namespace."""
        self.twin.start()
        await self.api.ask("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        await by_turns(until, partial(self._usable, namespace), "the twin can be used")

    async def stop(self) -> None:
        """End everything that goes on by itself."""
        for task in self._healing.values():
            task.cancel()
        await self.twin.stop()
        await self._accept.shutdown()

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self._write_kubeconfig("administrator", {})

    def user_kubeconfig(self, name: str) -> Path:
        """A user's, as whom the administrator acts."""
        return self._write_kubeconfig(name, {"as": name})

    def put_images(
        self,
        versions: Mapping[str, Mapping[str, Any]],
        hold: str,
        mark: str,
        nodes: list[str],
    ) -> None:
        """Describe the images; all nodes have them."""
        images = self.twin.fleet.images
        images.add(hold, Image(program="hold", pull=_PRESENT))
        for name, knobs in versions.items():
            variables = environment({"version": name.rpartition(":")[2], **knobs})
            images.add(name, Image(program="plugin", environment=variables, pull=_PRESENT))
        absent = f"{self.registry_address}/absent/fake:v2"
        images.add(absent, Image(pull=Pull(error=_NOT_FOUND.format(absent), delay=0.1)))

    def start_healing(self, folder: Path, *, manager: str, name: str) -> None:
        """Put a folder of manifests back every second, as a GitOps tool does."""
        manifests = [yaml.safe_load(file.read_text()) for file in sorted(folder.glob("*.yaml"))]

        async def begin() -> None:
            self._healing[name] = asyncio.create_task(self._heal(manifests, manager))

        wait_for(begin())

    def stop_healing(self, folder: Path, *, name: str) -> None:
        """End that, if it was begun."""
        if (task := self._healing.pop(name, None)) is not None:
            _in_loop(task.cancel)

    def command(self, typed: Typed, *, timeout: float) -> Done:
        """Run the command line in this process. Raises UnfitStageError where it does not end."""
        around = Surroundings(
            clock=self.clock,
            steady=self.steady,
            host=lambda: typed.host or "at-the-desk",
            connector=self._connector,
            chance=lambda: self._chance,
        )
        pause(PROCESS)
        return Desk(typed, around, timeout).work()

    async def in_turn(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of code that blocks, while the loop goes on."""
        return await by_turns(function, *args, **kwargs)

    async def connect(self, kubeconfig: Path) -> Kube:
        """A client of the product's own."""
        return await Kube.connect(
            load_config(kubeconfig), connector=self._connector(), chance=self._chance
        )

    def _connector(self) -> MemoryConnector:
        return MemoryConnector(self._accept, latency=LATENCY)

    def _usable(self, namespace: str) -> bool:
        nodes = self.api.get("/api/v1/nodes")["items"]
        accounts = self.api.get(f"/api/v1/namespaces/{namespace}/serviceaccounts")["items"]
        return len(list(_ready(nodes))) == len(self.nodes) and bool(accounts)

    async def _heal(self, manifests: list[Object], manager: str) -> None:
        while True:
            for manifest in manifests:
                metadata = manifest["metadata"]
                path = f"/apis/apps/v1/namespaces/{metadata['namespace']}/daemonsets"
                query = f"fieldManager={manager}&force=true"
                with suppress(ApiError):  # such a tool does not give up
                    await self.api.ask(
                        "PATCH",
                        f"{path}/{metadata['name']}?{query}",
                        manifest,
                        "application/apply-patch+yaml",
                    )
            await asyncio.sleep(1.0)

    def _write_kubeconfig(self, name: str, more: Mapping[str, str]) -> Path:
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "twin", "cluster": {"server": _NOWHERE}}],
            "users": [{"name": name, "user": {"token": self.twin.administrator, **more}}],
            "contexts": [{"name": "twin", "context": {"cluster": "twin", "user": name}}],
            "current-context": "twin",
        }
        path = self._folder / f"{name}.kubeconfig"
        path.touch(mode=0o600)
        path.write_text(yaml.safe_dump(config))
        return path


def _ready(nodes: list[Object]) -> Iterator[Object]:
    """Nodes that are Ready and that nothing keeps pods off."""
    for node in nodes:
        conditions = node.get("status", {}).get("conditions", [])
        ready = any((each["type"], each["status"]) == ("Ready", "True") for each in conditions)
        if ready and not node["spec"].get("taints"):
            yield node


def _in_loop(call: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    """Call something in the loop's own thread, in code that takes turns with it."""

    async def called() -> None:
        call(*args, **kwargs)

    wait_for(called())

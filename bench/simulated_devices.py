"""What kwok leaves out of a kubelet for nodes with devices: their number, and logs.

A node offers its devices while a plugin's pod is Ready on it. As with a kubelet, its status says so
at the node's next report only, once a status period, each node at a moment of its own.
"""

import asyncio
import random
import ssl
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from aiohttp import web

from bridgehead.cluster.convert import pod_from
from bridgehead.kube.client import Kube
from bridgehead.kube.objects.pod import Pod
from bridgehead.kube.resources import NODES, PODS
from bridgehead.kube.watch import Reflector
from bridgehead.kube.watch_store import Change
from testbed import pki
from testbed.cluster import Cluster
from testbed.state import Addresses

RESOURCE = "bench.bridgehead.dev/device"
DEVICES = 8
KUBELET_PORT = 10250
LOG = "Registered device plugin with Kubelet\n"


class SimulatedDevices:
    """Devices and logs of simulated nodes, while the context is open."""

    def __init__(
        self, cluster: Cluster, kube: Kube, nodes: Sequence[str], namespace: str, period: float
    ) -> None:
        """``period`` is the kubelets' status period in seconds."""
        self._cluster = cluster
        self._kube = kube
        self._nodes = nodes
        self._period = period
        self._ready: dict[str, set[str]] = {name: set() for name in nodes}
        self._offered: dict[str, int] = {}
        self._lost_at: dict[str, float] = {}
        self.gaps: list[float] = []
        """Seconds for which a node had no Ready pod, one item a gap that has ended."""
        self._pods = Reflector(kube, PODS, namespace, "app=plugin", on_change=self._take)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with self._stack as unless_open:
            await unless_open.enter_async_context(self._pods)
            await self._serve_logs(unless_open)
            tasks = await unless_open.enter_async_context(asyncio.TaskGroup())
            for name in self._nodes:
                task = tasks.create_task(self._report(name))
                unless_open.callback(task.cancel)
            self._stack = unless_open.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    @property
    def all_offered(self) -> bool:
        """Whether every node's status shows its devices."""
        return all(self._offered.get(name) == DEVICES for name in self._nodes)

    def _take(self, change: Change[Pod]) -> None:
        """Note which nodes have a Ready pod, and for how long one had none."""
        pod = pod_from(change.object)
        ready = self._ready.get(pod.node)
        if ready is None:
            return
        before = bool(ready)
        if change.what != "deleted" and pod.ready and not pod.deleting:
            ready.add(pod.uid)
        else:
            ready.discard(pod.uid)
        if before and not ready:
            self._lost_at[pod.node] = time.monotonic()
        elif ready and pod.node in self._lost_at:
            self.gaps.append(time.monotonic() - self._lost_at.pop(pod.node))

    async def _report(self, name: str) -> None:
        await asyncio.sleep(random.random() * self._period)
        while True:
            count = DEVICES if self._ready[name] else 0
            if self._offered.get(name) != count:
                status: dict[str, object] = {"allocatable": {RESOURCE: str(count)}}
                if count:
                    status["capacity"] = {RESOURCE: str(count)}
                body = {"status": status}
                await self._kube.patch_merge(NODES, name, body, subresource="status")
                self._offered[name] = count
            await asyncio.sleep(self._period)

    async def _serve_logs(self, stack: AsyncExitStack) -> None:
        """The kubelet's API as far as logs go, at the address of all simulated nodes."""
        state = self._cluster.state
        host = Addresses(state.record().slot).host
        pki.sign_to_files(state, "simulated-kubelet", "simulated-kubelet", addresses=[host])
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(
            state.pki("simulated-kubelet.crt"), state.pki("simulated-kubelet.key")
        )
        app = web.Application()
        app.router.add_get("/containerLogs/{namespace}/{pod}/{container}", _log)
        runner = web.AppRunner(app)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, host, KUBELET_PORT, ssl_context=context).start()


async def _log(_request: web.Request) -> web.Response:
    return web.Response(text=LOG)

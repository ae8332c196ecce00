"""How long ``observedGeneration`` lags behind a flip of a DaemonSet's template.

    uv run python -m testbed up --nodes 0 --kwok 300 --name lag
    uv run python -m bench.observed_generation /tmp/bridgehead-testbed-lag/kubeconfig
    uv run python -m testbed down --name lag

A flip here is the engine's: one JSON patch of ``/spec/template`` under OnDelete. It is timed while
nothing else happens, after a number of the DaemonSet's pods were deleted at once, and while another
DaemonSet's pods are being made.
"""

import argparse
import asyncio
import statistics
import time
from pathlib import Path
from typing import Any

from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.kube.resources import DAEMON_SETS, LEAN_PODS, NAMESPACES

SPACE = "observed-generation"
RUNNING = "status.phase=Running"
LONGEST = 180.0
"""Seconds after which a controller is taken for dead."""


class Subject:
    """One DaemonSet on all simulated nodes."""

    def __init__(self, kube: Kube, name: str, nodes: int) -> None:
        self.kube = kube
        self.name = name
        self.nodes = nodes
        self.turn = 0

    async def create(self) -> None:
        """Under OnDelete, as a run has it."""
        await self.kube.create(
            DAEMON_SETS,
            {
                "apiVersion": "apps/v1",
                "kind": "DaemonSet",
                "metadata": {"name": self.name, "namespace": SPACE},
                "spec": {
                    "selector": {"matchLabels": {"app": self.name}},
                    "updateStrategy": {"type": "OnDelete"},
                    "template": self.template(),
                },
            },
        )

    def template(self) -> dict[str, Any]:
        """One of two templates, by whether the turn is even."""
        return {
            "metadata": {"labels": {"app": self.name}},
            "spec": {
                "tolerations": [{"operator": "Exists"}],
                "terminationGracePeriodSeconds": 0,
                "containers": [{"name": "c", "image": f"test/image:{self.turn % 2}"}],
            },
        }

    async def flip(self) -> float:
        """Seconds from the flip's answer to its observation."""
        self.turn += 1
        step = {"op": "replace", "path": "/spec/template", "value": self.template()}
        answer = await self.kube.patch_json(DAEMON_SETS, self.name, [step], namespace=SPACE)
        begin = time.monotonic()
        while time.monotonic() < begin + LONGEST:
            seen = await self.kube.get_raw(DAEMON_SETS, self.name, SPACE)
            if seen["status"].get("observedGeneration", 0) >= answer["metadata"]["generation"]:
                return time.monotonic() - begin
            await asyncio.sleep(0.05)
        raise TimeoutError(f"{self.name}: not observed within {LONGEST:g} s")

    async def settled(self) -> None:
        """Until every node has a running pod and the controller has seen the object.

        Of the status only ``observedGeneration`` is used: with 300 pods ``numberReady`` was seen to
        stand at 252 for ever although all were Ready (Kubernetes 1.37.2).
        """
        for _ in range(int(LONGEST)):
            seen = await self.kube.get_raw(DAEMON_SETS, self.name, SPACE)
            pods = await self.kube.list(
                LEAN_PODS, SPACE, label_selector=f"app={self.name}", field_selector=RUNNING
            )
            observed = seen.get("status", {}).get("observedGeneration")
            if observed == seen["metadata"]["generation"] and len(pods.items) == self.nodes:
                return
            await asyncio.sleep(1.0)
        raise TimeoutError(f"{self.name}: not settled within {LONGEST:g} s")

    async def delete_pods(self, count: int) -> None:
        """Delete so many of its pods at once."""
        selector = f"app={self.name}"
        pods = await self.kube.list(LEAN_PODS, SPACE, label_selector=selector)
        names = [pod.metadata.name for pod in pods.items][:count]
        for start in range(0, len(names), 50):
            part = names[start : start + 50]
            await asyncio.gather(*(self.kube.delete(LEAN_PODS, n, SPACE) for n in part))


async def measure(kubeconfig: Path, nodes: int, repeat: int) -> None:
    """All situations, one line of a table each."""
    async with await Kube.connect(load_config(kubeconfig)) as kube:
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}}
        await kube.create(NAMESPACES, space)
        subject = Subject(kube, "subject", nodes)
        await subject.create()
        await subject.settled()
        show("idle", [await subject.flip() for _ in range(5 * repeat)])
        for count in (nodes // 10, nodes // 3, nodes):
            found = []
            for _ in range(repeat):
                await subject.settled()
                await subject.delete_pods(count)
                found.append(await subject.flip())
            show(f"{count} pods deleted just before", found)
        await subject.settled()
        found = []
        for number in range(repeat):
            other = Subject(kube, f"other-{number}", nodes)
            await other.create()
            found.append(await subject.flip())
        show(f"{nodes} pods of another DaemonSet being made", found)


def show(situation: str, seconds: list[float]) -> None:
    """A line of the table."""
    low, high, middle = min(seconds), max(seconds), statistics.median(seconds)
    print(f"| {situation} | {len(seconds)} | {low:.2f} | {middle:.2f} | {high:.2f} |", flush=True)


def main() -> None:
    """Measure the cluster of a kubeconfig."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kubeconfig", type=Path)
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=4)
    options = parser.parse_args()
    asyncio.run(measure(options.kubeconfig, options.nodes, options.repeat))


if __name__ == "__main__":
    main()

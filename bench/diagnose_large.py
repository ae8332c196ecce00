"""Time, memory and requests of a diagnosis of a large cluster, from a local static server.

    uv run python -m bench.diagnose_large                    # 1,000 nodes and 10,000 pods
    uv run python -m bench.diagnose_large --nodes 5000 --pods 50000

Once of a cluster on which the plugin fails on 30 nodes of one kernel, once of a sound one. Each
diagnosis runs in a process of its own, so that its peak of memory is its own; times are without
interpreter start and imports.
"""

import asyncio
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import click

from bench.client_read import peak_megabytes
from bench.counting import CountingTransport
from bridgehead.app.diagnose import diagnosed, observe
from bridgehead.core.diagnose.question import EVERYTHING
from bridgehead.core.findings.observed import Observed
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, NoToken

NOW = 1_796_032_800.0
"""2026-11-30T10:00:00Z, after everything that the server tells of."""


@click.command()
@click.option("--nodes", default=1000, show_default=True)
@click.option("--pods", default=10_000, show_default=True)
@click.option("--bad", default=30, show_default=True, help="Nodes on which the plugin fails.")
@click.option("--port", type=int, hidden=True)
def main(nodes: int, pods: int, bad: int, port: int | None) -> None:
    """Measure and print."""
    if port is not None:
        measure(port)
        return
    print(f"{platform.node()}: {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.0f}")
    titles = ("bad nodes", "read s", "judge s", "cpu s", "MB", "requests", "first cause")
    print("".join(f"{title:>11}" for title in titles), flush=True)
    for broken in (bad, 0):
        command = [sys.executable, "-m", "bench.diagnose_state", *map(str, (nodes, pods, broken))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                found = server.stdout.readline().strip()
                print(f"{broken:11}", end="", flush=True)
                own = [sys.executable, "-m", "bench.diagnose_large", "--port", found]
                subprocess.run(own, check=True, cwd=Path(__file__).parents[1])
            finally:
                server.terminate()


def measure(port: int) -> None:
    """Diagnose once and print one line."""
    before, started = time.process_time(), time.perf_counter()
    found: list[Observed] = []  # not as the task's result, of which asyncio would make a text
    counting = asyncio.run(_read(f"http://127.0.0.1:{port}", found))
    between = time.perf_counter()
    diagnosis = diagnosed(found[0], EVERYTHING)
    ended, used = time.perf_counter(), time.process_time() - before
    requests = sum(counting.sent.values())
    first = diagnosis.causes[0] if diagnosis.causes else None
    told = f"{first.rule} on {len(first.nodes)} nodes" if first else f"healthy: {diagnosis.healthy}"
    figures = f"{between - started:11.2f}{ended - between:11.2f}{used:11.2f}"
    print(f"{figures}{peak_megabytes():11.0f}{requests:11}  {told}", flush=True)


async def _read(server: str, found: list[Observed]) -> CountingTransport:
    transport = CountingTransport(Connection(server, "bench", NoToken(), compress=False))
    await transport.prepare()
    async with Kube(transport) as kube:
        found.append(await observe(kube, EVERYTHING, now=NOW))
    return transport


if __name__ == "__main__":
    main()

"""Time and memory of reading 5,000 nodes and 50,000 pods from a local static server.

    uv run python -m bench.client_read
    uv run --with kubernetes python -m bench.client_read --official

Each reader runs in a process of its own, so that its peak of memory is its own. Times are of the
reading alone, without interpreter start and imports; `cpu` tells how much of them is other load.
The budget is under 3 s and 200 MB.
"""

import argparse
import asyncio
import subprocess
import sys
import time
from pathlib import Path

from bench.official_reader import read_official
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, NoToken
from bridgehead.kube.resources import LEAN_PODS, NODES, PODS

READERS = ("lean", "full")


def main() -> None:
    """Start the server, run the readers one after the other, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--pods", type=int, default=50_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--official", action="store_true", help="also the kubernetes package")
    parser.add_argument("--reader", choices=(*READERS, "official"), help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.reader:
        read(options.reader, options.port)
        return
    command = [sys.executable, "-m", "bench.static_api", str(options.nodes), str(options.pods)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port = server.stdout.readline().strip()
            columns = "".join(
                f"{name:>9}" for name in ("nodes s", "pods s", "total s", "cpu s", "MB")
            )
            print(f"{'reader':10}{columns}", flush=True)
            for reader in READERS + (("official",) if options.official else ()):
                for _ in range(1 if reader == "official" else options.repeat):
                    own = ["--reader", reader, "--port", port]
                    subprocess.run([sys.executable, "-m", "bench.client_read", *own], check=True)
        finally:
            server.terminate()


def read(reader: str, port: int) -> None:
    """Read everything, keep it, and print one line."""
    before = time.process_time()
    if reader == "official":
        nodes, pods = read_official(f"http://127.0.0.1:{port}")
    else:
        nodes, pods = asyncio.run(read_ours(reader, f"http://127.0.0.1:{port}"))
    total, used = nodes + pods, time.process_time() - before
    peak = peak_megabytes()
    print(f"{reader:10} {nodes:8.2f} {pods:8.2f} {total:8.2f} {used:8.2f} {peak:8.0f}")


async def read_ours(reader: str, server: str) -> tuple[float, float]:
    """Seconds for nodes and for pods, both kept in memory to the end."""
    config = Connection(server, "bench", NoToken(), compress=False)
    async with await Kube.connect(config) as kube:
        started = time.perf_counter()
        nodes = await kube.list(NODES)
        between = time.perf_counter()
        pods = await (kube.list(LEAN_PODS) if reader == "lean" else kube.list(PODS))
        ended = time.perf_counter()
    assert nodes.items
    assert pods.items
    return between - started, ended - between


def peak_megabytes() -> float:
    """Highest resident memory of this process. (`ru_maxrss` would include the parent's.)"""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the system reports no VmHWM")


if __name__ == "__main__":
    main()

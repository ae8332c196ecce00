"""What a simulated cluster costs: start-up, memory, lists, an idle hour, a rollout in two ways.

    uv run python -m bench.twin    # 1,000 nodes with 10,000 pods; lists of 5,000 nodes
    uv run python -m bench.twin --nodes 100 --parallel 10    # beside bench.rollout_kwok

Each part runs in a process of its own, so that its memory is its own. A third of the nodes hold a
job; the plugin's DaemonSet is first updated by its controller, then, in another twin, by
bridgehead. ``simulated`` is the time of the cluster, ``wall`` that of the machine.
"""

import asyncio
import os
import platform
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import click
import msgspec

from bench.client_read import peak_megabytes
from bridgehead.app.rehearse_stage import staged
from bridgehead.app.rollout import Options, rollout
from bridgehead.app.runner import Ended
from bridgehead.core.journal.entry import Entry
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from bridgehead.kube.resources import LEAN_PODS, NODES, PODS
from bridgehead.spec import SpecAccepted, read_spec
from bridgehead.twin.api.http import server
from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.objects import Object, with_field
from bridgehead.twin.seeding.generic import NAMESPACE, PLUGIN, RESOURCE, generic_seed
from bridgehead.twin.seeding.planting import plant
from bridgehead.twin.twin import Twin
from bridgehead.twin.virtual.connector import MemoryConnector
from bridgehead.twin.virtual.loop import run_virtual

START = 1_800_000_000.0
SETTLES = 60.0
STATUS_PERIOD = 10
NEW_IMAGE = "registry.example/device-plugin:1.1.0"
PARTS = ("cluster", "lists", "ours")


class Size(msgspec.Struct, frozen=True):
    """What is simulated."""

    nodes: int
    pods_per_node: int
    parallel: int
    settle: int
    soak: int


@click.command()
@click.option("--nodes", default=1000, show_default=True)
@click.option("--pods-per-node", default=9, show_default=True, help="Beside plugin and jobs.")
@click.option("--listed", default=5000, show_default=True, help="Nodes whose lists are read.")
@click.option("--parallel", default=20, show_default=True, help="maxUnavailable, too.")
@click.option("--settle", default=30, show_default=True)
@click.option("--soak", default=30, show_default=True)
@click.option("--part", type=click.Choice(PARTS), help="This part only, in this process.")
def main(part: str | None, listed: int, **size: int) -> None:
    """Measure and print."""
    chosen = Size(**size)
    if part is None:
        print(f"{platform.node()}: {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.0f}")
        for name in PARTS:
            values = msgspec.structs.replace(chosen, nodes=listed) if name == "lists" else chosen
            options = [
                f"--{key.replace('_', '-')}={value}"
                for key, value in msgspec.structs.asdict(values).items()
            ]
            subprocess.run(
                [sys.executable, "-m", "bench.twin", f"--part={name}", *options], check=True
            )
        return
    measure = {"cluster": _cluster, "lists": _lists, "ours": _ours}[part]
    run_virtual(measure(chosen), start=START)
    print(f"  highest memory: {peak_megabytes():.0f} MB")


@contextmanager
def _timed(what: str) -> Iterator[None]:
    wall, used = time.perf_counter(), time.process_time()
    simulated = asyncio.get_running_loop().time()
    yield
    wall, used = time.perf_counter() - wall, time.process_time() - used
    simulated = asyncio.get_running_loop().time() - simulated
    print(f"  {what:40} {simulated:8.0f} s simulated {used:8.2f} s CPU {wall:8.2f} s wall")


async def _started(size: Size) -> Twin:
    with _timed("start-up, and the first minute"):
        seed = generic_seed(size.nodes, at=START, pods_per_node=size.pods_per_node)
        twin = Twin(start=START, fleet=seed.fleet(KubeletSettings()))
        left_out = plant(twin.registry, seed)
        assert not left_out, left_out
        twin.start()
        await asyncio.sleep(SETTLES)
    pods = twin.store.count(("", "pods"))  # type: ignore[arg-type]
    print(f"  {size.nodes} nodes, {pods} pods, {peak_megabytes():.0f} MB")
    return twin


async def _cluster(size: Size) -> None:
    print(f"a cluster by itself: {size}")
    twin = await _started(size)
    with _timed("an idle hour"):
        await asyncio.sleep(3600)
    kind = twin.kinds.named("apps", "daemonsets")
    daemon_set = twin.registry.get(kind, NAMESPACE, PLUGIN)
    with _timed(f"its controller's rollout, {size.parallel} at a time"):
        twin.registry.update(kind, _changed(daemon_set, size.parallel))
        while not _is_done(  # noqa: ASYNC110 - simulated time
            twin.registry.get(kind, NAMESPACE, PLUGIN), size.nodes
        ):
            await asyncio.sleep(1)  # simulated
    await twin.stop()


def _changed(daemon_set: Object, parallel: int) -> Object:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": parallel}}
    changed = with_field(daemon_set, ("spec", "updateStrategy"), rolling)
    path = ("spec", "template", "spec", "containers")
    (container,) = daemon_set["spec"]["template"]["spec"]["containers"]
    return with_field(changed, path, [{**container, "image": NEW_IMAGE}])


def _is_done(daemon_set: Object, nodes: int) -> bool:
    status = daemon_set["status"]
    return bool(
        status["observedGeneration"] == daemon_set["metadata"]["generation"]
        and status.get("updatedNumberScheduled") == status.get("numberAvailable") == nodes
    )


async def _lists(size: Size) -> None:
    print(f"lists over the API, in memory: {size.nodes} nodes")
    twin = await _started(size)
    async with _client(twin) as kube:
        for again in ("", ", again"):
            with _timed(f"all nodes{again}"):
                nodes = await kube.list(NODES)
            with _timed(f"all pods, lean{again}"):
                pods = await kube.list(LEAN_PODS)
        with _timed("all pods, whole"):
            await kube.list(PODS)
    assert len(nodes.items) == size.nodes
    assert len(pods.items) > size.nodes
    await twin.stop()


@asynccontextmanager
async def _client(twin: Twin) -> AsyncIterator[Kube]:
    http = server(twin.api)
    token = StaticToken(twin.administrator)
    connection = Connection("http://twin", "bench", token, compress=False)
    async with await Kube.connect(connection, connector=MemoryConnector(http)) as kube:
        yield kube
    await http.shutdown()


class _Counting:
    """Follows a run and counts its records."""

    def __init__(self) -> None:
        self.records = 0

    def tell(self, entry: Entry) -> None:  # noqa: ARG002 - the protocol's
        """A record was written."""
        self.records += 1

    def say(self, words: str) -> None:
        """Nobody listens."""

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """Nobody looks."""


async def _ours(size: Size) -> None:
    print(f"bridgehead's rollout: {size}")
    accepted = read_spec(_spec(size), "bench")
    assert isinstance(accepted, SpecAccepted), accepted
    seed = generic_seed(size.nodes, at=START, pods_per_node=size.pods_per_node)
    watcher = _Counting()
    with _timed("start-up, rollout and end"):
        async with staged(seed, accepted.spec, chance=1, watcher=watcher) as stage:
            with _timed(f"the rollout, {size.parallel} at a time"):
                result = await rollout(stage.session, accepted.spec, _spec(size), Options())
    assert isinstance(result, Ended), result
    print(f"  {result.ending.summary}; {watcher.records} records")


def _spec(size: Size) -> str:
    return f"""\
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata: {{name: bench}}
component: {{daemonSet: {{namespace: {NAMESPACE}, name: {PLUGIN}}}}}
change: {{images: {{plugin: '{NEW_IMAGE}'}}}}
resources: [{RESOURCE}]
waves: [{{nodes: 100%, parallel: {size.parallel}}}]
verify:
  settle: {size.settle}s
  statusPeriod: {STATUS_PERIOD}s
  soak: {{canary: {size.soak}s, wave: {size.soak}s}}
"""


if __name__ == "__main__":
    main()

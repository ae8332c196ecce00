"""A rollout over simulated nodes beside a native rolling update: wall time, gaps, API requests.

    uv run python -m bench.rollout_kwok [--nodes 100] [--parallel 10]

Starts a cluster of its own: a real control plane, nodes and pods by kwok, devices by
``bench.simulated_devices``. The same DaemonSet is first updated by its controller, then by
bridgehead; pods take as long to become Ready in both.
"""

import asyncio
import os
import platform
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import click
import msgspec

from bench.counting import WRITES, connect
from bench.simulated_devices import RESOURCE, SimulatedDevices
from bridgehead.app.rollout import Options, rollout
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session
from bridgehead.core.journal.entry import Entry
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.kube.resources import DAEMON_SETS, NAMESPACES, SERVICE_ACCOUNTS
from bridgehead.spec import SpecAccepted, read_spec
from testbed.cluster import Cluster

NAMESPACE = "bench"
LONGEST = 3600.0
START_DELAY = 5
"""Seconds from a pod's creation to its readiness."""
STATUS_PERIOD = 10
"""Seconds between two reports of a simulated node's status; the kubelets' default."""


class Setting(msgspec.Struct, frozen=True):
    """What is compared; times are seconds."""

    nodes: int
    parallel: int
    settle: int
    soak: int


@click.command()
@click.option("--nodes", default=100, show_default=True)
@click.option("--parallel", default=10, show_default=True, help="maxUnavailable, too.")
@click.option("--settle", default=30, show_default=True, help="Seconds; the spec's default is 30.")
@click.option("--soak", default=30, show_default=True, help="Seconds, after canary and wave.")
def main(nodes: int, parallel: int, settle: int, soak: int) -> None:
    """Measure and print."""
    setting = Setting(nodes, parallel, settle, soak)
    cluster = Cluster("bench")
    cluster.start(0, kwok_nodes=nodes, owner=os.getpid())
    try:
        asyncio.run(_measure(cluster, setting))
    finally:
        cluster.stop()


async def _measure(cluster: Cluster, setting: Setting) -> None:
    names = sorted(cluster.ready_nodes())
    config = load_config(cluster.kubeconfig)
    async with await Kube.connect(config) as kube:
        await _create(kube, setting)
        async with SimulatedDevices(cluster, kube, names, NAMESPACE, STATUS_PERIOD) as devices:
            await _until(lambda: _settled(kube, setting.nodes), "the first version is everywhere")
            await _until(lambda: _true(devices.all_offered), "all devices are offered")
            print(f"{platform.node()}: {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.0f}")
            print(f"{setting}, start delay {START_DELAY} s, status period {STATUS_PERIOD} s")
            await _native(kube, devices, setting)
            await _until(lambda: _true(devices.all_offered), "all devices are offered again")
            await _ours(cluster, devices, setting)


async def _native(kube: Kube, devices: SimulatedDevices, setting: Setting) -> None:
    devices.gaps.clear()
    started = time.monotonic()
    body = {"spec": {"template": _template(_image(2))}}
    await kube.patch_merge(DAEMON_SETS, "plugin", body, namespace=NAMESPACE)
    await _until(lambda: _settled(kube, setting.nodes), "the rolling update is over")
    print(f"native: {time.monotonic() - started:.0f} s; {_gaps(devices)}")


async def _ours(cluster: Cluster, devices: SimulatedDevices, setting: Setting) -> None:
    devices.gaps.clear()
    kube, counter = await connect(load_config(cluster.kubeconfig))
    watcher = _Watcher(counter.sent)
    session = Session(kube=kube, clock=time.time, watcher=watcher, stop=asyncio.Event())
    text = _spec(setting)
    accepted = read_spec(text, "bench")
    assert isinstance(accepted, SpecAccepted), accepted
    started, cpu = time.monotonic(), time.process_time()
    async with kube:
        result = await rollout(session, accepted.spec, text, Options())
    took = time.monotonic() - started
    assert isinstance(result, Ended), result
    print(f"bridgehead: exit {result.ending.exit}, {took:.0f} s; {_gaps(devices)}")
    print(f"  {watcher.records} records, {time.process_time() - cpu:.1f} s of processor")
    for stage, at in watcher.stages:
        print(f"  {stage} after {at - started:.0f} s")
    _tell("before the first record", watcher.before, setting.nodes)
    _tell("by the run", counter.sent - watcher.before, setting.nodes)
    print(f"estimated by the plan: {result.run.plan.cost}")


class _Watcher:
    """Notes the first record, and when each stage passed."""

    def __init__(self, sent: Counter[tuple[str, str]]) -> None:
        self._sent = sent
        self.before: Counter[tuple[str, str]] = Counter()
        self.records = 0
        self.stages: list[tuple[str, float]] = []

    def tell(self, entry: Entry) -> None:
        if not self.records:
            self.before = Counter(self._sent)
        self.records += 1
        if entry.step == "stage" or entry.result in {"failed", "hold", "back"}:
            print(f"  {entry.time} {entry.step} {entry.node} {entry.result} {entry.detail}")
        if (entry.step, entry.result) == ("stage", "passed"):
            self.stages.append((f"{entry.detail['stage']} passed", time.monotonic()))

    def say(self, words: str) -> None:
        print(f"  {words}")

    def look(self, *_: object) -> None:
        """The live view is not looked at."""


def _tell(when: str, sent: Counter[tuple[str, str]], nodes: int) -> None:
    writes = sum(count for (verb, _), count in sent.items() if verb in WRITES)
    total = sum(sent.values())
    print(f"{when}: {total} requests ({total / nodes:.1f} a node), of them {writes} writes")
    for (verb, resource), count in sent.most_common():
        print(f"  {verb:7} {resource:40} {count:6} {count / nodes:7.2f} a node")


def _gaps(devices: SimulatedDevices) -> str:
    gaps = sorted(devices.gaps)
    median, longest = statistics.median(gaps), gaps[-1]
    return (
        f"{len(gaps)} gaps without a Ready plugin, median {median:.1f} s, longest {longest:.1f} s"
    )


def _image(version: int) -> str:
    return f"registry.bench/plugin:v{version}"


def _spec(setting: Setting) -> str:
    return f"""\
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata: {{name: bench}}
component: {{daemonSet: {{namespace: {NAMESPACE}, name: plugin}}}}
change: {{images: {{plugin: '{_image(3)}'}}}}
resources: [{RESOURCE}]
waves: [{{nodes: 100%, parallel: {setting.parallel}}}]
verify:
  settle: {setting.settle}s
  statusPeriod: {STATUS_PERIOD}s
  soak: {{canary: {setting.soak}s, wave: {setting.soak}s}}
"""


async def _create(kube: Kube, setting: Setting) -> None:
    await kube.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})

    async def usable() -> bool:
        return bool((await kube.list(SERVICE_ACCOUNTS, NAMESPACE)).items)

    await _until(usable, "the namespace has its account")
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": setting.parallel}}
    await kube.create(
        DAEMON_SETS,
        {
            "metadata": {"name": "plugin", "namespace": NAMESPACE},
            "spec": {
                "selector": {"matchLabels": {"app": "plugin"}},
                "template": _template(_image(1)),
                "updateStrategy": rolling,
            },
        },
    )


def _template(image: str) -> dict[str, Any]:
    path = "/var/lib/kubelet/device-plugins"
    container = {
        "name": "plugin",
        "image": image,
        "volumeMounts": [{"name": "plugins", "mountPath": path}],
    }
    return {
        "metadata": {
            "labels": {"app": "plugin"},
            "annotations": {"testbed.bridgehead.dev/start-delay": f"{START_DELAY}s"},
        },
        "spec": {
            "tolerations": [{"operator": "Exists"}],
            "containers": [container],
            "volumes": [{"name": "plugins", "hostPath": {"path": path}}],
        },
    }


async def _settled(kube: Kube, nodes: int) -> bool:
    """Whether the controller says that every node runs the newest version, Ready."""
    raw = await kube.get_raw(DAEMON_SETS, "plugin", NAMESPACE)
    status = raw.get("status", {})
    seen = status.get("observedGeneration") == raw["metadata"]["generation"]
    counts = {status.get(key) for key in ("updatedNumberScheduled", "numberAvailable")}
    return seen and counts == {nodes}


async def _true(value: bool) -> bool:
    return value


async def _until(condition: Callable[[], Awaitable[bool]], what: str) -> None:
    end = time.monotonic() + LONGEST
    while not await condition():
        if time.monotonic() > end:
            raise click.ClickException(f"not within {LONGEST:.0f} s: {what}")
        await asyncio.sleep(0.25)


if __name__ == "__main__":
    main()

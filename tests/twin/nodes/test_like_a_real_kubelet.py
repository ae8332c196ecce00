"""The twin's kubelet beside a real one: same pods, same status, events and logs at every stage."""

import asyncio
import json
import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bridgehead.twin.errors import ApiError
from bridgehead.twin.nodes.images import Image, Images
from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.objects import Object, at
from bridgehead.twin.store import Change
from bridgehead.twin.virtual.loop import run_virtual
from testbed.api import ApiError as RealError
from testbed.cluster import Cluster
from testbed.fake_images import fake_images, hold_image
from testbed.fixtures import LeaseNodes
from testbed.images import build_archive
from testbed.node import Node
from testbed.parts import binary
from tests.twin.nodes import cases
from tests.twin.nodes.cases import Case, Words
from tests.twin.nodes.cluster import HERE, NODE
from tests.twin.nodes.cluster import Cluster as Simulated
from tests.twin.nodes.masking import masked, masked_status, same
from tests.twin.virtually import START

pytestmark = pytest.mark.cluster

Told = dict[str, Any]
"""What is known of one pod: its status, its events, its log."""

PLUGINS = ("v1", "refuses", "loses", "unprepared", "cdi")
SPEAKING = ("speaks-json", "speaks-logrus", "speaks-plain", "blocks", "old", "nameless", "silent")
FIRST_LINES = 3
"""Of each plugin's log; some go on for ever."""
SETTINGS = KubeletSettings(node_status_update=1.0, crash_back_off_max=2.0, sync=5.0)
"""As the test bed's nodes have them."""


def words(namespace: str, node: str) -> Words:
    """Names of a playing."""
    return Words(f"registry.test/{namespace}", f"{namespace}.test/device", node)


class Real:
    """The test bed's cluster as one playing sees it."""

    def __init__(self, cluster: Cluster, node: Node, namespace: str) -> None:
        self._api = cluster.api
        self._path = f"/api/v1/namespaces/{namespace}"
        self._cluster = cluster
        self._namespace = namespace
        self.node = node

    def import_images(self) -> None:
        """All images, with digests of their own."""
        driver = binary("fakedriver", "fakedriver")
        images = fake_images(cases.VERSIONS, driver=driver, repository=f"{self._namespace}/fake")
        images[f"registry.test/{self._namespace}/hold:v1"] = hold_image(driver=driver)
        own = {
            name: replace(image, env={**(image.env or {}), "PLAYING": self._namespace})
            for name, image in images.items()
        }
        with tempfile.TemporaryDirectory() as folder:
            tar = Path(folder) / "images.tar"
            build_archive(tar, own)
            self._cluster.import_images(tar, [self.node.name])

    def create(self, name: str, spec: Object) -> None:
        """Make a pod."""
        self._api.create(f"{self._path}/pods", {"metadata": {"name": name}, "spec": spec})

    def pod(self, name: str) -> Object:
        """A pod as it is now."""
        return self._api.get(f"{self._path}/pods/{name}")

    def until(self, condition: Callable[[], Any], what: str, timeout: float = 60) -> None:
        """Wait for a condition."""
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, f"the real kubelet did not get there: {what}"
            time.sleep(0.05)

    def offers(self, resource: str) -> bool:
        """Whether the node offers something of a resource."""
        node = self._api.get(f"/api/v1/nodes/{self.node.name}")
        return str(at(node, "status", "allocatable", resource) or "0") != "0"

    def reaches(self, case: Case) -> Object:
        """The pod when it is first seen at the stage."""
        seen: list[Object] = []

        def there() -> bool:
            seen.append(self.pod(case.name))
            return case.until(seen[-1])

        self.until(there, case.name)
        return seen[-1]

    def watch_deletion(self, case: Case) -> list[Object]:
        """The pod as it was at every change from its deletion to its end."""
        self.create(case.name, case.spec)
        pod = self.reaches(case)
        path, version = f"{self._path}/pods", pod["metadata"]["resourceVersion"]
        self._api.delete(f"{path}/{case.name}")
        seen = []
        for event in self._api.watch(path, version, patience=30):
            seen.append(event["object"])
            if event["type"] == "DELETED":
                break
        return seen

    def watch_start(self, case: Case) -> list[Object]:
        """The pod as it was at every change from its creation until it is at the stage."""
        path = f"{self._path}/pods"
        version = self._api.get(path)["metadata"]["resourceVersion"]
        self.create(case.name, case.spec)
        seen = []
        for event in self._api.watch(path, version, patience=30):
            seen.append(event["object"])
            if case.until(seen[-1]):
                break
        return seen

    def delete(self, name: str) -> None:
        """Ask for a pod's deletion."""
        self._api.delete(f"{self._path}/pods/{name}")

    def offer(self, resource: str) -> str:
        """Capacity and allocatable of a resource."""
        status = self._api.get(f"/api/v1/nodes/{self.node.name}")["status"]
        if resource not in status["capacity"]:
            return "absent"
        return f"{status['capacity'][resource]}/{status['allocatable'].get(resource)}"

    def has_said(self, name: str) -> bool:
        """Whether a pod has printed its first lines."""
        return len(self.told(self.pod(name))["log"]) >= FIRST_LINES

    def told(self, pod: Object) -> Told:
        """All that is known of a pod that was seen at a stage."""
        name = pod["metadata"]["name"]
        events = self._api.get(f"{self._path}/events?fieldSelector=involvedObject.name%3D{name}")
        return _told(pod["status"], events["items"], self._log(pod))

    def _log(self, pod: Object) -> str:
        name = pod["metadata"]["name"]
        container = pod["spec"]["containers"][0]["name"]
        path = f"{self._path}/pods/{name}/log?container={container}"
        try:
            return self._api.answer("GET", path).decode()
        except RealError as error:
            status = json.loads(str(error).partition(": ")[2])
            return f"refused: {status['message']}"


async def play(steps: Callable[[Simulated, Words], Any], namespace: str) -> Any:
    """Do something with a twin whose images are the same, in a thread of its own."""
    names = words(namespace, NODE)

    async def run() -> Any:
        catalogue = Images()
        for tag, knobs in cases.VERSIONS.items():
            image = Image(
                program="plugin",
                knobs={"version": tag, **knobs},
                pull=HERE,
                commands=("/fakedriver",),
            )
            catalogue.add(names.image(tag), image)
        hold = Image(program="hold", pull=HERE, ready_after=math.inf)  # it listens nowhere
        catalogue.add(names.image("hold"), hold)
        simulated = await Simulated(catalogue, settings=SETTINGS).up()
        return await steps(simulated, names)

    return await asyncio.to_thread(lambda: run_virtual(run(), start=START))


def simulated_told(twin: Simulated, name: str) -> Told:
    """All that is known of a pod of the twin."""
    store = twin.twin.store.select(twin.twin.kinds.named("", "events").stored)
    events = [item for item in store if item["involvedObject"]["name"] == name]
    pod = twin.pod(name)
    assert pod is not None
    try:
        log = twin.log(name, pod["spec"]["containers"][0]["name"])
    except ApiError as error:
        log = f"refused: {error}"
    return _told(twin.status(name), events, log)


def _told(status: Object, events: list[Object], log: str) -> Told:
    heard = {
        (
            item["type"],
            item["reason"],
            masked(item["message"]),
            item["involvedObject"].get("fieldPath", ""),
            item["source"].get("component", ""),
        )
        for item in events
    }
    lines = [masked(line) for line in log.splitlines()]
    return {"status": masked_status(status), "events": sorted(heard), "log": lines}


async def simulate(listed: Callable[[Words], list[Case]], namespace: str, *plugins: str) -> Told:
    """Play cases on a twin."""

    async def steps(twin: Simulated, names: Words) -> Told:
        for tag in plugins:
            twin.make(f"plugin-{tag}", names.plugin(tag))
            await twin.until(partial(twin.pod_ready, f"plugin-{tag}"))
        await asyncio.sleep(3)
        found = {}
        for case in listed(names):
            twin.make(case.name, case.spec)
            await twin.until(partial(twin.reaches, case.name, case.until), 60, case.name)
            found[case.name] = simulated_told(twin, case.name)
        return found

    return dict(await play(steps, namespace))


def play_really(real: Real, names: Words, listed: list[Case]) -> Told:
    """Play cases on the real node, one after the other."""
    found = {}
    for case in listed:
        real.create(case.name, case.spec)
        found[case.name] = real.told(real.reaches(case))
    return found


async def test_pods_look_the_same_at_every_stage(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str
) -> None:
    (node,) = await lease_nodes(1)
    real = Real(cluster, node, namespace)
    await asyncio.to_thread(real.import_images)
    names = words(namespace, node.name)
    found = await asyncio.to_thread(play_really, real, names, cases.plain(names))
    same(await simulate(cases.plain, namespace), found)


async def test_pods_with_devices_look_the_same(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str
) -> None:
    (node,) = await lease_nodes(1)
    real = Real(cluster, node, namespace)
    await asyncio.to_thread(real.import_images)
    names = words(namespace, node.name)

    def really() -> Told:
        for tag in PLUGINS:
            suffix = cases.VERSIONS[tag].get("resourceSuffix", "")
            real.create(f"plugin-{tag}", names.plugin(tag))
            real.until(partial(real.offers, f"{names.resource}{suffix}"), tag)
        return play_really(real, names, cases.using_devices(names))

    found = await asyncio.to_thread(really)
    same(await simulate(cases.using_devices, namespace, *PLUGINS), found)


async def test_plugins_say_the_same(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str
) -> None:
    (node,) = await lease_nodes(1)
    real = Real(cluster, node, namespace)
    await asyncio.to_thread(real.import_images)
    names = words(namespace, node.name)

    def listed(names: Words) -> list[Case]:
        return [Case(tag, names.plugin(tag), cases.is_ready) for tag in SPEAKING]

    def really() -> Told:
        found = play_really(real, names, listed(names))
        for tag in SPEAKING:
            real.until(partial(real.has_said, tag), tag)
            found[tag]["log"] = real.told(real.pod(tag))["log"]
        return found

    async def steps(twin: Simulated, names: Words) -> Told:
        for case in listed(names):
            twin.make(case.name, case.spec)
            await twin.until(partial(twin.reaches, case.name, case.until), 60)
        await asyncio.sleep(5)
        return {tag: simulated_told(twin, tag)["log"] for tag in SPEAKING}

    found = await asyncio.to_thread(really)
    first = {tag: found[tag]["log"][:FIRST_LINES] for tag in SPEAKING}
    simulated = {tag: lines[:FIRST_LINES] for tag, lines in (await play(steps, namespace)).items()}
    same(simulated, first)


def _sequence(pods: list[Object]) -> list[Told]:
    """Statuses of a pod in the order in which they were written, without repetition."""
    found: list[Told] = []
    for pod in pods:
        shown = {
            "deleting": "deletionTimestamp" in pod["metadata"],
            "status": masked_status(pod["status"]),
        }
        if not found or found[-1] != shown:
            found.append(shown)
    return found


async def test_a_pod_that_is_deleted_goes_by_the_same_statuses(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str
) -> None:
    (node,) = await lease_nodes(1)
    real = Real(cluster, node, namespace)
    await asyncio.to_thread(real.import_images)
    names = words(namespace, node.name)
    case = Case("leaves", names.spec(names.container("hold")), cases.is_ready)
    found = _sequence(await asyncio.to_thread(real.watch_deletion, case))

    async def steps(twin: Simulated, names: Words) -> list[Object]:
        twin.make("leaves", names.spec(names.container("hold")))
        await twin.until(lambda: twin.pod_ready("leaves"))
        seen: list[Object] = []

        def changed(change: Change) -> None:
            if change.kind.plural == "pods":
                seen.append(change.object)

        twin.twin.store.subscribe(changed)
        twin.delete("leaves")
        await twin.until(lambda: twin.pod("leaves") is None)
        return seen

    simulated = _sequence(await play(steps, namespace))
    same({"seen": simulated}, {"seen": found})


async def test_a_node_looks_the_same(cluster: Cluster, lease_nodes: LeaseNodes) -> None:
    (node,) = await lease_nodes(1)
    found = cluster.api.get(f"/api/v1/nodes/{node.name}")
    lease = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{node.name}"

    async def steps(twin: Simulated, _names: Words) -> Told:
        leases = twin.twin.kinds.named("coordination.k8s.io", "leases")
        own = twin.twin.registry.get(leases, "kube-node-lease", NODE)
        await twin.until(lambda: not twin.node()["spec"].get("taints"))
        return {"node": _shape(twin.node()), "lease": _shape(own)}

    real = {"node": _shape(found), "lease": _shape(cluster.api.get(lease))}
    same(await play(steps, "test-x"), real)


_OWN_LABELS = "kubernetes.io/"


def _shape(value: Any, key: str = "") -> Any:
    """Which fields there are; values where they are words of the kubelet."""
    if isinstance(value, dict):
        if key in {"labels", "annotations"}:
            return sorted(name for name in value if _OWN_LABELS in name)
        if key in {"capacity", "allocatable"}:
            return sorted(name for name in value if "/" not in name)
        left = {name: item for name, item in value.items() if name != "managedFields"}
        return {name: _shape(item, name) for name, item in left.items() if name != "images"}
    if isinstance(value, list):
        return [_shape(item, key) for item in value]
    words_of_kubelet = {"type", "status", "reason", "message", "kind", "apiVersion", "Port"}
    return value if key in words_of_kubelet else type(value).__name__


async def test_a_pod_starts_by_the_same_statuses(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str
) -> None:
    (node,) = await lease_nodes(1)
    real = Real(cluster, node, namespace)
    await asyncio.to_thread(real.import_images)
    names = words(namespace, node.name)
    case = Case("starts", names.spec(names.container("hold")), cases.is_ready)
    found = _sequence(await asyncio.to_thread(real.watch_start, case))

    async def steps(twin: Simulated, names: Words) -> list[Object]:
        seen: list[Object] = []

        def changed(change: Change) -> None:
            if change.kind.plural == "pods":
                seen.append(change.object)

        twin.twin.store.subscribe(changed)
        twin.make("starts", names.spec(names.container("hold")))
        await twin.until(lambda: twin.pod_ready("starts"))
        return seen

    same({"seen": _sequence(await play(steps, namespace))}, {"seen": found})


async def test_a_resource_goes_by_the_same_values(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str
) -> None:
    (node,) = await lease_nodes(1)
    real = Real(cluster, node, namespace)
    await asyncio.to_thread(real.import_images)
    names = words(namespace, node.name)
    wanted = ["absent", "4/4", "4/3", "4/0", "4/4", "0/0", "4/4"]

    def really() -> list[str]:
        seen = [real.offer(names.resource)]

        def comes(value: str) -> None:
            def there() -> bool:
                now = real.offer(names.resource)
                if now != seen[-1]:
                    seen.append(now)
                return now == value

            real.until(there, value)

        real.create("first", names.plugin("sickens"))
        comes("4/3")
        real.delete("first")
        comes("4/0")
        real.create("second", names.plugin("late"))
        comes("4/4")
        real.node.restart_kubelet()
        comes("0/0")
        comes("4/4")
        return seen

    async def steps(twin: Simulated, names: Words) -> list[str]:
        seen = [twin.offers(names.resource)]

        async def comes(value: str) -> None:
            while seen[-1] != value:
                await asyncio.sleep(0.05)
                if (now := twin.offers(names.resource)) != seen[-1]:
                    seen.append(now)

        twin.make("first", names.plugin("sickens"))
        await comes("4/3")
        twin.delete("first")
        await comes("4/0")
        twin.make("second", names.plugin("late"))
        await comes("4/4")
        twin.twin.nodes.restart_kubelet(NODE)
        await comes("0/0")
        await comes("4/4")
        return seen

    assert await play(steps, namespace) == wanted
    assert await asyncio.to_thread(really) == wanted


async def test_an_allocation_that_hangs_holds_up_the_same_things(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str
) -> None:
    (node,) = await lease_nodes(1)
    real = Real(cluster, node, namespace)
    await asyncio.to_thread(real.import_images)
    names = words(namespace, node.name)
    pods = ("plugin", "other", "asks", "innocent")

    def really() -> dict[str, str]:
        real.create("plugin", names.plugin("hangs"))
        real.create("other", names.spec(names.container("hold")))
        real.until(lambda: cases.is_ready(real.pod("other")), "other")
        real.until(partial(real.offers, names.resource), "the plugin's devices")
        real.create("asks", names.spec(names.container("hold", **names.asking(1))))
        time.sleep(1)
        real.create("innocent", names.spec(names.container("hold")))
        real.delete("other")
        real.delete("plugin")
        time.sleep(8)
        return {name: _stands(real.pod(name)) for name in pods}

    async def steps(twin: Simulated, names: Words) -> dict[str, str]:
        twin.make("plugin", names.plugin("hangs"))
        twin.make("other", names.spec(names.container("hold")))
        await twin.until(lambda: twin.pod_ready("other"))
        await twin.until(lambda: twin.offers(names.resource) == "4/4")
        twin.make("asks", names.spec(names.container("hold", **names.asking(1))))
        await asyncio.sleep(1)
        twin.make("innocent", names.spec(names.container("hold")))
        twin.delete("other")
        twin.delete("plugin")
        await asyncio.sleep(8)
        return {name: _stands(twin.pod(name) or {}) for name in pods}

    found = await asyncio.to_thread(really)
    node.restart_kubelet()  # else nothing on it would ever end
    assert await play(steps, namespace) == found
    assert found["plugin"] == found["other"] == "running"


def _stands(pod: Object) -> str:
    """Whether a pod's container runs, or the kubelet has not even looked at the pod."""
    if "containerStatuses" not in pod.get("status", {}):
        return "untouched"
    return str(next(iter(cases.state(pod)["state"])))

"""A real kubelet and a simulated one with the same images, asked for the same things."""

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

from bridgehead.twin.errors import ApiError
from bridgehead.twin.nodes.images import Image, Images, Pull
from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.objects import Object, at
from bridgehead.twin.virtual.loop import run_virtual
from testbed.api import ApiError as RealError
from testbed.cluster import Cluster
from testbed.fake_images import fake_images, hold_image
from testbed.images import build_archive
from testbed.node import Node
from testbed.parts import binary
from tests.twin.nodes import cases
from tests.twin.nodes.cases import Case, Words
from tests.twin.nodes.cluster import HERE, NODE
from tests.twin.nodes.cluster import Cluster as Simulated
from tests.twin.nodes.masking import masked, masked_status
from tests.twin.virtually import START

Told = dict[str, Any]
"""What is known of one pod: its status, its events, its log."""

PLUGINS = ("v1", "refuses", "loses", "unprepared", "cdi")
SPEAKING = ("speaks-json", "speaks-logrus", "speaks-plain", "blocks", "old", "nameless", "silent")
LOG_PATIENCE = 2.0
"""Seconds after which a log that is empty stays so."""
FIRST_LINES = 3
"""Of each plugin's log; some go on for ever."""
SETTINGS = KubeletSettings(node_status_update=1.0, crash_back_off_max=2.0, sync=5.0)
"""As the test bed's nodes have them."""


def words(namespace: str, node: str, registry: str) -> Words:
    """Names of a playing."""
    return Words(f"registry.test/{namespace}", f"{namespace}.test/device", node, registry)


class Real:
    """The test bed's cluster as one playing sees it."""

    def __init__(self, cluster: Cluster, node: Node, namespace: str) -> None:
        self._api = cluster.api
        self._path = f"/api/v1/namespaces/{namespace}"
        self._cluster = cluster
        self.namespace = namespace
        self.node = node
        self.words = words(namespace, node.name, cluster.registry_address)

    def import_images(self) -> None:
        """All images, with digests of their own."""
        driver = binary("fakedriver", "fakedriver")
        images = fake_images(cases.VERSIONS, driver=driver, repository=f"{self.namespace}/fake")
        images[f"registry.test/{self.namespace}/hold:v1"] = hold_image(driver=driver)
        own = {
            name: replace(image, env={**(image.env or {}), "PLAYING": self.namespace})
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
        return told_of(pod["status"], events["items"], self._written_log(pod))

    def _written_log(self, pod: Object) -> str:
        """The log once something is in it; a line takes a moment from the process to the file."""
        end = time.monotonic() + LOG_PATIENCE
        while not (log := self._log(pod)) and time.monotonic() < end:
            time.sleep(0.2)
        return log

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
    names = words(namespace, NODE, "10.0.0.9:5000")

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
        catalogue.add(names.absent, Image(pull=Pull(error=names.why_absent, delay=0.1)))
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
    return told_of(twin.status(name), events, log)


_TOKENS = "kube-api-access-"
"""Volume whose mount fails for a moment where the API server has not yet heard of the pod."""


def told_of(status: Object, events: list[Object], log: str) -> Told:
    """Status, events and log without what may differ."""
    heard = {
        (
            item["type"],
            item["reason"],
            masked(item["message"]),
            item["involvedObject"].get("fieldPath", ""),
            item["source"].get("component", ""),
        )
        for item in events
        if not (item["reason"] == "FailedMount" and _TOKENS in item["message"])
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


def play_really(real: Real, listed: list[Case]) -> Told:
    """Play cases on the real node, one after the other."""
    found = {}
    for case in listed:
        real.create(case.name, case.spec)
        found[case.name] = real.told(real.reaches(case))
    return found

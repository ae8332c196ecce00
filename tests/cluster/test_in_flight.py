"""Readings around nodes in flight, of a server that a test makes fail."""

from collections.abc import AsyncIterator, Collection

import msgspec
import pytest
from aiohttp import web

from bridgehead.cluster.in_flight import FlightReader, newest
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import REVISION_HASH, Container, Pod
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from tests.cluster.pure import plan
from tests.kube.conftest import QUICK
from tests.kube.scripted import ScriptedServer, status

POD = Pod(
    namespace="gpu",
    name="p",
    uid="p1",
    node="n1",
    bound=True,
    labels={REVISION_HASH: "h"},
    phase="Running",
    ready=True,
    containers=(Container("plugin", container_id="c1", state="running"),),
)


class Serving:
    """One node and one log."""

    def __init__(self) -> None:
        self.node_version = 1
        self.log = True
        self.node = True
        self.instances: list[str] = []
        """What instances of the container wrote; the next one starts after the first reading."""
        self.started = 1

    def _of_instances(self, request: web.BaseRequest) -> web.StreamResponse:
        wanted = self.started - (2 if request.query.get("previous") else 1)
        self.started = 2
        if wanted < 0:
            return status(400, "BadRequest", "previous terminated container not found")
        return web.Response(text=self.instances[wanted])

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path.endswith("/log"):
            if self.instances:
                return self._of_instances(request)
            if self.log:
                return web.Response(text="all is well")
            return status(403, "Forbidden", "no more")
        if "/nodes/" in request.path:
            if not self.node:
                return status(404, "NotFound", "no such node")
            meta = {"name": "n1", "resourceVersion": str(self.node_version)}
            return web.json_response({"metadata": meta})
        return web.json_response({"metadata": {}, "items": []})


@pytest.fixture
def serving() -> Serving:
    return Serving()


@pytest.fixture
async def kube(serving: Serving) -> AsyncIterator[Kube]:
    async with ScriptedServer() as server:
        server.handler = serving
        connection = Connection(server.url, "test", StaticToken("token"))
        async with await Kube.connect(connection, retry=QUICK) as client:
            yield client


class Reading:
    """A reader whose readings are due whenever the test says so."""

    def __init__(self, kube: Kube) -> None:
        self.now = 0.0
        self.reader = FlightReader(kube, plan(), lambda: self.now)

    async def look(
        self, pod: Pod = POD, *, in_flight: bool = True, counted: Collection[str] | None = None
    ) -> None:
        self.now += 60.0
        flying, watched = ({"n1"}, set[str]()) if in_flight else (set[str](), {"n1"})
        await self.reader.refresh(flying, watched, {"n1": (pod,)}, (), counted=counted)


async def test_a_node_in_flight_is_asked_for_itself(kube: Kube, serving: Serving) -> None:
    reading = Reading(kube)
    await reading.look()
    serving.node_version = 2
    await reading.look()
    assert reading.reader.readings.nodes["n1"].resource_version == "2"
    serving.node = False
    await reading.look()
    assert reading.reader.readings.nodes == {}


async def test_pods_are_read_of_counted_nodes_and_an_old_reading_is_dropped(kube: Kube) -> None:
    reading = Reading(kube)
    await reading.look()
    assert reading.reader.readings.requesters == {"n1": ()}
    await reading.look(counted=())
    assert reading.reader.readings.requesters == {}
    await reading.look(counted={"n1"})
    assert reading.reader.readings.requesters == {"n1": ()}


async def test_a_node_that_passed_is_left_to_the_watch(kube: Kube) -> None:
    reading = Reading(kube)
    await reading.look(in_flight=False)
    assert reading.reader.readings.nodes == {}


def test_of_a_watched_and_a_read_node_the_newer_one_counts() -> None:
    old, new = (Node("n1", resource_version=version) for version in ("9", "10"))
    assert newest({"n1": old}, {"n1": new}) == {"n1": new}
    assert newest({"n1": new}, {"n1": old}) == {"n1": new}
    assert newest({}, {"n1": new}) == {}


async def test_a_log_that_can_no_longer_be_read_is_no_good_log(
    kube: Kube, serving: Serving
) -> None:
    reading = Reading(kube)
    await reading.look()
    assert reading.reader.readings.logs == {"p1": "all is well"}
    serving.log = False
    await reading.look()
    assert reading.reader.readings.logs == {}
    assert reading.reader.readings.logs_unread == {"p1": "no more"}


async def test_a_watched_node_keeps_the_log_that_was_read(kube: Kube, serving: Serving) -> None:
    reading = Reading(kube)
    await reading.look(in_flight=False)
    serving.log = False
    await reading.look(in_flight=False)
    assert reading.reader.readings.logs == {"p1": "all is well"}


async def test_the_last_words_of_a_container_are_found_though_another_one_starts_meanwhile(
    kube: Kube, serving: Serving
) -> None:
    reading = Reading(kube)
    serving.instances = ["monitor stopped", "all is well"]
    ended = Container("plugin", container_id="c1", state="terminated", reason="Error")
    await reading.look(msgspec.structs.replace(POD, containers=(ended,)))
    assert reading.reader.readings.last_words == {"p1": "monitor stopped"}

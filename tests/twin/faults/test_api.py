"""Trouble between a client and the API, as the product's own client meets it."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from bridgehead.kube.errors import Unreachable
from bridgehead.kube.resources import CONFIG_MAPS, NODES
from bridgehead.kube.watch import Reflector
from bridgehead.twin.api.http import server
from bridgehead.twin.faults.api import TroubledApi
from bridgehead.twin.faults.text import parse_fault
from bridgehead.twin.twin import Twin
from bridgehead.twin.virtual.connector import MemoryConnector
from tests.twin.virtually import START, virtually


@asynccontextmanager
async def _cluster() -> AsyncIterator[tuple[Twin, TroubledApi, Kube]]:
    twin = Twin(start=START)
    twin.start()
    api = TroubledApi(twin.api.handle, twin.registry, random.Random(1))
    http = server(api)
    tokens = StaticToken(twin.administrator)
    connection = Connection(server="http://twin", origin="the twin", tokens=tokens)
    connector = MemoryConnector(api.accept(http))
    async with await Kube.connect(connection, connector=connector, chance=random.Random(2)) as kube:
        yield twin, api, kube
    await twin.stop()
    await http.shutdown()


def _now() -> float:
    return asyncio.get_running_loop().time()


@virtually
async def test_answers_come_late() -> None:
    async with _cluster() as (_, api, kube):
        api.begin(parse_fault("api.latency=2s").api)
        await kube.list(NODES)
        assert _now() == pytest.approx(2)


@virtually
async def test_a_share_of_the_requests_is_refused_and_the_client_tries_again() -> None:
    async with _cluster() as (_, api, kube):
        api.begin(parse_fault("api.error=503@30%").api)
        for _ in range(20):
            await kube.list(NODES)
        assert _now() > 1, "no request was ever refused"


@virtually
async def test_a_server_that_is_away_for_a_while_is_waited_for() -> None:
    async with _cluster() as (_, api, kube):
        await kube.list(NODES)
        api.begin(parse_fault("api.away=20s@10s").api)
        await asyncio.sleep(11)
        await kube.list(NODES)
        assert _now() >= 30


@virtually
async def test_a_server_does_not_go_away_once_the_trouble_has_ended() -> None:
    async with _cluster() as (_, api, kube):
        api.begin(parse_fault("api.away=1h@10s").api)
        api.end()
        await asyncio.sleep(20)
        await kube.list(NODES)
        assert _now() == pytest.approx(20, abs=1)


@virtually
async def test_a_server_that_stays_away_is_told_as_such() -> None:
    async with _cluster() as (_, api, kube):
        api.begin(parse_fault("api.away=1h@0s").api)
        await asyncio.sleep(1)
        with pytest.raises(Unreachable):
            await kube.list(NODES)


@pytest.mark.parametrize("fault", ["watch.break=5s", "watch.gone=5s", "api.away=20s@10s"])
def test_a_watch_that_breaks_loses_nothing(fault: str) -> None:
    @virtually
    async def played() -> None:
        async with _cluster() as (twin, api, kube):
            api.begin(parse_fault(fault).api)
            kind = twin.kinds.named("", "configmaps")
            async with Reflector(kube, CONFIG_MAPS, "default") as watched:
                for number in range(40):
                    body = {"metadata": {"name": f"c{number:02}"}}
                    twin.registry.create(kind, body, namespace="default")
                    await asyncio.sleep(1)
                await asyncio.sleep(60)
                names = sorted(key.name for key in watched.objects if key.name.startswith("c"))
            assert names == [f"c{number:02}" for number in range(40)]

    played()


@virtually
async def test_somebody_else_writes_a_node_just_before_us() -> None:
    async with _cluster() as (twin, api, kube):
        kind = twin.kinds.named("", "nodes")
        twin.registry.create(kind, {"metadata": {"name": "n1"}})
        before = await kube.get(NODES, "n1")
        api.begin(parse_fault("api.conflict=100%").api)
        await kube.patch_merge(NODES, "n1", {"spec": {"unschedulable": True}})
        after = await kube.get_raw(NODES, "n1")
        assert after["metadata"]["annotations"] == {
            "twin.bridgehead.dev/written-by-somebody-else": "1"
        }
        assert int(after["metadata"]["resourceVersion"]) >= (
            int(before.metadata.resource_version) + 2
        )

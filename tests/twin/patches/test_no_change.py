"""A write that changes nothing but when somebody wrote is none."""

import asyncio

import msgspec

from bridgehead.twin.api.exchange import Answer, Request
from bridgehead.twin.objects import Object
from bridgehead.twin.twin import Twin
from tests.twin.servers import APPLY_PATCH
from tests.twin.virtually import START, virtually

PATH = "/api/v1/namespaces/default/configmaps/c"


async def _apply(twin: Twin, configuration: Object) -> Object:
    request = Request(
        method="PATCH",
        path=PATH,
        query=(("fieldManager", "m"),),
        headers={"content-type": APPLY_PATCH, "authorization": f"Bearer {twin.administrator}"},
        body=msgspec.json.encode({"apiVersion": "v1", "kind": "ConfigMap", **configuration}),
    )
    answer = await twin.api.handle(request)
    assert isinstance(answer, Answer)
    decoded: Object = msgspec.json.decode(answer.body)
    return decoded


@virtually
async def test_empty_labels_that_the_server_drops_are_no_change() -> None:
    twin = Twin(start=START)
    twin.start()
    configuration = {"metadata": {"name": "c", "labels": {}}, "data": {"x": "1"}}
    made = await _apply(twin, configuration)
    assert made["metadata"]["resourceVersion"]
    await asyncio.sleep(60)
    assert await _apply(twin, configuration) == made
    await asyncio.sleep(60)
    changed = await _apply(twin, {**configuration, "data": {"x": "2"}})
    assert changed["metadata"]["resourceVersion"] != made["metadata"]["resourceVersion"]
    assert changed["metadata"]["managedFields"][0]["time"] == "2026-01-01T00:02:00Z"

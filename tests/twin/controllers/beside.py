"""One scenario, played on the real cluster and on a twin; what both have shown is compared."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from bridgehead.twin.controllers.node_health import Timing
from bridgehead.twin.nodes.fleet import Fleet, Machine
from bridgehead.twin.nodes.images import Image, Images, Pull
from bridgehead.twin.objects import Object, name_of
from bridgehead.twin.twin import Twin
from bridgehead.twin.virtual.loop import run_virtual
from testbed.api import Api, ApiError
from testbed.base_image import BASE_IMAGE
from testbed.controlplane import NODE_GRACE_PERIOD
from testbed.node import Node
from tests.twin.api.asking import Client
from tests.twin.differential.masking import masked
from tests.twin.virtually import START

MERGE = "application/merge-patch+json"
_NEWS = ("creationTimestamp", "resourceVersion", "uid", "managedFields", "generateName")


class Ask(Protocol):
    """Sends a request: method, path, body, content type; the code and the decoded answer."""

    async def __call__(
        self, method: str, path: str, body: Any, content_type: str
    ) -> tuple[int, Object]: ...


Network = Callable[[str, bool], Awaitable[None]]
"""Takes a node off the network (False), or puts it back."""


class Side:
    """A cluster in which a scenario has a namespace, and nodes of its own if it needs any."""

    def __init__(
        self, ask: Ask, namespace: str, nodes: Sequence[str] = (), network: Network | None = None
    ) -> None:
        self._ask = ask
        self._network = network
        self.namespace = namespace
        self.nodes = list(nodes)
        self.seen: dict[str, str] = {}

    def path(self, resource: str, name: str = "") -> str:
        """``pods``, ``apps/deployments``, or ``/nodes`` of the whole cluster, as a path."""
        group, _, plural = resource.rpartition("/")
        root = f"/apis/{group}/v1" if group else "/api/v1"
        within = "" if resource.startswith("/") else f"/namespaces/{self.namespace}"
        return f"{root}{within}/{plural}" + (f"/{name}" if name else "")

    async def code(self, method: str, path: str, body: Any = None) -> tuple[int, Object]:
        """Any request."""
        return await self._ask(method, path, body, "application/json")

    async def create(self, resource: str, obj: Object) -> Object:
        """Create an object."""
        code, answer = await self.code("POST", self.path(resource), obj)
        assert code == 201, answer
        return answer

    async def patch(self, resource: str, name: str, body: Object) -> Object:
        """Change an object by a merge patch."""
        code, answer = await self._ask("PATCH", self.path(resource, name), body, MERGE)
        assert code == 200, answer
        return answer

    async def delete(self, resource: str, name: str, **options: Any) -> None:
        """Delete an object."""
        code, answer = await self.code("DELETE", self.path(resource, name), options)
        assert code in {200, 202}, answer

    async def get(self, resource: str, name: str) -> Object | None:
        """An object; None where there is none."""
        code, answer = await self.code("GET", self.path(resource, name))
        return answer if code == 200 else None

    async def all(self, resource: str, query: str = "") -> list[Object]:
        """All objects."""
        _, answer = await self.code("GET", self.path(resource) + query)
        found: list[Object] = answer["items"]
        return found

    async def until(
        self, resource: str, name: str, condition: Callable[[Object], Any], within: float = 90.0
    ) -> Object:
        """Wait until something holds for an object; for one that is gone it is asked of ``{}``."""
        async with asyncio.timeout(within):
            while True:
                found = await self.get(resource, name) or {}
                if condition(found):
                    return found
                await asyncio.sleep(0.2)

    async def connect(self, node: str, *, up: bool) -> None:
        """Take a node off the network, or put it back."""
        assert self._network is not None
        await self._network(node, up)

    def note(self, what: str, value: Any) -> None:
        """Keep something for the comparison."""
        names = {"namespace": self.namespace}
        names |= {f"node{place}": name for place, name in enumerate(self.nodes, 1)}
        written = json.dumps(_without_news(value), indent=1, sort_keys=True)
        self.seen[what] = masked(written, names)

    async def note_events(
        self, what: str, name: Callable[[str], bool] = lambda _name: True
    ) -> None:
        """Keep the events of objects: type, reason, message, count and source, in any order."""
        found = [
            (
                event["involvedObject"]["kind"],
                event["type"],
                event["reason"],
                event["message"],
                event.get("count"),
                event["source"].get("component"),
                event["reportingComponent"],
            )
            for event in await self.all("events")
            if name(event["involvedObject"]["name"])
        ]
        names = {"namespace": self.namespace}
        told = [masked(json.dumps(one), names) for one in found]
        self.seen[what] = "\n".join(sorted(told))


Scenario = Callable[[Side], Any]


def _without_news(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _without_news(inner)
            for key, inner in value.items()
            if key not in _NEWS and not key.endswith("last-applied-configuration")
        }
    return [_without_news(inner) for inner in value] if isinstance(value, list) else value


async def on_real(
    api: Api, namespace: str, scenario: Scenario, nodes: Sequence[Node] = ()
) -> dict[str, str]:
    """What the real cluster shows; ``nodes`` are leased ones."""

    async def ask(method: str, path: str, body: Any, content_type: str) -> tuple[int, Object]:
        try:
            answer = await asyncio.to_thread(api.request, method, path, body, content_type)
        except ApiError as error:
            _, _, text = str(error).partition(": ")
            return error.status, json.loads(text) if text.startswith("{") else {}
        return (201 if method == "POST" else 200), answer

    async def network(name: str, up: bool) -> None:
        node = next(node for node in nodes if node.name == name)
        await asyncio.to_thread(node.restore_network if up else node.cut_network)

    side = Side(ask, namespace, [node.name for node in nodes], network)
    await scenario(side)
    return side.seen


async def on_twin(scenario: Scenario, nodes: int = 3) -> dict[str, str]:
    """What a twin shows, in simulated time."""

    async def play() -> dict[str, str]:
        names = [f"node-{number}" for number in range(1, nodes + 1)]
        images = Images()
        images.add(BASE_IMAGE, Image(program="plain", pull=Pull(present=True)))
        fleet = Fleet([Machine(name=name) for name in names], images=images)
        timing = Timing(grace=NODE_GRACE_PERIOD, period=1.0)
        twin = Twin(start=START, fleet=fleet, timing=timing)
        twin.start()
        client = Client(twin.api, twin.administrator)

        async def ask(method: str, path: str, body: Any, content_type: str) -> tuple[int, Object]:
            encoded = b"" if body is None else msgspec.json.encode(body)
            answer: Any = await client.raw(method, path, encoded, {"content-type": content_type})
            return answer.status, msgspec.json.decode(answer.body)

        async def network(name: str, up: bool) -> None:
            (twin.nodes.restore_network if up else twin.nodes.cut_network)(name)

        side = Side(ask, "test-0123456789", names, network)
        await side.code("POST", "/api/v1/namespaces", {"metadata": {"name": side.namespace}})
        await side.until("serviceaccounts", "default", name_of)
        await scenario(side)
        await twin.stop()
        return side.seen

    return await asyncio.to_thread(lambda: run_virtual(play(), start=START))

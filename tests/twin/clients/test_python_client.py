"""The official Python client lists, watches and applies on the twin.

It blocks, so it runs in a thread beside the twin's event loop.
"""

import asyncio
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from tests.twin.clients.conftest import TwinServed

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from kubernetes import client, config, watch
    from kubernetes.client.exceptions import ApiException
    from kubernetes.dynamic import DynamicClient

T = TypeVar("T")


async def _beside(served: TwinServed, use: Callable[[Any], T]) -> T:
    """What a thread makes of a connected client, which is closed again."""

    def call() -> T:
        connect: Any = config.new_client_from_config
        with connect(str(served.kubeconfig)) as connected:
            try:
                return use(connected)
            finally:  # the client itself leaves its connections to the garbage collector
                connected.rest_client.pool_manager.clear()

    return await asyncio.to_thread(call)


async def test_lists_are_read_page_by_page(served: TwinServed) -> None:
    def names(connected: Any) -> list[str]:
        core: Any = client.CoreV1Api(connected)
        page = core.list_node(limit=2)
        rest = core.list_node(limit=2, _continue=page.metadata._continue)
        return [node.metadata.name for node in (*page.items, *rest.items)]

    assert await _beside(served, names) == ["node-0", "node-1", "node-2"]


async def test_a_watch_sees_what_is_written(served: TwinServed) -> None:
    def seen(connected: Any) -> list[tuple[str, str]]:
        core: Any = client.CoreV1Api(connected)
        version = core.list_namespaced_config_map("default").metadata.resource_version
        body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="watched"), data={"key": "one"})
        core.create_namespaced_config_map("default", body)
        core.patch_namespaced_config_map("watched", "default", {"data": {"key": "two"}})
        core.delete_namespaced_config_map("watched", "default")
        watching: Any = watch.Watch
        stream = watching().stream(
            core.list_namespaced_config_map,
            "default",
            resource_version=version,
            timeout_seconds=1,
        )
        return [(event["type"], event["object"].data["key"]) for event in stream]

    assert await _beside(served, seen) == [
        ("ADDED", "one"),
        ("MODIFIED", "two"),
        ("DELETED", "two"),
    ]


async def test_objects_are_applied_and_conflicts_told(served: TwinServed) -> None:
    def applied(connected: Any) -> tuple[str, int, str]:
        dynamic: Any = DynamicClient
        maps = dynamic(connected).resources.get(api_version="v1", kind="ConfigMap")

        def apply(value: str, manager: str, *, force: bool = False) -> Any:
            body = {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "applied"},
                "data": {"key": value},
            }
            return maps.server_side_apply(
                body, namespace="default", field_manager=manager, force_conflicts=force
            )

        first = apply("one", "first").data.key
        with pytest.raises(ApiException) as refused:
            apply("two", "second")
        return first, refused.value.status, apply("two", "second", force=True).data.key

    assert await _beside(served, applied) == ("one", 409, "two")


async def test_refusals_are_told(served: TwinServed) -> None:
    def refused(connected: Any) -> tuple[int, str]:
        core: Any = client.CoreV1Api(connected)
        with pytest.raises(ApiException) as error:
            core.read_namespaced_pod("absent", "default")
        return error.value.status, error.value.reason

    assert await _beside(served, refused) == (404, "Not Found")

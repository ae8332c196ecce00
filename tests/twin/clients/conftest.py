"""A twin of three nodes, served over TLS, for clients that are not ours."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from bridgehead.twin.nodes.fleet import Fleet, Machine
from bridgehead.twin.objects import Object, items
from bridgehead.twin.serving import serving
from bridgehead.twin.twin import Twin


class TwinServed(msgspec.Struct, frozen=True):
    """A twin and the kubeconfig of its administrator."""

    twin: Twin
    kubeconfig: Path


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[TwinServed]:
    """A twin that listens while the test runs."""
    fleet = Fleet([Machine(name=f"node-{number}") for number in range(3)])
    twin = Twin(start=time.time(), fleet=fleet, administrator=secrets.token_urlsafe())
    twin.start()
    await _all_ready(twin)
    async with serving(twin) as address:
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.touch(mode=0o600)
        kubeconfig.write_text(address.kubeconfig)
        yield TwinServed(twin, kubeconfig)
    await twin.stop()


async def _all_ready(twin: Twin) -> None:
    """A DaemonSet that is made before there are nodes is ready without any pod."""
    nodes = twin.kinds.named("", "nodes").stored
    for name in twin.fleet.machines:
        while not _is_ready(twin.store.get(nodes, "", name)):  # noqa: ASYNC110 - a condition
            await asyncio.sleep(0.05)


def _is_ready(node: Object | None) -> bool:
    return any(
        condition["type"] == "Ready" and condition["status"] == "True"
        for condition in items(node, "status", "conditions")
    )

"""helm 4 installs, upgrades, rolls back and removes a chart on the twin."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bridgehead.twin.objects import at
from testbed.parts import parts
from tests.twin.clients.command import run
from tests.twin.clients.conftest import TwinServed

pytestmark = pytest.mark.cluster  # helm is built with the test bed

CHART = Path(__file__).parent / "chart"
Helm = Callable[..., Awaitable[str]]


@pytest.fixture
def helm(served: TwinServed, tmp_path: Path) -> Helm:
    """`await helm("list")`: in the namespace `vendor`."""
    program = parts()["helm"].build() / "helm"
    environment = {
        "KUBECONFIG": str(served.kubeconfig),
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }

    async def call(*words: str) -> str:
        return await run(program, *words, "--namespace", "vendor", environment=environment)

    return call


async def test_a_chart_is_installed_upgraded_rolled_back_and_removed(
    helm: Helm, served: TwinServed
) -> None:
    await helm("install", "gpu", str(CHART), "--create-namespace", "--wait", "--timeout", "40s")
    assert _image(served) == "registry.test/fake:v1"
    assert _ready(served) == 3

    upgrade = ("upgrade", "gpu", str(CHART), "--set", "image=registry.test/fake:v2")
    await helm(*upgrade, "--set", "devices=4", "--wait", "--timeout", "40s")
    assert _image(served) == "registry.test/fake:v2"
    assert _devices(served) == "4"

    await helm("rollback", "gpu", "1", "--wait", "--timeout", "40s")
    assert _image(served) == "registry.test/fake:v1"
    assert _devices(served) == "2"

    history = json.loads(await helm("history", "gpu", "--output", "json"))
    assert [entry["status"] for entry in history] == ["superseded", "superseded", "deployed"]
    assert [entry["revision"] for entry in history] == [1, 2, 3]
    status = json.loads(await helm("status", "gpu", "--output", "json"))
    assert status["info"]["status"] == "deployed"

    await helm("uninstall", "gpu", "--wait", "--timeout", "40s")
    assert _daemon_set(served) is None
    assert json.loads(await helm("list", "--output", "json")) == []


async def test_what_somebody_changed_by_hand_is_taken_back_by_an_upgrade(
    helm: Helm, served: TwinServed
) -> None:
    await helm("install", "gpu", str(CHART), "--create-namespace")
    registry = served.twin.registry
    maps = registry.kinds.named("", "configmaps")
    found = registry.get(maps, "vendor", "gpu")
    registry.update(maps, {**found, "data": {"devices": "99", "own": "kept"}})

    await helm("upgrade", "gpu", str(CHART), "--set", "devices=3", "--force-conflicts")

    assert registry.get(maps, "vendor", "gpu")["data"] == {"devices": "3", "own": "kept"}


def _daemon_set(served: TwinServed) -> dict[str, object] | None:
    kinds = served.twin.registry.kinds
    return served.twin.store.get(kinds.named("apps", "daemonsets").stored, "vendor", "gpu")


def _image(served: TwinServed) -> object:
    return at(_daemon_set(served), "spec", "template", "spec", "containers")[0]["image"]


def _ready(served: TwinServed) -> object:
    return at(_daemon_set(served), "status", "numberReady")


def _devices(served: TwinServed) -> object:
    kinds = served.twin.registry.kinds
    found = served.twin.store.get(kinds.named("", "configmaps").stored, "vendor", "gpu")
    return at(found, "data", "devices")

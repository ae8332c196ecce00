"""A real registry, asked about images that real kubelets cannot pull."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bridgehead.cli.exits import Exit
from bridgehead.cli.main import run
from bridgehead.images.answer import Word
from bridgehead.images.registry import registries
from testbed.cluster import Cluster
from testbed.fixtures import LeaseNodes
from testbed.images import File, Image
from testbed.registry import Registry
from tests.sources.plugin import SURGE

pytestmark = pytest.mark.cluster

Output = pytest.CaptureFixture[str]
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


@pytest.fixture(autouse=True)
def nobody_is_logged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "none"))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.delenv("REGISTRY_AUTH_FILE", raising=False)


@pytest.fixture
def repository(cluster: Cluster, namespace: str) -> str:
    """Holds one image, tagged v1."""
    image = Image(files=(File("/hello", b"hello\n"),), entrypoint=("/hello",))
    digest = Registry(cluster.registry_address).push(f"registry.test/{namespace}:v1", image)
    assert digest.startswith("sha256:")
    return f"{cluster.registry_address}/{namespace}"


async def test_a_real_registry_tells_what_it_has(cluster: Cluster, repository: str) -> None:
    async with registries(plain_http=[cluster.registry_address]) as asked:
        there = await asked.ask(f"{repository}:v1")
        same = await asked.ask(f"{repository}@{there.digest}")
        absent = await asked.ask(f"{repository}:v2")
    assert (there.word, there.architectures) == (Word.FOUND, ("amd64",))
    assert (same.word, same.digest) == (Word.FOUND, there.digest)
    assert absent.word is Word.ABSENT
    assert "MANIFEST_UNKNOWN" in absent.message


@pytest.fixture
async def plugin(
    cluster: Cluster, namespace: str, repository: str, lease_nodes: LeaseNodes, until: Until
) -> dict[str, Any]:
    """A DaemonSet whose pod waits for an image that the registry does not have."""
    await lease_nodes(1, labels={"test": namespace})
    found = _plugin(namespace, f"{repository}:v2")
    cluster.api.create(f"/apis/apps/v1/namespaces/{namespace}/daemonsets", found)

    async def refused() -> bool:
        pods = cluster.api.get(f"/api/v1/namespaces/{namespace}/pods")["items"]
        waiting = [
            item["state"].get("waiting", {}).get("reason")
            for pod in pods
            for item in pod["status"].get("containerStatuses", ())
        ]
        return waiting in (["ErrImagePull"], ["ImagePullBackOff"])

    await until(refused)
    return found


async def test_an_image_that_cannot_be_pulled_is_told_with_the_registrys_answer(
    cluster: Cluster, namespace: str, plugin: dict[str, Any], tmp_path: Path, capsys: Output
) -> None:
    image = plugin["spec"]["template"]["spec"]["containers"][0]["image"]
    where = ("--kubeconfig", str(cluster.kubeconfig), "--plain-http", cluster.registry_address)
    told = await _told(capsys, "diagnose", f"daemonset/{namespace}/plugin", *where)
    (cause,) = (item for item in told["causes"] if item["rule"] == "image-not-pulled")
    assert "the registry does not have it" in cause["message"]
    quoted = {item["source"]: item["text"] for item in cause["evidence"]}
    assert "MANIFEST_UNKNOWN" in quoted[f"registry of image {image}"]

    file = tmp_path / "plugin.yaml"
    file.write_text(yaml.safe_dump(plugin), encoding="utf-8")
    told = await _told(capsys, "lint", str(file), "--registry", *where)
    (finding,) = (item for item in told["findings"] if item["rule"] == "image-not-in-registry")
    assert f"registry {cluster.registry_address} has no image" in finding["message"]


def _plugin(namespace: str, image: str) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(SURGE)
    data["metadata"]["namespace"] = namespace
    del data["spec"]["updateStrategy"]
    spec = data["spec"]["template"]["spec"]
    spec["nodeSelector"] = {"test": namespace}
    spec["containers"][0]["image"] = image
    return data


async def _told(capsys: Output, *arguments: str) -> dict[str, Any]:
    code = await asyncio.to_thread(run, [*arguments, "-o", "json"])
    told = capsys.readouterr()
    assert code == Exit.FINDINGS, told.err
    document: dict[str, Any] = json.loads(told.out)
    return document

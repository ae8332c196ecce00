"""Pushing into the real registry of the test bed."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from testbed.errors import TestbedError
from testbed.images import MANIFEST, File, Image, pack
from testbed.parts import binary
from testbed.registry import Registry

NAME = "registry.test/team/fake:v1"
IMAGE = Image(files=(File("/plugin", b"content"),), entrypoint=("/plugin",), env={"A": "b"})


@pytest.fixture
def registry(tmp_path: Path, testbed_parts: None) -> Iterator[Registry]:
    """A registry of its own on a free port of the loopback."""
    config = {
        "version": 0.1,
        "storage": {
            "filesystem": {"rootdirectory": str(tmp_path / "store")},
            "delete": {"enabled": True},
        },
        "http": {"addr": "127.0.0.1:0"},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    log = tmp_path / "log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [binary("registry", "registry"), "serve", tmp_path / "config.json"],
            stdout=sink,
            stderr=sink,
        )
    try:
        yield Registry(_address(process, log))
    finally:
        process.terminate()
        process.wait()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    while process.poll() is None:
        if found := re.search(r"listening on ([\d.]+:\d+)", log.read_text()):
            return found[1]
        time.sleep(0.02)
    raise AssertionError(log.read_text())


def pulled_manifest(registry: Registry) -> bytes:
    request = Request(
        f"http://{registry.address}/v2/team/fake/manifests/v1", headers={"Accept": MANIFEST}
    )
    with urlopen(request) as answer:
        content: bytes = answer.read()
    return content


@pytest.mark.cluster
def test_a_pushed_image_is_served_as_it_was_packed(registry: Registry) -> None:
    digest = registry.push(NAME, IMAGE)

    assert pulled_manifest(registry) == pack(IMAGE).manifest
    assert digest == pack(IMAGE).digest


@pytest.mark.cluster
def test_pushing_again_changes_nothing(registry: Registry) -> None:
    assert registry.push(NAME, IMAGE) == registry.push(NAME, IMAGE)


@pytest.mark.cluster
def test_a_deleted_image_is_gone(registry: Registry) -> None:
    registry.push(NAME, IMAGE)
    registry.delete(NAME)

    with pytest.raises(TestbedError, match=r"HEAD /v2/team/fake/manifests/v1 was answered 404"):
        registry.delete(NAME)


def test_a_registry_that_does_not_answer_is_named() -> None:
    with pytest.raises(TestbedError, match=r"registry 127\.0\.0\.1:1 does not answer"):
        Registry("127.0.0.1:1").push(NAME, IMAGE)

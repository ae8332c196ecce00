"""Commands that ask image registries, and what of it they tell."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from bridgehead.cli.exits import Exit
from bridgehead.cli.main import run
from tests.images.hub import Hub, platform, served
from tests.sources.plugin import SURGE

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def nobody_is_logged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "none"))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.delenv("REGISTRY_AUTH_FILE", raising=False)


def plugin(folder: Path, image: str) -> str:
    file = folder / "plugin.yaml"
    file.write_text(SURGE.replace("registry.example/plugin:1", image), encoding="utf-8")
    assert image in file.read_text(encoding="utf-8")
    return str(file)


async def linted(capsys: Output, *arguments: str) -> tuple[int, dict[str, Any], str]:
    code = await asyncio.to_thread(run, ["lint", *arguments, "-o", "json"])
    told = capsys.readouterr()
    return code, json.loads(told.out), told.err


async def test_lint_finds_an_image_that_its_registry_does_not_have(
    tmp_path: Path, capsys: Output
) -> None:
    hub = Hub()
    hub.holds("gpu/plugin", "v1", {"manifests": [platform("amd64")]})
    async with served(hub) as address:
        for tag, expected in (("v1", []), ("v2", [f"registry {address} has no image"])):
            file = plugin(tmp_path, f"{address}/gpu/plugin:{tag}")
            _, document, _ = await linted(capsys, file, "--registry")
            said = [
                item["message"].partition(f" {address}/")[0]
                for item in document["findings"]
                if item["rule"] == "image-not-in-registry"
            ]
            assert said == expected


async def test_lint_asks_no_registry_by_itself(tmp_path: Path, capsys: Output) -> None:
    hub = Hub()
    async with served(hub) as address:
        await linted(capsys, plugin(tmp_path, f"{address}/gpu/plugin:v1"))
    assert hub.seen == []


async def test_a_registry_that_does_not_answer_is_never_fine(
    tmp_path: Path, capsys: Output
) -> None:
    async with served(Hub()) as address:
        pass
    file = plugin(tmp_path, f"{address}/gpu/plugin:v1")
    lenient = ("--baseline", str(tmp_path / "old.json"))
    await asyncio.to_thread(run, ["lint", file, *lenient, "--write-baseline"])
    capsys.readouterr()
    code, document, err = await linted(capsys, file, "--registry", *lenient)
    assert code == Exit.INCOMPLETE, document
    assert [item["what"] for item in document["unread"]] == [
        f"registry of image {address}/gpu/plugin:v1"
    ]
    assert f"registry of image {address}/gpu/plugin:v1: {address} is not reached" in err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["lint", "x.yaml", "--plain-http", "r"], "--plain-http goes with --registry"),
        (["diagnose", "--no-registry", "--plain-http", "r"], "goes without --no-registry"),
    ],
)
def test_an_option_about_registries_needs_that_they_are_asked(
    arguments: list[str], why: str, capsys: Output
) -> None:
    assert run(arguments) == Exit.USAGE
    assert why in capsys.readouterr().err

"""``bridgehead inventory`` on recordings and on a server: output, files, exit codes."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bridgehead.cli.exits import Exit
from bridgehead.cli.main import run
from bridgehead.core.inventory.record import recorded
from tests.cli.kubeconfigs import write_kubeconfig
from tests.cluster.api_server import ApiServer
from tests.core.inventory.cluster import snapshot

KINDS = "at: 2026-01-01T00:00:00Z\ncomplete: [Node, Pod, DaemonSet, ControllerRevision]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recorded cluster, one object a file."""
    path = tmp_path / "recorded"
    path.mkdir()
    (path / "recorded.yaml").write_text(KINDS, encoding="utf-8")
    objects: Any = recorded(snapshot())["objects"]
    for number, item in enumerate(objects):
        (path / f"{number}.yaml").write_text(yaml.safe_dump(item), encoding="utf-8")
    return path


Output = pytest.CaptureFixture[str]


def test_a_recording_is_shown_and_the_next_command_told(folder: Path, capsys: Output) -> None:
    assert run(["inventory", "--from", str(folder)]) == Exit.DONE
    told = capsys.readouterr()
    assert "vendor.com/gpu  2/2" in told.out
    assert told.err.startswith("next: bridgehead inventory diff")


@pytest.mark.parametrize("output", ["text", "json", "markdown"])
def test_the_same_state_gives_the_same_bytes(folder: Path, capsys: Output, output: str) -> None:
    run(["inventory", "--from", str(folder), "-o", output])
    first = capsys.readouterr().out
    for name, other in (("0.yaml", "z.yaml"), ("1.yaml", "0.yaml")):
        (folder / name).rename(folder / other)
    run(["inventory", "--from", str(folder), "-o", output])
    assert capsys.readouterr().out == first


def test_a_saved_inventory_is_shown_again_and_has_not_drifted(
    folder: Path, tmp_path: Path, capsys: Output
) -> None:
    saved = tmp_path / "before.json"
    assert run(["inventory", "--from", str(folder), "--save", str(saved)]) == Exit.DONE
    shown = capsys.readouterr().out
    assert run(["inventory", "--from", str(saved)]) == Exit.DONE
    assert capsys.readouterr().out == shown
    assert run(["inventory", "diff", str(saved), str(folder)]) == Exit.DONE


def test_drift_is_exit_1_with_before_and_after(
    folder: Path, tmp_path: Path, capsys: Output
) -> None:
    saved = tmp_path / "before.json"
    run(["inventory", "--from", str(folder), "--save", str(saved)])
    path = folder / "0.yaml"
    node = yaml.safe_load(path.read_text(encoding="utf-8"))
    node["status"]["allocatable"]["vendor.com/gpu"] = "1"
    path.write_text(yaml.safe_dump(node), encoding="utf-8")
    capsys.readouterr()
    assert (
        run(["inventory", "--from", str(folder), "diff", str(saved), "-o", "json"]) == Exit.FINDINGS
    )
    found = json.loads(capsys.readouterr().out)
    assert found["differences"] == [
        {
            "object": "node/n1",
            "what": "vendor.com/gpu allocatable",
            "before": "2",
            "after": "1",
        }
    ]


def test_no_drift_in_what_was_read_is_not_no_drift(folder: Path, capsys: Output) -> None:
    (folder / "recorded.yaml").write_text("at: 2026-01-01T00:00:00Z\n", encoding="utf-8")
    for path in folder.glob("*.yaml"):
        if "ControllerRevision" in path.read_text(encoding="utf-8"):
            path.unlink()
    assert run(["inventory", "diff", str(folder), str(folder)]) == Exit.INCOMPLETE
    assert "not read: controllerrevisions" in capsys.readouterr().err


def test_a_recording_without_pods_is_exit_8(tmp_path: Path, capsys: Output) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    (tmp_path / "node.yaml").write_text(yaml.safe_dump(node), encoding="utf-8")
    arguments = ["inventory", "--from", str(tmp_path), "--at", "2026-01-01T00:00:00Z"]
    assert run(arguments) == Exit.INCOMPLETE
    told = capsys.readouterr()
    assert "Not read" in told.out
    assert "next: see to what was not read" in told.err


def test_a_recording_without_time_and_a_file_that_is_none_are_exit_2(tmp_path: Path) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    path = tmp_path / "node.yaml"
    path.write_text(yaml.safe_dump(node), encoding="utf-8")
    assert run(["inventory", "--from", str(tmp_path)]) == Exit.USAGE
    assert run(["inventory", "--from", str(path)]) == Exit.USAGE


def test_a_file_that_cannot_be_written_is_exit_2(folder: Path, capsys: Output) -> None:
    saved = folder / "none" / "before.json"
    assert run(["inventory", "--from", str(folder), "--save", str(saved)]) == Exit.USAGE
    assert f"cannot write {saved}" in capsys.readouterr().err


def test_no_kubeconfig_is_exit_6(tmp_path: Path, capsys: Output) -> None:
    assert run(["inventory", "--kubeconfig", str(tmp_path / "none")]) == Exit.CANNOT
    assert "does not exist" in capsys.readouterr().err


@pytest.fixture
async def server() -> AsyncIterator[ApiServer]:
    async with ApiServer() as running:
        yield running


@pytest.fixture
def kubeconfig(server: ApiServer, tmp_path: Path) -> Path:
    return write_kubeconfig(tmp_path / "kubeconfig", server.url)


async def command(*arguments: str) -> int:
    """Run a command in a thread: it runs an event loop of its own, the server needs this one."""
    return await asyncio.to_thread(run, list(arguments))


async def test_a_cluster_is_read_with_get_requests_only(
    server: ApiServer, kubeconfig: Path, capsys: Output
) -> None:
    assert await command("inventory", "--kubeconfig", str(kubeconfig)) == Exit.DONE
    assert "API server v1.37.2" in capsys.readouterr().out
    assert {seen.method for seen in server.seen} == {"GET"}


@pytest.mark.parametrize(
    ("path", "ending"),
    [
        ("/api/v1/pods", (Exit.INCOMPLETE, "list pods")),
        ("/apis/apps/v1/daemonsets", (Exit.INCOMPLETE, "list daemonsets.apps")),
        ("/api/v1/nodes", (Exit.CANNOT, "list nodes")),
    ],
)
async def test_a_missing_right_is_told_after_what_could_be_read(
    server: ApiServer, kubeconfig: Path, capsys: Output, path: str, ending: tuple[Exit, str]
) -> None:
    code, grant = ending
    server.forbidden = {path}
    assert await command("inventory", "--kubeconfig", str(kubeconfig)) == code
    told = capsys.readouterr()
    assert "API server v1.37.2" in told.out
    assert f"next: grant: {grant}" in told.err


async def test_a_recording_can_be_compared_with_a_cluster(
    server: ApiServer, kubeconfig: Path, folder: Path, capsys: Output
) -> None:
    code = await command("inventory", "--kubeconfig", str(kubeconfig), "diff", str(folder))
    assert code == Exit.FINDINGS
    assert "node/n2" in capsys.readouterr().out

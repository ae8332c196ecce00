"""``bridgehead twin``: any client works against it, and nothing is left when it ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BRIDGEHEAD = [sys.executable, "-m", "bridgehead"]


@contextmanager
def served(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command in a process of its own, once it serves."""
    process = subprocess.Popen(
        [*BRIDGEHEAD, "twin", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "twin.kubeconfig"
        yield process
    finally:
        process.kill()
        process.communicate()


def bridgehead(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    return subprocess.run(
        [*BRIDGEHEAD, *arguments],
        cwd=folder,
        env={**environment, "KUBECONFIG": "twin.kubeconfig"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_inventory_of_a_served_twin_shows_its_nodes_and_plugin(tmp_path: Path) -> None:
    with served(tmp_path, "--nodes", "10"):
        shown = bridgehead(tmp_path, "inventory")
        assert shown.returncode == 0, shown.stderr
        assert "daemonset/accelerators/device-plugin" in shown.stdout
        assert "10 nodes" in shown.stdout


def test_a_saved_inventory_of_a_twin_begins_another_one(tmp_path: Path) -> None:
    with served(tmp_path, "--nodes", "4"):
        saved = bridgehead(tmp_path, "inventory", "--save", "cluster.json")
        assert saved.returncode == 0, saved.stderr
    (tmp_path / "twin.kubeconfig").unlink(missing_ok=True)
    with served(tmp_path, "--from", "cluster.json"):
        same = bridgehead(tmp_path, "inventory", "diff", "cluster.json")
        assert same.returncode == 0, same.stdout


def offered(folder: Path) -> dict[str, int]:
    """What each node of the served twin offers now."""
    told = bridgehead(folder, "inventory", "-o", "json")
    return {
        node["name"]: item["allocatable"]
        for node in json.loads(told.stdout)["view"]["nodes"]
        for item in node["resources"]
        if item["resource"] == "example.com/accelerator"
    }


def test_an_image_can_be_bad_on_some_nodes(tmp_path: Path) -> None:
    fault = "image=device-plugin:1.0.0,node=node-0001,devices=0"
    with served(tmp_path, "--speed", "20", "--fault", fault):
        for _ in range(60):  # its kubelet reports in time
            if (now := offered(tmp_path))["node-0001"] == 0:
                break
        assert now == {"node-0000": 8, "node-0001": 0, "node-0002": 8}


def test_a_fault_that_names_no_image_is_refused(tmp_path: Path) -> None:
    refused = bridgehead(tmp_path, "twin", "--fault", "devices=0")
    assert refused.returncode == 2
    assert "devices=0: say what an image does wrong, and name it" in refused.stderr


def test_ctrl_c_ends_it_and_takes_the_kubeconfig_away(tmp_path: Path) -> None:
    with served(tmp_path) as process:
        assert (tmp_path / "twin.kubeconfig").stat().st_mode & 0o077 == 0
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_a_kubeconfig_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "twin.kubeconfig"
    file.write_text("mine", encoding="utf-8")
    refused = bridgehead(tmp_path, "twin")
    assert (refused.returncode, file.read_text(encoding="utf-8")) == (2, "mine")


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with served(tmp_path, "--port", "0"):
        address = (tmp_path / "twin.kubeconfig").read_text(encoding="utf-8")
        port = address.partition("https://127.0.0.1:")[2].split()[0].strip("'\"")
        refused = bridgehead(tmp_path, "twin", "--port", port, "--kubeconfig-out", "other")
    assert refused.returncode == 6
    assert f"cannot listen on 127.0.0.1:{port}" in refused.stderr

"""The command ``rehearse``: on saved inventories, with its exit codes, the same bytes each time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridgehead.app.recorded import snapshot_of
from bridgehead.core.inventory.build import build_inventory
from bridgehead.core.inventory.record import record
from bridgehead.report.inventory import pretty_json
from bridgehead.twin.seeding.generic import generic_seed

AT = 1_767_225_600.0
SPEC = """\
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata: {name: up}
component: {daemonSet: {namespace: accelerators, name: device-plugin}}
change: {images: {plugin: "registry.example/device-plugin:1.1.0"}}
verify: {soak: {canary: 30s, wave: 10s}}
"""

COMMAND = (sys.executable, "-m", "bridgehead", "rehearse", "-f", "bridgehead.yaml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A spec and a saved inventory of three nodes."""
    (tmp_path / "bridgehead.yaml").write_text(SPEC, encoding="utf-8")
    seed = generic_seed(3, at=AT)
    snapshot = snapshot_of(seed.objects, at=AT, server="v1.37.2")
    saved = pretty_json(record(snapshot, build_inventory(snapshot)))
    (tmp_path / "before.json").write_text(saved, encoding="utf-8")
    return tmp_path


def _run(folder: Path, *options: str, hashes: str = "0") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, "--from", "before.json", *options],
        cwd=folder,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": hashes},
    )


def test_a_fault_that_is_caught_is_no_complaint(folder: Path) -> None:
    done = _run(folder, "--fault", "initFailure=exit")
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 0, err
    assert "Caught in canary by gate log" in out
    assert "TAKING BACK" in err
    assert "next: bridgehead rollout -f bridgehead.yaml" in err


def test_several_faults_are_a_table_and_a_line_each(folder: Path) -> None:
    done = _run(folder, "--fault", "pull", "--fault", "initFailure=exit")
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 0, err
    assert "pull: caught in preflight" in err
    assert "Of 2 failures this plan catches 2" in out
    assert "preflight passed" not in err, "records of many runs are not told"


def test_the_same_command_gives_the_same_bytes_in_any_process(folder: Path) -> None:
    options = ("-o", "json", "--fault", "devices=0", "--seed", "5")
    first, other = (_run(folder, *options, hashes=hashes) for hashes in ("1", "2"))
    assert first.returncode == 0, first.stderr
    assert (first.stdout, first.stderr) == (other.stdout, other.stderr)
    data = json.loads(first.stdout)
    assert (data["schema"], data["seed"]) == ("bridgehead.dev/rehearsal/v1", 5)


def test_a_change_that_fails_by_itself_is_a_finding(folder: Path) -> None:
    spec = folder / "bridgehead.yaml"
    spec.write_text(f"{SPEC}resources: [registry.example/other]\n", encoding="utf-8")
    done = _run(folder)
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("device=0", "did you mean devices?"),
        ("node=gpu-9,devices=0", "no node of this cluster is meant"),
    ],
)
def test_a_fault_that_is_none_is_wrong_usage(folder: Path, fault: str, says: str) -> None:
    done = _run(folder, "--fault", fault)
    assert done.returncode == 2
    assert says in done.stderr.decode()


def test_what_was_not_recorded_is_told_at_the_end(folder: Path, tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    objects = [item for item in generic_seed(2, at=AT).objects if item["kind"] != "Pod"]
    for number, item in enumerate(objects):
        (parts / f"{number}.json").write_text(json.dumps(item), encoding="utf-8")
    (parts / "recorded.yaml").write_text("at: 2026-01-01T00:00:00Z\n", encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, "--from", str(parts)],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    err = done.stderr.decode()
    assert done.returncode == 8, err
    assert "not read: pods" in err

"""A spec with many mistakes: the command line tells all of them at once, each with its place."""

import subprocess
import sys
from pathlib import Path

import pytest

from bridgehead.cli.exits import Exit

TEN_MISTAKES = """\
apiVersion: bridgehead.dev/v1
kind: Rollout
metadata: {name: Plugin_2}
component:
  daemonset: {namespace: gpu, name: plugin}
change:
  images: {plugin: "Registry/plugin:"}
resources: [device]
canary: {perCohort: 0}
waves:
  - {nodes: 110%, parallel: 1}
verify:
  settle: 5
  soak: {canary: soon}
onFailure: {wave: ignore}
"""
PLACES = {
    "1:13": "apiVersion",
    "3:18": "metadata.name",
    "5:3": "component.daemonset",
    "7:20": "change.images.plugin",
    "8:13": "resources[0]",
    "9:21": "canary.perCohort",
    "11:13": "waves[0].nodes",
    "13:11": "verify.settle",
    "14:18": "verify.soak.canary",
    "15:19": "onFailure.wave",
}


@pytest.mark.parametrize("command", ["rollout", "plan"])
def test_ten_mistakes_are_told_at_once_with_line_and_column(command: str, tmp_path: Path) -> None:
    spec = tmp_path / "bridgehead.yaml"
    spec.write_text(TEN_MISTAKES)

    found = subprocess.run(
        [sys.executable, "-m", "bridgehead", command, "-f", str(spec)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert found.returncode == Exit.USAGE
    told = {
        line.removeprefix(f"{spec}:").split(": ")[0]: line
        for line in found.stderr.splitlines()
        if line.startswith(f"{spec}:")
    }
    assert set(told) == set(PLACES), found.stderr
    for place, name in PLACES.items():
        assert name in told[place]
    assert "has 10 problems; nothing was changed" in found.stderr

"""The spec file and what lies beside it: paths are relative to it, mistakes name their file."""

import os
from pathlib import Path

import pytest

from bridgehead.cli.exits import Exit
from bridgehead.cli.spec_file import read_spec_or_tell
from bridgehead.core.plan.settings import ManifestChange

SPEC = """\
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata: {name: plugin}
component:
  daemonSet: {namespace: gpu, name: plugin}
change:
  manifests: plugin.yaml
"""
MANIFEST = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin}
spec:
  selector: {matchLabels: {app: plugin}}
  template: {metadata: {labels: {app: plugin}}}
"""


def test_a_manifest_is_found_beside_the_spec_wherever_one_stands(tmp_path: Path) -> None:
    (tmp_path / "bridgehead.yaml").write_text(SPEC)
    (tmp_path / "plugin.yaml").write_text(MANIFEST)
    accepted = read_spec_or_tell(tmp_path / "bridgehead.yaml")
    assert not isinstance(accepted, Exit)
    assert isinstance(accepted.spec.change, ManifestChange)
    assert accepted.spec.change.path == "plugin.yaml"


def test_a_mistake_in_a_manifest_is_told_with_the_manifest_s_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bridgehead.yaml").write_text(SPEC)
    (tmp_path / "plugin.yaml").write_text(MANIFEST.replace("{name: plugin}", "{name: other}"))
    assert read_spec_or_tell(tmp_path / "bridgehead.yaml") is Exit.USAGE
    said = capsys.readouterr().err
    assert f"{tmp_path}/plugin.yaml:1:1: daemonset/gpu/plugin is not here" in said
    assert "this is DaemonSet/other" in said


def test_a_named_pipe_as_a_spec_is_told_and_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "bridgehead.yaml")
    assert read_spec_or_tell(tmp_path / "bridgehead.yaml") is Exit.USAGE
    assert "it is a named pipe, no file to be read" in capsys.readouterr().err


def test_a_named_pipe_as_a_manifest_is_told_and_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bridgehead.yaml").write_text(SPEC)
    os.mkfifo(tmp_path / "plugin.yaml")
    assert read_spec_or_tell(tmp_path / "bridgehead.yaml") is Exit.USAGE
    assert "it is a named pipe, no file to be read" in capsys.readouterr().err

"""Kustomizations: rendered by the user's program, and traced back to the files they are made of."""

from pathlib import Path

import pytest

from bridgehead.sources.kustomize import named_by, read_kustomization
from tests.sources.plugin import SURGE
from tests.sources.programs import arguments, program

# As kustomize 5.8 prints it: keys sorted, comments gone.
RENDERED = """\
apiVersion: v1
data:
  a: b
kind: ConfigMap
metadata:
  name: prod-settings-8f6k2
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: prod-plugin
  namespace: gpu
spec:
  template:
    spec:
      containers:
      - image: registry.example/first:1
        name: first
      - image: registry.example/plugin:2
        name: plugin
        volumeMounts:
        - mountPath: /var/lib/kubelet/device-plugins
          name: dir
      priorityClassName: system-node-critical
  updateStrategy:
    rollingUpdate:
      maxSurge: 1
"""


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """An overlay that renames, patches and generates."""
    files = {
        "base/kustomization.yaml": "resources: [plugin.yaml]\n",
        "base/plugin.yaml": SURGE.replace(
            "      maxSurge", "      # bridgehead: ignore[one] why\n      maxSurge"
        ),
        "prod/kustomization.yaml": (
            "resources: [../base, https://example.com/far]\nnamePrefix: prod-\n"
            "patches: [{path: patch.yaml}, {patch: 'a: b'}]\n"
            "configMapGenerator: [{name: settings, files: [key=settings.txt]}]\n"
        ),
        "prod/patch.yaml": (
            "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: plugin}\n"
            "spec: {template: {spec: {priorityClassName: system-node-critical}}}\n"
        ),
        "prod/settings.txt": "b\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "prod"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_objects_are_shown_in_the_files_they_come_from(overlay: Path, programs: Path) -> None:
    program(programs, "kustomize", prints=RENDERED)
    found = read_kustomization(overlay)
    (unit,) = found.units
    settings, plugin = unit.manifests
    assert arguments(programs, "kustomize") == ["build", str(overlay)]
    assert plugin.file == str(overlay.parent / "base" / "plugin.yaml")
    assert plugin.place(("spec", "updateStrategy", "rollingUpdate", "maxSurge")) == (10, 7)
    assert (settings.file, settings.place(("data", "a"))) == (
        str(overlay / "kustomization.yaml"),
        (1, 1),
    )
    assert (unit.complete, unit.fixable) == (True, False)


def test_what_was_changed_is_shown_at_what_is_around_it(overlay: Path, programs: Path) -> None:
    program(programs, "kustomize", prints=RENDERED)
    plugin = read_kustomization(overlay).units[0].manifests[1]
    pod = ("spec", "template", "spec")
    # The container stands second here and first there, and its image is another one.
    assert plugin.place((*pod, "containers", 1, "volumeMounts"))[0] == 17
    assert plugin.place((*pod, "containers", 1, "image"))[0] == 15
    assert plugin.place((*pod, "priorityClassName"))[0] == 13


def test_comments_of_the_files_are_kept(overlay: Path, programs: Path) -> None:
    program(programs, "kustomize", prints=RENDERED)
    (ignore,) = read_kustomization(overlay).ignores
    assert (Path(ignore.file).name, ignore.target) == ("plugin.yaml", 10)


def test_kubectl_serves_as_well(overlay: Path, programs: Path) -> None:
    program(programs, "kubectl", prints=RENDERED)
    assert len(read_kustomization(overlay).units[0].manifests) == 2
    assert arguments(programs, "kubectl") == ["kustomize", str(overlay)]


def test_without_either_it_is_said(overlay: Path, programs: Path) -> None:
    (problem,) = read_kustomization(overlay).problems
    assert "neither kustomize nor kubectl" in problem.message


def test_what_the_program_complains_of_is_told(overlay: Path, programs: Path) -> None:
    program(programs, "kustomize", says="Error: accumulating resources", code=1)
    (problem,) = read_kustomization(overlay).problems
    assert "accumulating resources" in problem.message


def test_files_and_folders_that_it_is_made_of_are_known(overlay: Path) -> None:
    named = {path.name for path in named_by([overlay, overlay.parent / "base"])}
    assert named == {"base", "patch.yaml", "settings.txt", "plugin.yaml"}

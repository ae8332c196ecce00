"""The component among the objects of a file or folder, or why it is not taken from there."""

from pathlib import Path

import pytest

from bridgehead.core.model.problem import Unfit
from bridgehead.core.plan.settings import ComponentKind, ComponentRef, ManifestChange
from bridgehead.sources import read_manifests

REF = ComponentRef(ComponentKind.DAEMON_SET, "gpu", "plugin")
DAEMON_SET = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: plugin
  namespace: gpu
  labels: {team: gpu}
spec:
  minReadySeconds: 5
  selector: {matchLabels: {app: plugin}}
  template:
    metadata: {labels: {app: plugin}}
    spec: {containers: [{name: plugin, image: "r.test/plugin:2"}]}
"""
ACCOUNT = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: plugin, namespace: gpu}\n"


def unfit(folder: Path, path: str = "plugin.yaml") -> Unfit:
    read = read_manifests(folder, path, REF)
    assert isinstance(read, Unfit), read
    return read


def test_the_component_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "plugin.yaml").write_text(DAEMON_SET)
    read = read_manifests(tmp_path, "plugin.yaml", REF)
    assert isinstance(read, ManifestChange)
    assert read.path == "plugin.yaml"
    assert read.template == {
        "metadata": {"labels": {"app": "plugin"}},
        "spec": {"containers": [{"name": "plugin", "image": "r.test/plugin:2"}]},
    }
    assert read.selector == {"matchLabels": {"app": "plugin"}}
    assert read.labels == {"team": "gpu"}
    assert read.rest == {"minReadySeconds": 5}


def test_a_folder_is_read_with_all_that_lies_in_it(tmp_path: Path) -> None:
    (tmp_path / "deploy" / "parts").mkdir(parents=True)
    (tmp_path / "deploy" / "parts" / "plugin.yml").write_text(DAEMON_SET)
    assert isinstance(read_manifests(tmp_path, "deploy", REF), ManifestChange)


def test_a_manifest_without_a_namespace_is_the_component_s(tmp_path: Path) -> None:
    (tmp_path / "plugin.yaml").write_text(DAEMON_SET.replace("  namespace: gpu\n", ""))
    assert isinstance(read_manifests(tmp_path, "plugin.yaml", REF), ManifestChange)


def test_another_object_in_its_place_is_named_with_file_and_line(tmp_path: Path) -> None:
    other = DAEMON_SET.replace("name: plugin\n  namespace", "name: other\n  namespace")
    (tmp_path / "plugin.yaml").write_text(f"{ACCOUNT}---\n{other}")
    found = [(item.line, item.message) for item in unfit(tmp_path).problems]
    assert found == [
        (1, "daemonset/gpu/plugin is not here; this is ServiceAccount/gpu/plugin"),
        (5, "daemonset/gpu/plugin is not here; this is DaemonSet/gpu/other"),
    ]


def test_a_companion_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "plugin.yaml").write_text(f"{DAEMON_SET}---\n{ACCOUNT}")
    (problem,) = unfit(tmp_path).problems
    assert problem.line == 14
    assert "ServiceAccount/gpu/plugin stands beside daemonset/gpu/plugin" in problem.message
    assert "not yet" in problem.message
    assert problem.suggestion == "apply them before, and leave only the DaemonSet here"


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
def test_a_kustomization_is_not_yet_rendered_here(tmp_path: Path, name: str) -> None:
    (tmp_path / "plugin.yaml").write_text(DAEMON_SET)
    (tmp_path / name).write_text("resources: [plugin.yaml]\n")
    for path in (".", name):
        read = unfit(tmp_path, path)
        assert "not yet" in read.message
        assert read.suggestion is not None
        assert read.suggestion.startswith("render it first: kubectl kustomize ")


def test_a_path_that_leads_nowhere_is_said_to(tmp_path: Path) -> None:
    assert unfit(tmp_path).message == f"{tmp_path}/plugin.yaml does not exist"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (DAEMON_SET.replace("apiVersion: apps/v1\n", ""), "no kind and apiVersion"),
        (DAEMON_SET + "---\nvalues: 1\n", "no kind and apiVersion"),
        ("a: [", "this is no YAML"),
        ("", "no Kubernetes objects here"),
        (DAEMON_SET.replace("  template:", "  pattern:"), "has no spec.template"),
        (DAEMON_SET.replace("  selector:", "  choice:"), "has no spec.selector"),
        (f"{DAEMON_SET}---\n{DAEMON_SET.replace('plugin:2', 'plugin:3')}", "otherwise than in"),
    ],
)
def test_what_cannot_be_read_is_never_passed_over(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "plugin.yaml").write_text(text)
    problems = unfit(tmp_path).problems
    assert any(says in item.message for item in problems), problems
    assert not any(item.warning for item in problems)

"""Rules about what files hold beside manifests: each fires twice and is silent twice."""

from pathlib import Path

import pytest

from bridgehead.app.lint import lint
from bridgehead.core.findings.rule import FileRule
from bridgehead.rules.lint.catalogue import FILES
from bridgehead.sources.lint_files import read_paths

SURGE = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin, namespace: gpu}
spec:
  updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}COMMENT
  template:
    spec:
      containers: [{name: c, image: "nvcr.io/nvidia/k8s-device-plugin:v0.17.1"}]
"""
SPEC = """\
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata: {name: a}
component: {daemonSet: {namespace: gpu, name: plugin}}
change: {images: {plugin: 'r.test/p:1'}}
"""


def surge(comment: str = "") -> str:
    return SURGE.replace("COMMENT", f"  # {comment}" if comment else "")


FIRES = {
    "ignore-without-reason": (
        surge("bridgehead: ignore[surge-on-device-plugin]"),
        f"# bridgehead: ignore[surge-on-device-plugin]   \n{surge()}",
    ),
    "ignore-of-unknown-rule": (
        surge("bridgehead: ignore[surge-on-plugin] by choice"),
        f"# bridgehead: ignore[no-such-rule] by choice\n{surge()}",
    ),
    "ignore-not-needed": (
        surge("bridgehead: ignore[bare-device-pod] by choice"),
        surge("bridgehead: ignore[surge-on-device-plugin] by choice").replace("maxSurge: 1, ", ""),
    ),
    "spec-mistake": (f"{SPEC}waevs: []\n", SPEC.replace("Rollout\n", "Rollout\nowner: [a]\n")),
    "spec-doubt": (f"{SPEC}twoPeople: true\n", SPEC.replace("r.test/p:1", "r.test/p:latest")),
}
SILENT = {
    "ignore-without-reason": (surge("bridgehead: ignore[surge-on-device-plugin] by choice"), SPEC),
    "ignore-of-unknown-rule": (surge("bridgehead: ignore[surge-on-device-plugin] why"), surge()),
    "ignore-not-needed": (surge("bridgehead: ignore[surge-on-device-plugin] why"), surge("ignore")),
    "spec-mistake": (SPEC, f"{SPEC}owner: team\n"),
    "spec-doubt": (SPEC, f"{SPEC}twoPeople: true\napprove: [afterCanary]\n"),
}


def said(folder: Path, text: str) -> set[str]:
    path = folder / "a.yaml"
    path.write_text(text, encoding="utf-8")
    return {item.finding.rule for item in lint(read_paths([path]), None).findings}


@pytest.mark.parametrize("rule", FILES, ids=lambda rule: rule.name)
def test_it_has_a_card_fires_and_is_silent(rule: FileRule, tmp_path: Path) -> None:
    assert rule.card.title
    assert len(FIRES[rule.name]) >= 2
    assert len(SILENT[rule.name]) >= 2
    for text in FIRES[rule.name]:
        assert rule.name in said(tmp_path, text), text
    for text in SILENT[rule.name]:
        assert rule.name not in said(tmp_path, text), text

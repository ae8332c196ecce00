"""A dead name belongs to whoever has given it up."""

from typing import Any

import pytest

from bridgehead.core.diagnose.cause import Cause, RollbackHelps
from bridgehead.core.diagnose.judge import diagnose
from bridgehead.core.diagnose.question import Question
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptoms import symptoms_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.runner import ask_diagnosis
from bridgehead.rules.diagnosis.loss.dead_resource_name import RULE
from tests.core.diagnose.cluster import revision
from tests.rules.cases import cases_of, observed


@pytest.mark.parametrize(
    ("component", "told"),
    [("daemonset/gpu/plugin", ["dead-resource-name"]), ("daemonset/gpu/other", [])],
)
def test_a_name_that_nobody_asks_for_is_told_of_the_plugin_that_changed_it(
    component: str, told: list[str]
) -> None:
    (case,) = [item for item in cases_of(RULE).fires if item.name == "nobody asks for it"]
    found = diagnose(observed(case), (RULE,), Question(component=component))
    assert [item.rule for item in found.causes] == told


def renamed(*, asks: bool) -> Cause:
    """The whole plugin has gone over to another name, after a change of its template."""
    (case,) = [it for it in cases_of(RULE).fires if it.name.startswith("a new version offers")]
    left = [it for it in case.cluster or [] if it["metadata"]["name"] in ("n2", "plugin-b")]
    (plugin,) = [it for it in case.cluster or [] if it["kind"] == "DaemonSet"]
    versions = [revision("a1", 1, 90000), revision("b2", 2, 120)]
    for version, name in zip(versions, ("example.com/fake", "example.com/fake-new"), strict=True):
        container = {"name": "ctr", "env": [{"name": "FAKE_RESOURCE", "value": name}]}
        version["data"] = {"spec": {"template": {"spec": {"containers": [container]}}}}
    standing = versions[1]["data"]["spec"]["template"]["spec"]["containers"][0]["env"]
    mended = _with_env(plugin, standing)
    wants = {"name": "main", "resources": {"limits": {"example.com/fake": "1"}}}
    job = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "job", "namespace": "ml", "creationTimestamp": "2026-01-31T11:50:00Z"},
        "spec": {"containers": [wants]},
        "status": {"phase": "Pending"},
    }
    cluster = [*left, mended, *versions, *([job] if asks else [])]
    seen = observed(type(case)(case.name, cluster=cluster, logs=case.logs))
    scene = Scene(seen, symptoms_of(Scene(seen)))
    ((_, cause),) = ask_diagnosis((RULE,), scene).causes
    return cause


def _with_env(plugin: dict[str, Any], env: list[dict[str, str]]) -> dict[str, Any]:
    template = plugin["spec"]["template"]["spec"]
    containers = [template["containers"][0] | {"env": env}]
    spec = plugin["spec"] | {"template": {"spec": template | {"containers": containers}}}
    return plugin | {"spec": spec}


@pytest.mark.parametrize(("asks", "told"), [(True, Severity.ERROR), (False, Severity.INFO)])
def test_a_name_that_a_new_version_gave_up_comes_back_with_the_former_one(
    *, asks: bool, told: Severity
) -> None:
    cause = renamed(asks=asks)
    assert (cause.severity, cause.rollback_helps) == (told, RollbackHelps.YES)
    assert [action.rung for action in cause.actions] == ["", "R2"]

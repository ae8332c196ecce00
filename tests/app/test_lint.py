"""Lint as a whole: rules, comments, specs, a baseline, a cluster, and rules that fail."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from bridgehead.app.lint import Reading, lint, lintable_objects, namespaces_of, reading_for
from bridgehead.app.observed_recording import read_observed
from bridgehead.app.observing import observed_from
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.result import LintResult
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.snapshot import Unread
from bridgehead.sources.lint_files import read_paths
from bridgehead.sources.lintable import Lintable
from tests.core.findings.lint_values import rule

CASES = Path(__file__).parents[1] / "cases"
TWO = """\
# a comment
apiVersion: v1
kind: ConfigMap
metadata:
  name: one
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: two
"""


def _named(linted: Linted) -> Iterable[Violation]:
    for item in linted.of_kind("ConfigMap"):
        yield Violation(manifest=item, path=("metadata", "name"), message="it has a name")


def _crashes(linted: Linted) -> Iterable[Violation]:
    yield from _named(linted)
    raise ValueError("no such thing")


NAMED = rule("ignore-not-needed", _named)
"""A rule that fires at every name; it borrows a name, so that comments may name it."""


def _file(folder: Path, text: str) -> Lintable:
    path = folder / "a.yaml"
    path.write_text(text, encoding="utf-8")
    return read_paths([path])


def _linted(folder: Path, text: str, *rules: LintRule) -> LintResult:
    return lint(_file(folder, text), None, rules=rules or (NAMED,))


def _said(result: LintResult) -> list[tuple[str, int]]:
    return [(item.finding.rule, item.finding.line) for item in result.findings]


def test_findings_have_places(tmp_path: Path) -> None:
    result = _linted(tmp_path, TWO)
    assert _said(result) == [("ignore-not-needed", 5), ("ignore-not-needed", 10)]
    assert (result.objects, result.files) == (2, 1)


def test_a_comment_sets_one_aside_with_its_reason(tmp_path: Path) -> None:
    text = TWO.replace("name: one", "name: one # bridgehead: ignore[ignore-not-needed] so be it")
    result = _linted(tmp_path, text)
    assert _said(result) == [("ignore-not-needed", 10)]
    assert [reason for _, reason in result.aside] == ["so be it"]


def test_a_comment_at_the_head_counts_for_the_object_and_not_for_the_next(tmp_path: Path) -> None:
    text = TWO.replace("# a comment", "# bridgehead: ignore[ignore-not-needed] all of it")
    assert _said(_linted(tmp_path, text)) == [("ignore-not-needed", 10)]


def test_a_comment_without_a_reason_is_an_error_and_sets_nothing_aside(tmp_path: Path) -> None:
    text = TWO.replace("# a comment", "# bridgehead: ignore[ignore-not-needed]")
    result = _linted(tmp_path, text)
    assert _said(result)[0] == ("ignore-without-reason", 1)
    assert result.findings[0].finding.severity is Severity.ERROR
    assert len(result.findings) == 3


def test_a_comment_without_a_rule_is_an_error(tmp_path: Path) -> None:
    text = TWO.replace("# a comment", "# bridgehead: ignore everything here")
    assert ("ignore-without-reason", 1) in _said(_linted(tmp_path, text))


def test_a_comment_for_an_unknown_rule_is_an_error_and_told_once(tmp_path: Path) -> None:
    text = TWO.replace("# a comment", "# bridgehead: ignore[no-such-rule] why")
    said = [item for item in _said(_linted(tmp_path, text)) if item[1] == 1]
    assert said == [("ignore-of-unknown-rule", 1)]


def test_a_comment_with_nothing_to_do_is_a_remark(tmp_path: Path) -> None:
    text = TWO.replace("# a comment", "# bridgehead: ignore[spec-doubt] why")
    (said,) = _linted(tmp_path, text, rule("spec-doubt")).findings
    assert (said.finding.rule, said.finding.severity) == ("ignore-not-needed", Severity.INFO)


def test_of_a_rule_that_could_not_judge_it_is_not_said_that_its_comment_is_idle(
    tmp_path: Path,
) -> None:
    text = TWO.replace("# a comment", "# bridgehead: ignore[spec-doubt] why")
    without = rule("spec-doubt", needs=frozenset({Need.NODES}))
    unsure = rule("spec-doubt", lambda _linted: [Doubt(why="it is dark")])
    broken = rule("spec-doubt", _crashes)
    for one in (without, unsure):
        assert _said(_linted(tmp_path, text, one)) == []
    assert ("ignore-not-needed", 1) not in _said(_linted(tmp_path, text, broken))


def test_a_rule_that_crashes_is_a_defect_of_ours_and_the_others_are_asked(tmp_path: Path) -> None:
    result = _linted(tmp_path, TWO, rule("broken", _crashes), NAMED)
    (failure,) = result.failures
    assert (failure.rule, "no such thing" in failure.error) == ("broken", True)
    assert {name for name, _ in _said(result)} >= {"ignore-not-needed"}


def test_a_rule_without_the_cluster_it_needs_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    (tmp_path / "prod").mkdir()
    for name in ("dev", "prod"):
        (tmp_path / name / "a.yaml").write_text(TWO, encoding="utf-8")
    needy = rule("needy", needs=frozenset({Need.NODES}))
    result = lint(read_paths([tmp_path]), None, rules=(needy,))
    assert [item.rule for item in result.not_known] == ["needy"]


def test_rules_see_the_cluster(tmp_path: Path) -> None:
    def check(linted: Linted) -> Iterable[Violation]:
        assert linted.cluster is not None
        for item in linted.manifests:
            message = f"{len(linted.cluster.snapshot.nodes)} node"
            yield Violation(manifest=item, path=(), message=message)

    node: JsonObject = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    cluster = observed_from([node], at=0.0, complete=["Node"])
    needy = rule("needy", check, needs=frozenset({Need.NODES}))
    result = lint(_file(tmp_path, TWO), cluster, rules=(needy,))
    assert {item.finding.message for item in result.findings} == {"1 node"}


def test_a_permission_that_was_missing_is_unread_and_what_was_not_recorded_is_not(
    tmp_path: Path,
) -> None:
    unread = (Unread("pods", "forbidden", "list pods"), Unread("events", "not recorded"))
    cluster = observed_from([], at=0.0, unread=unread)
    assert lint(_file(tmp_path, TWO), cluster, rules=()).unread == unread[:1]


def test_old_findings_are_counted_and_not_complained_about(tmp_path: Path) -> None:
    first = _linted(tmp_path, TWO)
    known = {first.findings[0].fingerprint: 1, "gone": 1}
    result = lint(_file(tmp_path, f"# moved\n{TWO}"), None, known, rules=(NAMED,))
    assert (len(result.findings), len(result.old), result.gone) == (1, 1, 1)


def test_a_spec_is_checked_by_its_own_reader(tmp_path: Path) -> None:
    text = (
        "apiVersion: bridgehead.dev/v1alpha1\nkind: Rollout\nmetadata: {name: a}\n"
        "component: {daemonSet: {namespace: gpu, name: plugin}}\n"
        "change: {images: {plugin: 'r.test/p:1'}}\nwaevs: []\n"
    )
    result = _linted(tmp_path, text)
    assert _said(result) == [("spec-mistake", 6)]
    assert result.specs == 1
    assert _said(_linted(tmp_path, text.replace("waevs: []\n", ""))) == []


def test_a_spec_with_a_doubtful_value_is_a_warning(tmp_path: Path) -> None:
    text = (
        "apiVersion: bridgehead.dev/v1alpha1\nkind: Rollout\nmetadata: {name: a}\n"
        "component: {daemonSet: {namespace: gpu, name: plugin}}\n"
        "change: {images: {plugin: 'r.test/p:latest'}}\n"
    )
    result = _linted(tmp_path, text)
    assert [item.finding.severity for item in result.findings] == [Severity.WARNING]


def test_configuration_inside_an_object_of_a_cluster_is_read() -> None:
    data: JsonObject = {"kind": "ConfigMap", "data": {"config.yaml": "version: v1\n"}}
    ((manifest,),) = (unit.manifests for unit in lintable_objects([data]).units)
    assert manifest.texts["config.yaml"].value == {"version": "v1"}


def test_what_a_controller_made_is_not_looked_at() -> None:
    owner: JsonObject = {"kind": "ReplicaSet", "name": "r", "controller": True}
    made: JsonObject = {
        "kind": "ConfigMap",
        "metadata": {"name": "a", "ownerReferences": [owner]},
    }
    bare: JsonObject = {"kind": "ConfigMap", "metadata": {"name": "b"}}
    result = lint(lintable_objects([made, bare]), None, rules=(NAMED,))
    assert [item.finding.object.name for item in result.findings] == ["b"]
    assert result.objects == 1


def test_no_more_is_read_of_a_cluster_than_rules_ask_for() -> None:
    needy = rule("needy", needs=frozenset({Need.NODES}))
    assert reading_for([needy], lintable_objects([])).needs == {Need.NODES}
    assert Need.DAEMON_SETS in reading_for([needy], None).needs


def test_what_few_clusters_have_is_read_where_the_manifests_give_a_reason() -> None:
    needy = rule("needy", needs=frozenset({Need.KUBEVIRT, Need.FPGA_REGIONS}))
    plain = reading_for([needy], lintable_objects([{"kind": "Pod"}]))
    assert plain == Reading(needs=frozenset())
    machine = reading_for([needy], lintable_objects([{"kind": "VirtualMachine"}]))
    assert machine == Reading(needs=frozenset({Need.KUBEVIRT}))


def test_without_manifests_the_cluster_itself_must_give_the_reason() -> None:
    needy = rule("needy", needs=frozenset({Need.KUBEVIRT, Need.NODES}))
    reading = reading_for([needy], None)
    assert Need.KUBEVIRT not in reading.needs
    assert Need.NODES in reading.needs
    assert reading.on_occasion == {Need.KUBEVIRT}


def test_namespaces_of_manifests_are_where_a_reader_without_rights_looks() -> None:
    objects: list[JsonObject] = [
        {"kind": "Pod", "metadata": {"name": "a", "namespace": name}} for name in ("b", "a", "b")
    ]
    assert namespaces_of(lintable_objects([*objects, {"kind": "Node"}])) == ("a", "b")


@pytest.mark.parametrize(
    ("case", "name", "said"),
    [
        ("conf-2", "fpga-mapping-mismatch", "the webhook refuses the pod"),
        ("conf-4", "machine-device-on-no-node", "likely offers that card as nvidia.com/2571"),
    ],
)
def test_names_of_recorded_clusters_are_judged_by_their_custom_objects(
    case: str, name: str, said: str
) -> None:
    seen = read_observed(CASES / case / "state").observed
    objects = lintable_objects(item for items in seen.objects.values() for item in items)
    found = [it.finding for it in lint(objects, seen).findings if it.finding.rule == name]
    assert [said in item.message for item in found] == [True]

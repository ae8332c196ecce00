"""Each mistake is named at its place, all at once, with what to write instead."""

import pytest

from bridgehead.spec import problems_text
from tests.spec.specs import MINIMAL, only_problem, rejected

TEN = """\
apiVersion: bridgehead.dev/v1
kind: Rollout
metadata: {name: Plugin_1}
component:
  daemonset: {namespace: gpu, name: plugin}
change:
  images: {plugin: Registry.example/Plugin:1.2.3}
resources: [gpu]
nodes: {include: "a=b,c in (x"}
canary: {perCohort: 0}
waves:
  - {nodes: 50%, parallel: 1e3}
  - {nodes: 10%, parallel: 5}
  - {nodes: 100%}
verify:
  settle: 5s
  timeout: 300
"""


def test_ten_mistakes_and_more_are_all_reported_in_the_order_of_their_lines() -> None:
    problems = rejected(TEN)
    assert [(p.line, p.column, p.path) for p in problems] == [
        (1, 13, "apiVersion"),
        (3, 18, "metadata.name"),
        (5, 3, "component.daemonset"),
        (7, 20, "change.images.plugin"),
        (8, 13, "resources[0]"),
        (9, 30, "nodes.include"),
        (10, 21, "canary.perCohort"),
        (12, 28, "waves[0].parallel"),
        (13, 13, "waves[1].nodes"),
        (14, 5, "waves[2].parallel"),
        (16, 11, "verify.settle"),
        (17, 12, "verify.timeout"),
    ]
    assert {p.file for p in problems} == {"b.yaml"}


@pytest.mark.parametrize(
    ("addition", "place", "text"),
    [
        (
            "cannary: {}",
            (8, 1),
            "cannary is an unknown key; did you mean canary?",
        ),
        (
            "on_failure: {wave: hold}",
            (8, 1),
            "on_failure is an unknown key; did you mean onFailure?",
        ),
        ("settle: 30s", (8, 1), "settle is an unknown key; it belongs under verify"),
        (
            "spec: {waves: []}",
            (8, 1),
            "spec is an unknown key; the keys of a rollout stand at the top level, without spec",
        ),
        (
            "lock: {colour: red}",
            (8, 8),
            "lock.colour is an unknown key; known here: duration",
        ),
        (
            "canary: [node-1]",
            (8, 9),
            "canary: expected a mapping, found a list",
        ),
        (
            "canary: {nodes: node-1}",
            (8, 17),
            "canary.nodes: expected a list, found the text 'node-1'",
        ),
        (
            "canary: {nodes: [UP]}",
            (8, 18),
            "canary.nodes[0]: 'UP' is no valid name: lower case letters, digits, '-' and '.', "
            "a letter or digit at both ends, at most 253 characters",
        ),
        (
            "canary: {restartTest: Always}",
            (8, 23),
            "canary.restartTest: expected always or ifIdle or never, found the text 'Always'; "
            "did you mean always?",
        ),
        ("waves: []", (8, 8), "waves: the least number of entries is 1"),
        (
            "waves: [{nodes: 101%, parallel: 1}]",
            (8, 17),
            "waves[0].nodes: '101%' is no share of nodes: write a number such as 5, or 1% to 100%",
        ),
        (
            "waves: [{nodes: 0, parallel: 1}, {nodes: 100%, parallel: 1}]",
            (8, 17),
            "waves[0].nodes: 0 is no number of nodes: write 1 or more, or a percentage",
        ),
        (
            "waves: [{nodes: 100%, parallel: 0}]",
            (8, 33),
            "waves[0].parallel: the least value is 1",
        ),
        ("waves: [{nodes: 100%}]", (8, 9), "waves[0].parallel is missing"),
        (
            "unproven: 2.5",
            (8, 11),
            "unproven: expected a whole number, found the number 2.5",
        ),
        (
            "verify: {settle: 30}",
            (8, 18),
            "verify.settle: 30 has no unit: write 30s for seconds or 30m for minutes",
        ),
        (
            'verify: {settle: "30"}',
            (8, 18),
            "verify.settle: 30 has no unit: write 30s for seconds or 30m for minutes",
        ),
        (
            "verify: {settle: 30 seconds}",
            (8, 18),
            "verify.settle: '30 seconds' is no duration: write it like 30s, 10m, 1h30m or 500ms",
        ),
        (
            "verify: {settle: [30s]}",
            (8, 18),
            "verify.settle: expected a duration such as 30s, 10m or 1h30m, found a list",
        ),
        (
            "verify: {statusPeriod: 500ms}",
            (8, 24),
            "verify.statusPeriod: 500ms is not within 1s and 1h",
        ),
        (
            'verify: {statusPeriodUnchecked: "yes"}',
            (8, 33),
            "verify.statusPeriodUnchecked: expected true or false, found the text 'yes'; "
            "write true",
        ),
        (
            "verify: {probe: {image: probe:1}}",
            (8, 10),
            "verify.probe.command is missing",
        ),
        (
            "lock: {duration: 1500ms}",
            (8, 18),
            "lock.duration: 1500ms is not within 3s and 10m in whole seconds",
        ),
        (
            "resources: [nvidia.com/gpu, kubernetes.io/gpu]",
            (8, 29),
            "resources[1]: 'kubernetes.io/gpu' belongs to Kubernetes: a device resource has its "
            "vendor's domain",
        ),
        (
            "nodes: {exclude: a b}",
            (8, 20),
            "nodes.exclude: expected one of = != in notin after 'a', not 'b'",
        ),
        (
            "owner: no",
            (8, 8),
            "owner: expected a text, found the boolean false (YAML 1.1 reads a plain no so); "
            'write "no" in quotes to mean the text',
        ),
        (
            "owner: 7",
            (8, 8),
            'owner: expected a text, found the number 7; write "7" in quotes to mean the text',
        ),
        (
            "unproven: 1e3",
            (8, 11),
            "unproven: expected a whole number, found the text '1e3' (YAML 1.1 wants 1.0e+3 for an "
            "exponent); write 1000",
        ),
    ],
)
def test_one_mistake(addition: str, place: tuple[int, int], text: str) -> None:
    problem = only_problem(f"{MINIMAL}{addition}\n")
    assert (problem.line, problem.column) == place
    assert str(problem) == f"b.yaml:{place[0]}:{place[1]}: {text}"


@pytest.mark.parametrize(
    ("addition", "text"),
    [
        *(
            (f"{key}: {{}}", f"not yet: {key} is reserved and this version cannot do it; remove it")
            for key in ("companions", "targets")
        ),
        (
            "verify: {metrics: []}",
            "not yet: verify.metrics is reserved and this version cannot do it; remove it",
        ),
        (
            "onFailure: {command: [git]}",
            "not yet: onFailure.command is reserved and this version cannot do it; remove it",
        ),
    ],
)
def test_what_this_version_cannot_do_is_refused_by_name(addition: str, text: str) -> None:
    assert str(only_problem(f"{MINIMAL}{addition}\n")).endswith(text)


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        ("daemonSet:", "gpuOperator:", ["component.gpuOperator"]),
        ("images:", "helm:", ["change.helm"]),
        ("images:", "adopt:", ["change.adopt"]),
        ("metadata: {name: plugin-1-2}\n", "", ["metadata"]),
        ("  daemonSet: {namespace: gpu-system, name: plugin}", "  {}", ["component.daemonSet"]),
        ("namespace: gpu-system, ", "", ["component.daemonSet.namespace"]),
        ('{plugin: "registry.example:5000/plugin:1.2.3"}', "{}", ["change.images"]),
        ("{plugin:", "{Plugin:", ["change.images.Plugin"]),
    ],
)
def test_mistakes_in_the_required_part(old: str, new: str, paths: list[str]) -> None:
    assert [p.path for p in rejected(MINIMAL.replace(old, new))] == paths


def test_a_reserved_kind_is_refused_without_judging_its_keys() -> None:
    problem = only_problem("apiVersion: bridgehead.dev/v1alpha1\nkind: NodeProfile\nkernel: {}\n")
    assert str(problem).startswith("b.yaml:2:7: not yet: kind: NodeProfile")


def test_a_foreign_document_is_refused_without_judging_its_keys() -> None:
    problem = only_problem("apiVersion: apps/v1\nkind: DaemonSet\nspec: {}\n")
    assert str(problem) == "b.yaml:2:7: kind: expected Rollout, found DaemonSet"


@pytest.mark.parametrize("text", ["owner: me\n", "{}\n"])
def test_everything_that_is_required_is_named_where_it_is_missing(text: str) -> None:
    paths = [problem.path for problem in rejected(text)]
    assert paths == ["apiVersion", "kind", "metadata", "component", "change"]


def test_the_text_shows_the_line_and_a_caret() -> None:
    assert problems_text([only_problem(MINIMAL + "verify: {settle: 30}\n")]) == (
        "b.yaml:8:18: verify.settle: 30 has no unit: write 30s for seconds or 30m for minutes\n"
        "    8 | verify: {settle: 30}\n"
        "      |                  ^\n"
    )


def test_a_long_line_is_cut_around_the_caret() -> None:
    padding = "x" * 200
    text = problems_text(rejected(f'{MINIMAL}verify: {{"{padding}": 1, settle: 30}}\n'))
    shown, caret = text.splitlines()[-2:]
    assert len(shown) <= 100
    assert shown[caret.index("^") :].startswith("30}")

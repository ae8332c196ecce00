"""Objects of a text with their places; what else a text holds."""

import json

import pytest

from bridgehead.sources.positions import is_json, manifests_in, read_text

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"


def test_every_key_and_entry_has_its_place() -> None:
    (found,) = manifests_in("# x\n---\nkind: Pod\napiVersion: v1\nspec:\n  a: [1,\n      2]\n", "f")
    assert found.line == 3
    assert found.place(("spec", "a")) == (6, 3)
    assert found.place(("spec", "a", 1)) == (7, 7)


def test_what_is_missing_is_shown_at_the_nearest_thing_around_it() -> None:
    (found,) = manifests_in(OBJECT, "f")
    assert found.place(("metadata", "labels", "x")) == (3, 1)
    assert found.place(("spec",)) == (1, 1)


def test_entries_of_a_list_are_objects_with_places_of_their_own() -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata:\n"
        "    name: a\n- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n"
    )
    one, two = manifests_in(text, "f")
    assert (one.line, one.place(("metadata", "name"))) == (4, (7, 5))
    assert (two.line, two.place(("metadata", "name"))) == (8, (8, 42))


def test_a_list_of_one_kind_may_leave_the_kind_of_its_entries_out() -> None:
    text = "apiVersion: apps/v1\nkind: DaemonSetList\nitems:\n- metadata: {name: a}\n"
    (found,) = manifests_in(text, "f")
    assert str(found.ref) == "DaemonSet/a"
    assert found.ref.api_version == "apps/v1"


def test_json_has_places_too() -> None:
    text = '{\n\t"apiVersion": "v1",\n\t"kind": "Pod",\n\t"metadata": {"name": "a"}\n}\n'
    (found,) = read_text(text, "f.json", as_json=True).manifests
    assert found.place(("metadata", "name")) == (4, 15)


def test_json_that_no_yaml_reader_takes_is_read_without_places() -> None:
    text = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "\U0001f600"}})
    (found,) = read_text(text, "f.json", as_json=True).manifests
    assert found.place(("metadata", "name")) == (1, 1)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("replicas: 1\n", "no Kubernetes object"),
        ("- a\n", "no Kubernetes object"),
        ("variant: flatcar\nversion: 1.0.0\n", "a Butane configuration"),
        ("ignition: {version: 3.3.0}\n", "an Ignition configuration"),
        ("apiVersion: v1\nkind: Config\nusers: []\n", "a kubeconfig"),
        ("schema: bridgehead.dev/inventory/v1\n", "an output of bridgehead"),
        ("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", "a part of"),
        ("apiVersion: bridgehead.dev/v1\nkind: NodeEvidence\n", "a NodeEvidence of bridgehead"),
    ],
)
def test_what_is_no_object_is_passed_over_by_name(text: str, what: str) -> None:
    read = read_text(f"---\n{text}", "f")
    assert read.manifests == ()
    assert [(item.line, item.what.startswith(what)) for item in read.passed_over] == [(2, True)]


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: bridgehead.dev/v1alpha1\nkind: Rollout\n",
        "component: {daemonSet: {name: a}}\nchange: {}\n",
    ],
)
def test_a_spec_of_ours_is_known(text: str) -> None:
    assert read_text(text, "f").is_spec


def test_empty_documents_are_nothing() -> None:
    assert read_text("---\n# only words\n---\n", "f").passed_over == ()


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("kind: Pod\nmetadata: {name: a}\n", "Pod without apiVersion"),
        ("apiVersion: v1\nmetadata: {name: a}\n", "v1 without kind"),
    ],
)
def test_an_object_of_which_half_the_name_is_missing_is_a_problem(text: str, missing: str) -> None:
    (problem,) = read_text(text, "f").problems
    assert problem.message.startswith(missing)


def test_a_broken_document_costs_nothing_before_it() -> None:
    read = read_text(f"{OBJECT}---\na: [\n", "f")
    assert len(read.manifests) == 1
    (problem,) = read.problems
    assert (problem.line, problem.message.startswith("this is no YAML")) == (7, True)


def test_a_template_is_told_as_one() -> None:
    (problem,) = read_text("a: {{ .Values.x }}\n{{- end }}\n", "f").problems
    assert "lint what it renders to" in problem.message


def test_a_text_without_a_name_is_json_if_it_can_be_read_as_json() -> None:
    assert is_json(' {"a": 1}')
    assert not is_json("{a: 1}")
    assert not is_json("a: 1")

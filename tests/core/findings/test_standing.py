"""What a manifest changes of what stands, and where it would run."""

from typing import Any

import pytest

from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.standing import few, standing, template_changes
from bridgehead.core.model.component import Component
from bridgehead.core.model.node import Node
from bridgehead.core.model.snapshot import Snapshot


def _manifest(template: dict[str, Any], **metadata: str) -> Manifest:
    return Manifest(
        data={"kind": "DaemonSet", "metadata": {**metadata}, "spec": {"template": template}}
    )


def _component(namespace: str, name: str) -> Component:
    return Component(
        namespace=namespace,
        name=name,
        uid=f"{namespace}-{name}",
        generation=1,
        observed_generation=1,
        template={},
        strategy={},
        selector={},
    )


def _linted(*components: Component, nodes: tuple[Node, ...] = ()) -> Linted:
    snapshot = Snapshot(at=0.0, components=components, nodes=nodes)
    return Linted(manifests=(), cluster=Observed(snapshot=snapshot))


def test_a_manifest_means_the_daemonset_of_its_name_and_namespace() -> None:
    linted = _linted(_component("a", "x"), _component("b", "x"), _component("b", "y"))
    assert standing(linted, _manifest({}, name="x", namespace="b")) == _component("b", "x")
    assert standing(linted, _manifest({}, name="y")) == _component("b", "y")
    assert standing(linted, _manifest({}, name="x")) is None
    assert standing(linted, _manifest({}, name="z", namespace="b")) is None
    assert standing(Linted(manifests=()), _manifest({}, name="x")) is None


@pytest.mark.parametrize(
    ("asked", "stands", "changes"),
    [
        ({"spec": {"a": 1}}, {"spec": {"a": 1, "defaulted": "x"}}, ()),
        ({"spec": {"a": "1"}}, {"spec": {"a": 1}}, ()),
        ({"spec": {"a": None}}, {"spec": {"a": 1}}, ()),
        ({"spec": {"a": []}}, {"spec": {}}, ()),
        ({"spec": {"a": 2}}, {"spec": {"a": 1}}, ("spec.a",)),
        ({"spec": {"a": {"b": 2}}}, {"spec": {}}, ("spec.a.b",)),
        ({"c": [{"i": "1"}]}, {"c": [{"i": "2", "x": 1}]}, ("c[0].i",)),
        ({"c": [1]}, {"c": [1, 2]}, ("c",)),
        ({"c": "x"}, {"c": {"d": 1}}, ("c",)),
    ],
)
def test_only_what_the_manifest_says_can_change(
    asked: dict[str, Any], stands: dict[str, Any], changes: tuple[str, ...]
) -> None:
    assert template_changes(_manifest(asked, name="x"), stands) == changes


def test_eligible_nodes_are_those_that_its_placement_allows() -> None:
    nodes = (Node(name="n1", labels={"gpu": "yes"}), Node(name="n2"))
    manifest = _manifest({"spec": {"nodeSelector": {"gpu": "yes"}}}, name="x")
    assert [node.name for node in eligible_nodes(_linted(nodes=nodes), manifest)] == ["n1"]
    assert eligible_nodes(Linted(manifests=()), manifest) == ()


def test_few_names_are_told_and_the_rest_counted() -> None:
    assert few(["a", "b"]) == "a, b"
    assert few(["a", "b", "c"], 2) == "a, b and 1 more"

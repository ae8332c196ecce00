"""Selectors of labels and of nodes."""

from typing import Any

import pytest

from bridgehead.twin.selection import named_nodes, node_fits, selects

LABELS = {"pool": "gpu", "rack": "7"}


@pytest.mark.parametrize(
    ("operator", "values", "fits"),
    [
        ("In", ["gpu", "cpu"], True),
        ("In", ["cpu"], False),
        ("NotIn", ["cpu"], True),
        ("NotIn", ["gpu"], False),
        ("Exists", [], True),
        ("DoesNotExist", [], False),
        ("Gt", ["3"], False),
        ("Lt", ["3"], False),
        ("Near", ["gpu"], False),
    ],
)
def test_a_requirement_on_a_word(operator: str, values: list[str], fits: bool) -> None:
    requirement = {"key": "pool", "operator": operator, "values": values}
    assert selects({"matchExpressions": [requirement]}, LABELS) is fits


@pytest.mark.parametrize(
    ("operator", "value", "fits"),
    [("Gt", "6", True), ("Gt", "7", False), ("Lt", "8", True), ("Lt", "7", False)],
)
def test_a_requirement_on_a_number(operator: str, value: str, fits: bool) -> None:
    requirement = {"key": "rack", "operator": operator, "values": [value]}
    assert selects({"matchExpressions": [requirement]}, LABELS) is fits


def test_an_empty_selector_selects_all_and_none_nothing() -> None:
    assert selects({}, {})
    assert not selects(None, LABELS)
    assert selects({"matchLabels": {"pool": "gpu"}}, LABELS)
    assert not selects({"matchLabels": {"pool": "gpu", "row": "1"}}, LABELS)


def spec(*terms: dict[str, Any]) -> dict[str, Any]:
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"affinity": {"nodeAffinity": rule}}


def on(*names: str) -> dict[str, Any]:
    return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": list(names)}]}


NODE = {"metadata": {"name": "node-1", "labels": LABELS}}
LABELLED = {"matchExpressions": [{"key": "pool", "operator": "Exists"}]}


def test_one_term_of_several_is_enough_and_an_empty_one_means_no_node() -> None:
    assert node_fits(spec(on("node-9"), LABELLED), NODE)
    assert not node_fits(spec({}), NODE)
    assert not node_fits(spec(on("node-9")), NODE)
    assert node_fits({**spec(on("node-1")), "nodeSelector": {"rack": "7"}}, NODE)
    assert not node_fits({**spec(on("node-1")), "nodeSelector": {"rack": "8"}}, NODE)


def test_nodes_are_named_only_where_every_term_names_some() -> None:
    assert named_nodes(spec(on("a"), on("b", "c"))) == frozenset({"a", "b", "c"})
    assert named_nodes(spec(on("a"), LABELLED)) is None
    assert named_nodes({}) is None

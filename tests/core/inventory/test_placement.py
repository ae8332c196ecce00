"""Where a daemon pod goes is decided as the DaemonSet controller decides it."""

import pytest

from bridgehead.core.inventory.placement import (
    Expression,
    Predicate,
    label_conditions,
    labels_asked_for,
    misfit,
    misfits,
    placing,
    without_placing,
)
from bridgehead.core.model.json import JsonObject, JsonValue
from bridgehead.core.model.node import Node, Taint

N1 = Node(name="n1", labels={"pool": "gpu", "count": "8"})


def required(*terms: JsonObject) -> JsonObject:
    node_affinity: JsonObject = {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}
    }
    return {"affinity": {"nodeAffinity": node_affinity}}


def expressions(*items: tuple[str, str, list[str]]) -> JsonObject:
    return {
        "matchExpressions": [
            {"key": key, "operator": operator, "values": values} for key, operator, values in items
        ]
    }


@pytest.mark.parametrize(
    ("spec", "fits"),
    [
        ({}, True),
        ({"nodeSelector": {"pool": "gpu"}}, True),
        ({"nodeSelector": {"pool": "cpu"}}, False),
        (required(expressions(("pool", "In", ["gpu", "x"]))), True),
        (required(expressions(("pool", "NotIn", ["gpu"]))), False),
        (required(expressions(("other", "NotIn", ["gpu"]))), True),
        (required(expressions(("pool", "Exists", []), ("other", "DoesNotExist", []))), True),
        (required(expressions(("pool", "Exists", []), ("other", "Exists", []))), False),
        (required(expressions(("count", "Gt", ["7"]))), True),
        (required(expressions(("count", "Lt", ["8"]))), False),
        (required(expressions(("pool", "Gt", ["7"]))), False),
        (required(expressions(("other", "Exists", [])), expressions(("pool", "Exists", []))), True),
        (required({}), False),
        (required(), False),
        (
            required(
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}
            ),
            False,
        ),
    ],
)
def test_selector_and_affinity_decide(spec: JsonObject, fits: bool) -> None:
    assert (misfit({"spec": spec}, N1) == "") is fits


@pytest.mark.parametrize(
    ("taint", "tolerations", "fits"),
    [
        (Taint("gpu", "NoSchedule", "yes"), [], False),
        (Taint("gpu", "PreferNoSchedule"), [], True),
        (Taint("gpu", "NoSchedule", "yes"), [{"operator": "Exists"}], True),
        (Taint("gpu", "NoSchedule", "yes"), [{"key": "gpu", "operator": "Exists"}], True),
        (Taint("gpu", "NoSchedule", "yes"), [{"key": "gpu", "value": "yes"}], True),
        (Taint("gpu", "NoSchedule", "yes"), [{"key": "gpu", "value": "no"}], False),
        (
            Taint("gpu", "NoExecute"),
            [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
            False,
        ),
        (Taint("node.kubernetes.io/unschedulable", "NoSchedule"), [], True),
        (Taint("node.kubernetes.io/not-ready", "NoExecute"), [], True),
        (Taint("node.kubernetes.io/network-unavailable", "NoSchedule"), [], False),
    ],
)
def test_taints_keep_pods_away_unless_tolerated(
    taint: Taint, tolerations: list[JsonObject], fits: bool
) -> None:
    node = Node(name="n1", taints=(taint,))
    assert (misfit({"spec": {"tolerations": tolerations}}, node) == "") is fits


def test_the_reason_names_what_is_asked_for_and_what_is_there() -> None:
    assert misfit({"spec": {"nodeSelector": {"pool": "cpu"}}}, N1) == (
        "nodeSelector asks for pool=cpu, the node has gpu"
    )


def test_pods_in_the_host_network_tolerate_its_absence() -> None:
    node = Node(name="n1", taints=(Taint("node.kubernetes.io/network-unavailable", "NoSchedule"),))
    assert misfit({"spec": {"hostNetwork": True}}, node) == ""


def test_labels_asked_for_are_those_of_selector_and_affinity() -> None:
    spec = {"nodeSelector": {"a": "b"}, **required(expressions(("c", "Exists", [])))}
    assert labels_asked_for({"spec": spec}) == {"a", "c"}


EXISTS = expressions(("gpu", "Exists", []))


def with_spec(**fields: JsonValue) -> JsonObject:
    return {"metadata": {"labels": {"app": "p"}}, "spec": {"hostNetwork": False, **fields}}


def test_a_node_name_in_the_template_keeps_all_others_away() -> None:
    assert misfit(with_spec(nodeName="n1"), Node(name="n1")) == ""
    assert misfit(with_spec(nodeName="n1"), Node(name="n2")) == "nodeName asks for n1"


@pytest.mark.parametrize(
    "fields",
    [
        {"nodeName": "n1"},
        {"nodeSelector": {"a": "b"}},
        {"tolerations": [{"operator": "Exists"}]},
        required(EXISTS),
    ],
)
def test_what_the_controller_judges_is_told_from_the_rest(fields: dict[str, JsonValue]) -> None:
    assert placing(with_spec(**fields)) != placing(with_spec())
    assert without_placing(with_spec(**fields)) == without_placing(with_spec())


@pytest.mark.parametrize(
    "fields",
    [
        {"hostNetwork": True},
        {
            "affinity": {
                "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}
            }
        },
        {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}},
    ],
)
def test_what_it_does_not_judge_is_no_placement(fields: dict[str, JsonValue]) -> None:
    assert placing(with_spec(**fields)) == placing(with_spec())
    assert without_placing(with_spec(**fields)) != without_placing(with_spec())


@pytest.mark.parametrize("field", ["nodeSelector", "affinity", "tolerations"])
def test_an_empty_field_is_none(field: str) -> None:
    assert placing(with_spec(**{field: {}})) == placing(with_spec())
    assert without_placing(with_spec(**{field: {}})) == without_placing(with_spec())


def test_every_predicate_that_fails_is_told_in_the_controllers_order() -> None:
    node = Node(name="n1", labels={"pool": "cpu"}, taints=(Taint("spot", "NoSchedule", "yes"),))
    spec: JsonObject = {
        "nodeSelector": {"pool": "gpu"},
        **required(expressions(("a", "Exists", []))),
    }
    found = list(misfits({"spec": spec}, node))
    assert [item.predicate for item in found] == [
        Predicate.NODE_SELECTOR,
        Predicate.NODE_AFFINITY,
        Predicate.TAINT,
    ]
    assert found[0].failing == (Expression("pool", "In", ("gpu",)),)
    assert found[2].taint == Taint("spot", "NoSchedule", "yes")


def test_of_affinity_the_term_that_comes_nearest_is_told() -> None:
    far = expressions(("x", "Exists", []), ("y", "Exists", []))
    near = expressions(("pool", "In", ["gpu"]), ("count", "In", ["4", "16"]))
    found = list(misfits({"spec": required(far, near)}, N1))
    assert found[0].failing == (Expression("count", "In", ("4", "16")),)
    assert found[0].text.endswith("the nearest asks for count In (4, 16)")


def test_conditions_of_selector_and_of_all_terms() -> None:
    spec: JsonObject = {
        "nodeSelector": {"pool": "gpu"},
        **required(expressions(("a", "Exists", [])), expressions(("b", "NotIn", ["c"]))),
    }
    found = label_conditions({"spec": spec})
    assert [str(item) for item in found] == ["pool=gpu", "a Exists", "b NotIn (c)"]
    assert [item.positive for item in found] == [True, True, False]

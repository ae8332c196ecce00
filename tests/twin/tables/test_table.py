"""Tables as a whole, and rows that no cluster of the test bed happens to have."""

from typing import Any

import msgspec
import pytest

from bridgehead.twin.kinds import Column, Kind, Kinds
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.tables import table
from bridgehead.twin.tables.cells import selector
from bridgehead.twin.tables.jsonpath import found

KINDS = Kinds(builtin_kinds())
NOW = 1_764_000_000.0


def _named(name: str, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "creationTimestamp": "2025-11-24T15:59:00Z", "resourceVersion": "7"}
    return {"metadata": metadata, **more}


def _cells(group: str, plural: str, obj: dict[str, Any]) -> list[Any]:
    made = table(KINDS.named(group, plural), [obj], NOW)
    cells: list[Any] = made["rows"][0]["cells"]
    assert len(cells) == len(made["columnDefinitions"])
    return cells


def test_one_object_gives_its_version_to_the_table() -> None:
    made = table(KINDS.named("", "configmaps"), [_named("a", data={"x": ""})], NOW)
    assert made["metadata"] == {"resourceVersion": "7"}
    assert made["rows"][0]["cells"] == ["a", 1, "60s"]
    assert made["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


def test_a_row_carries_what_was_asked_for() -> None:
    kind, obj = KINDS.named("", "secrets"), _named("a")
    assert table(kind, [obj], NOW, include="Object")["rows"][0]["object"] is obj
    assert table(kind, [obj], NOW, include="None")["rows"][0]["object"] is None


def test_later_events_of_a_watch_have_no_columns() -> None:
    made = table(KINDS.named("", "secrets"), [_named("a")], NOW, headers=False)
    assert made["columnDefinitions"] is None


def test_an_empty_list_has_no_rows_and_the_generic_one_a_null() -> None:
    metadata = {"resourceVersion": "9"}
    assert table(KINDS.named("", "pods"), [], NOW, metadata=metadata)["rows"] == []
    roles = KINDS.named("rbac.authorization.k8s.io", "roles")
    assert table(roles, [], NOW, metadata=metadata)["rows"] is None


@pytest.mark.parametrize("kind", list(KINDS), ids=lambda kind: f"{kind.api_version}/{kind.plural}")
def test_every_kind_has_a_row_even_for_an_empty_object(kind: Kind) -> None:
    made = table(kind, [_named("a")], NOW)
    assert msgspec.json.encode(made)
    if kind.plural != "ipaddresses":  # whose printer gives a cell too many
        assert len(made["rows"][0]["cells"]) == len(made["columnDefinitions"])


def test_a_node_is_told_with_its_roles() -> None:
    node = _named(
        "n",
        spec={"unschedulable": True},
        status={
            "conditions": [{"type": "Ready", "status": "Unknown"}],
            "nodeInfo": {"kernelVersion": "6.1", "architecture": "amd64"},
        },
    )
    node["metadata"]["labels"] = {"node-role.kubernetes.io/b": "", "kubernetes.io/role": "a"}
    cells = _cells("", "nodes", node)
    assert cells[1:3] == ["NotReady,SchedulingDisabled", "a,b"]
    assert cells[8] == "6.1 (amd64)"


def test_a_job_shows_how_far_it_is() -> None:
    job = _named(
        "j",
        spec={"completions": 3},
        status={"succeeded": 1, "startTime": "2025-11-24T15:59:30Z"},
    )
    assert _cells("batch", "jobs", job)[1:4] == ["Running", "1/3", "30s"]
    job["status"]["conditions"] = [{"type": "Complete", "status": "True"}]
    job["status"]["completionTime"] = "2025-11-24T15:59:34Z"
    assert _cells("batch", "jobs", job)[1:4] == ["Complete", "1/3", "4s"]


def test_a_budget_without_a_side_says_so() -> None:
    budget = _named("b", spec={"minAvailable": "50%"}, status={"disruptionsAllowed": 1})
    assert _cells("policy", "poddisruptionbudgets", budget)[1:4] == ["50%", "N/A", 1]


def test_a_quota_tells_limits_apart() -> None:
    status = {"hard": {"pods": "3", "limits.cpu": "2"}, "used": {"pods": "1"}}
    assert _cells("", "resourcequotas", _named("q", status=status))[1:3] == [
        "pods: 1/3",
        "limits.cpu: 0/2",
    ]


def test_selectors_are_sorted_by_their_keys() -> None:
    value = {
        "matchLabels": {"b": "1"},
        "matchExpressions": [
            {"key": "a", "operator": "In", "values": ["y", "x"]},
            {"key": "c", "operator": "DoesNotExist"},
        ],
    }
    assert selector(value) == "a in (x,y),b=1,!c"


CUSTOM = Kind(group="x.test", version="v1", kind="Thing", plural="things", custom=True)


def test_a_custom_kind_without_columns_shows_its_age() -> None:
    made = table(CUSTOM, [_named("a")], NOW)
    assert [column["name"] for column in made["columnDefinitions"]] == ["Name", "Age"]
    assert made["rows"][0]["cells"] == ["a", "60s"]


def test_a_custom_kind_shows_the_columns_of_its_definition() -> None:
    columns = (
        Column(name="Phase", type="string", json_path=".status.phase"),
        Column(name="Count", type="integer", json_path=".spec.count"),
        Column(name="Map", type="string", json_path=".spec.map"),
        Column(name="When", type="date", json_path=".spec.when", priority=1),
    )
    obj = _named("a", spec={"count": 3, "map": {"k": 1}, "when": "no time"})
    made = table(msgspec.structs.replace(CUSTOM, columns=columns), [obj], NOW)
    assert made["rows"][0]["cells"] == ["a", None, 3, '{"k":1}', "<invalid>"]
    assert made["columnDefinitions"][1]["description"] == (
        "Custom resource definition column (in JSONPath format): .status.phase"
    )
    assert made["columnDefinitions"][4]["priority"] == 1


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (".a.b", [1]),
        (".missing.b", []),
        (".list[0].n", ["x"]),
        (".list[-1].n", ["y"]),
        (".list[*].n", ["x", "y"]),
        (".list[9]", []),
        ('.list[?(@.n=="y")].v', [2]),
        (".list[?(@.v>1)].n", ["y"]),
        (".list[?(@.v)].n", ["x", "y"]),
        (r".l\.a", ["dot"]),
        ("['l.a']", ["dot"]),
        (".a..b", []),
    ],
)
def test_paths_of_columns(path: str, values: list[Any]) -> None:
    value = {"a": {"b": 1}, "list": [{"n": "x", "v": 1}, {"n": "y", "v": 2}], "l.a": "dot"}
    assert found(value, path) == values

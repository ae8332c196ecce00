"""The reader finds nothing in the lines of a real run, and everything that is made wrong in them.

`recorded/` holds the lines of one run of a version that is bad on one node: killed on its way,
resumed by the same command, taken back. Cut down to the fields that the reader uses.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from bridgehead.core.journal.entry import Entry
from tests.chaos.invariants import Bounds, broken, sent
from tests.chaos.lines import PodSeen, Write, pods, writes

RECORDED = Path(__file__).with_name("recorded")


def _lines(name: str) -> list[str]:
    return (RECORDED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


USERS = {json.loads(line)["user"]["username"] for line in _lines("audit")}
WRITES = writes(_lines("audit"), USERS)
SEEN = pods(map(json.loads, _lines("pods")))
ENTRIES = [msgspec.json.decode(line, type=Entry) for line in _lines("journal")]
NODES = sorted({pod.node for pod in SEEN if pod.role == "plugin" and pod.node})
BOUNDS = Bounds(
    namespaces=frozenset({write.namespace for write in WRITES if write.namespace}),
    nodes=dict(zip(NODES, ["model-a", "model-a", "model-b", "model-b"], strict=True)),
    parallel=2,
)


def deletions() -> list[Write]:
    plugins = {pod.name for pod in SEEN if pod.role == "plugin"}
    return [item for item in WRITES if item.verb == "delete" and item.name in plugins]


def found(
    done: list[Write] = WRITES,
    seen: list[PodSeen] = SEEN,
    entries: list[Entry] = ENTRIES,
    bounds: Bounds = BOUNDS,
) -> list[str]:
    return broken(bounds, done, seen, entries)


def without(which: Callable[[Write], bool]) -> list[Write]:
    return [item for item in WRITES if not which(item)]


def unschedulable(write: Write) -> object:
    return (write.body or {}).get("spec", {}).get("unschedulable")


def test_nothing_is_wrong_with_a_run_as_it_was() -> None:
    assert found() == []
    assert len(deletions()) > 3


def test_a_node_outside_the_run() -> None:
    stranger = next(item for item in WRITES if item.resource == "nodes")
    (complaint,) = found([*WRITES, replace(stranger, name="node-99", body=None)])
    assert complaint == f"{stranger.user} wrote outside the run: patch nodes node-99"


def test_a_pod_of_another_namespace() -> None:
    stranger = replace(deletions()[0], namespace="other", name="pod-1")
    (complaint,) = found([*WRITES, stranger])
    assert complaint == f"{stranger.user} wrote outside the run: delete pods other/pod-1"


def test_a_refused_write_outside_changes_nothing() -> None:
    assert found([*WRITES, replace(deletions()[0], namespace="other", code=403)]) == []


def test_more_nodes_in_the_gap_than_allowed() -> None:
    complaints = found(bounds=replace(BOUNDS, parallel=0))
    assert len(complaints) >= len(deletions())
    assert "1 nodes in the gap at a time" in complaints[0]


def test_more_nodes_of_a_cohort_in_the_gap_than_one() -> None:
    complaints = found(bounds=replace(BOUNDS, nodes=dict.fromkeys(NODES, "model-a")))
    assert complaints == [f"2 nodes in the gap at a time ({NODES[0]}, {NODES[2]})"]


def test_a_node_whose_plugin_does_not_come_back() -> None:
    last = deletions()[-1]
    gone = next(index for index, pod in enumerate(SEEN) if pod.name == last.name and pod.leaving)
    node = SEEN[gone].node
    unready = [replace(pod, ready=False) if pod.node == node else pod for pod in SEEN[gone:]]
    assert f"the plugin of {node} did not come back" in found(seen=[*SEEN[:gone], *unready])


def test_a_pod_that_is_deleted_twice() -> None:
    again = deletions()[0]
    assert f"1 pods {again.name} were deleted 2 times" in found([*WRITES, again])


def test_a_second_deletion_that_found_nothing_is_none() -> None:
    assert found([*WRITES, replace(deletions()[0], code=404)]) == []


def test_a_pass_that_is_made_twice() -> None:
    uids = {pod.name: pod.uid for pod in SEEN}
    first, other = deletions()[:2]
    node = next(pod.node for pod in SEEN if pod.name == first.name)
    intents = {entry.detail.get("uid"): entry for entry in ENTRIES if entry.step == "delete-pod"}
    detail = {**intents[uids[first.name]].detail, "uid": uids[other.name]}
    entries = [
        msgspec.structs.replace(entry, node=node, detail=detail)
        if entry.detail.get("uid") == uids[other.name]
        else entry
        for entry in ENTRIES
    ]
    assert any(
        f"the plugin pod of {node} was deleted 2 times for:" in item
        for item in found(entries=entries)
    )


def test_a_deletion_that_no_record_announces() -> None:
    entries = [entry for entry in ENTRIES if entry.step != "delete-pod"]
    assert found(entries=entries) == [
        f"no record announces the deletion of {item.name}" for item in deletions()
    ]


def test_a_node_that_stays_cordoned() -> None:
    last = [item for item in WRITES if unschedulable(item) is False][-1]
    assert found(without(lambda item: item is last)) == [
        f"{last.name} was cordoned and never uncordoned"
    ]


def test_a_node_that_somebody_else_had_cordoned() -> None:
    first = next(item for item in WRITES if unschedulable(item) is True)
    assert f"{first.user} uncordoned {first.name}, which this run had not cordoned" in found(
        without(lambda item: item is first)
    )


@pytest.mark.parametrize(
    ("leaving", "restarts", "told"), [(True, 0, "was deleted"), (False, 1, "restarted")]
)
def test_a_workload_that_does_not_live_through_it(leaving: bool, restarts: int, told: str) -> None:
    holder = next(pod for pod in SEEN if pod.role == "holder")
    seen = [*SEEN, replace(holder, leaving=leaving, restarts=restarts)]
    assert found(seen=seen) == [f"workload {holder.name} {told}"]


def test_what_somebody_sent_holds_refused_writes_and_no_questions() -> None:
    one = deletions()[0]
    done = [one, replace(one, code=409), replace(one, asks=True), replace(one, resource="leases")]
    assert sent(done, one.user) == done[:2]
    assert sent(done, "somebody else") == []

"""Two runs of different components over the same nodes at once, judged by the audit log."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import text
from bridgehead.core.model.node import HELD_BY
from testbed.cluster import Cluster
from testbed.fixtures import fresh_namespace
from tests.chaos.lines import Write, writes
from tests.scenarios.conftest import SetStage
from tests.scenarios.playing import Played, play
from tests.scenarios.scenario import Scenario
from tests.scenarios.setting import clean
from tests.scenarios.stage import Stage
from tests.scenarios.view import node_object

SCENARIO = Scenario.model_validate(
    {
        "kind": "Scenario",
        "says": "Runs of two components share nodes and leave each other's cordons alone.",
        "runsOn": ["kubelet"],
        "images": {"fake:v1": {}, "fake:v2": {}},
        "given": {"nodes": [{}, {}], "plugin": {"image": "fake:v1"}},
        "spec": {
            "change": {"images": {"plugin": "fake:v2"}},
            "canary": {"restartTest": "never"},
            "verify": {"timeout": "2m"},
        },
        "expect": {"exit": 0},
    }
)


@pytest.mark.cluster
async def test_each_run_uncordons_its_own_nodes_only_and_both_end_well(
    cluster: Cluster, set_stage: SetStage, tmp_path: Path
) -> None:
    first = await set_stage(SCENARIO)
    folder = tmp_path / "second"
    folder.mkdir()
    with fresh_namespace(cluster) as namespace:
        second = replace(first, namespace=namespace, folder=folder)
        try:
            plays = await asyncio.gather(play(first), play(second))
        finally:
            await asyncio.to_thread(clean, second)
        _judge(cluster, (first, second), [play for (play,) in plays])


def _judge(cluster: Cluster, stages: Sequence[Stage], plays: Sequence[Played]) -> None:
    assert [play.exit for play in plays] == [0, 0], [play.output for play in plays]
    for number, _ in enumerate(SCENARIO.given.nodes):
        node = node_object(stages[0], number)
        assert not node["spec"].get("unschedulable")
        assert HELD_BY not in node["metadata"].get("annotations", {})
    assert any(_met(play.entries) for play in plays), "the runs never met on a node"
    lines = cluster.audit_log.read_text(encoding="utf-8").splitlines()
    done = writes(lines, {stage.user for stage in stages})
    wrong = [line for node in stages[0].nodes for line in _meddling(node.name, done)]
    assert wrong == []


def _met(entries: Iterable[Entry]) -> bool:
    """Whether the run had to wait for a node of the other, or was refused it."""
    told = (text(entry.detail, "reason") + text(entry.detail, "message") for entry in entries)
    return any("held by" in words for words in told)


def _meddling(node: str, done: Iterable[Write]) -> Iterator[str]:
    """Writes of one run to a node that the other holds."""
    holder = ""
    for write in done:
        if (write.resource, write.name) != ("nodes", node) or not write.stored:
            continue
        if holder not in {"", write.user}:
            yield f"{write.user} wrote to {node}, which {holder} held: {write.body}"
        marks = (write.body or {}).get("metadata", {}).get("annotations", {})
        holder = write.user if marks.get(HELD_BY) else ""

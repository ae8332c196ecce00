"""A runner may die after any record and after any effect: the next one ends as the first would."""

import copy
from collections import Counter

import msgspec
import pytest

from bridgehead.core.journal.entry import Entry
from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.settings import OnFailure, Reaction
from bridgehead.core.rollout.state import Ending
from tests.core.standin.cluster import Cluster
from tests.core.standin.plans import canary, plan_of, wave
from tests.core.standin.runner import Runner
from tests.core.standin.versions import GOOD, Version

NODES = ("a1", "a2", "a3")

Crash = tuple[Cluster, list[Entry]]
"""What is left when a runner dies: the cluster and the journal."""


def small_plan() -> Plan:
    stages = (canary("canary", "a1", soak=3.0), wave(1, "a2", "a3", parallel=2, soak=2.0))
    return plan_of(
        NODES,
        stages=stages,
        settle=2.0,
        timeout=12.0,
        on_failure=OnFailure(wave=Reaction.ROLLBACK),
    )


class Story:
    """An undisturbed run, with the cluster and the journal as they were after each step."""

    def __init__(self, version: Version) -> None:
        self.plan = small_plan()
        self.crashes: list[Crash] = []
        cluster = Cluster(NODES, {"v2": version})
        runner = Runner(cluster, self.plan, after_step=self._remember)
        self.ending = runner.run()
        self.cluster = cluster

    def _remember(self, runner: Runner) -> None:
        self.crashes.append((copy.deepcopy(runner.cluster), list(runner.journal)))

    def resumed(self, crash: Crash, *, park: bool = False) -> tuple[Ending, Cluster]:
        """The ending that a second runner comes to, some seconds after the crash."""
        cluster, journal = copy.deepcopy(crash[0]), list(crash[1])
        cluster.advance(4.0)
        second = Runner(cluster, self.plan, journal=journal)
        if park and not second.state.ending:
            while second.state.pending:
                second.turn()
            second.interrupt()
        return second.run(), cluster


GOOD_STORY = Story(GOOD)
BAD_STORY = Story(Version(devices=3, only_on=frozenset({"a3"})))


def end_of(story: Story, ending: Ending, cluster: Cluster) -> tuple[object, ...]:
    component = cluster.daemonset
    assert component is not None
    failure = (ending.failure.gate, ending.failure.node) if ending.failure else None
    return (
        ending.exit,
        ending.rollback_helps,
        failure,
        cluster.tags(),
        component.template,
        component.strategy,
        cluster.leftovers,
    )


@pytest.mark.parametrize(
    ("story", "exit_code"), [(GOOD_STORY, 0), (BAD_STORY, 3)], ids=["good", "bad"]
)
def test_after_a_crash_at_any_step_the_run_ends_as_if_undisturbed(
    story: Story, exit_code: int
) -> None:
    assert story.ending.exit == exit_code
    wanted = end_of(story, story.ending, story.cluster)
    deleted = Counter(deletion.node for deletion in story.cluster.deletions)
    for number, crash in enumerate(story.crashes):
        ending, cluster = story.resumed(crash)
        if crash[1][-1].step == "run" and crash[1][-1].result == "ended":
            continue
        where = f"crash {number} after {crash[1][-1].step} {crash[1][-1].node}"
        assert end_of(story, ending, cluster) == wanted, where
        again = Counter(deletion.node for deletion in cluster.deletions)
        assert again == deleted, where
        assert all(deletion.observed for deletion in cluster.deletions), where


@pytest.mark.parametrize(
    ("story", "exit_code"), [(GOOD_STORY, 0), (BAD_STORY, 3)], ids=["good", "bad"]
)
def test_a_runner_that_takes_over_may_park_before_its_first_write(
    story: Story, exit_code: int
) -> None:
    for number, crash in enumerate(story.crashes[::3]):
        ending, cluster = story.resumed(crash, park=True)
        where = f"crash {3 * number} after {crash[1][-1].step} {crash[1][-1].node}"
        assert ending.exit == exit_code, where
        assert cluster.tags() == story.cluster.tags(), where
        assert cluster.leftovers == [], where
        assert all(deletion.observed for deletion in cluster.deletions), where


def test_a_write_of_somebody_else_beside_a_lost_outcome_does_not_pass_for_ours() -> None:
    intended = next(
        crash for crash in GOOD_STORY.crashes if crash[1][-1].step == "flip" and _flipped(crash)
    )
    cluster = copy.deepcopy(intended[0])
    assert cluster.daemonset is not None
    cluster.daemonset.write(cluster.now, "kubectl", strategy={"type": "OnDelete", "x": 1})
    cluster.advance(2)
    ending = Runner(cluster, GOOD_STORY.plan, journal=list(intended[1])).run()
    assert ending.exit == 4
    assert "was changed by kubectl" in ending.summary


def _flipped(crash: Crash) -> bool:
    """Whether the effect is there and its outcome is not recorded."""
    component = crash[0].daemonset
    return component is not None and component.template == GOOD_STORY.plan.target_template


def test_an_ended_run_gives_the_same_ending_again() -> None:
    cluster, journal = GOOD_STORY.crashes[-1]
    second = Runner(cluster, GOOD_STORY.plan, journal=list(journal))
    assert second.run() == msgspec.structs.replace(GOOD_STORY.ending, failure=None)

"""The loop is killed at every record and every effect: the next one ends as the first would."""

import random
from collections import Counter

import pytest

from bridgehead.core.journal.chain import check
from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.settings import OnFailure, Reaction
from bridgehead.core.rollout.commands import Flip, LetGo, Position, Purpose
from bridgehead.core.rollout.state import Ending
from tests.app.mortal import Story, Telling
from tests.core.standin.cluster import Cluster
from tests.core.standin.controller import hash_of, template_of
from tests.core.standin.plans import canary, plan_of, wave
from tests.core.standin.versions import Version

TWO_KINDS = ("a1", "a2", "a3", "b1", "b2")
ONE_KIND = ("a1", "a2", "a3")
PAIR = ("a1", "a2")
PARALLEL = 2
FORMER = hash_of(template_of("v1"))
DOUBLE = 20
"""Seeded pairs of deaths a story."""


def two_kinds() -> Plan:
    stages = (
        canary("canary", "a1", soak=2.0),
        canary("other canaries", "b1", soak=2.0),
        wave(1, "a2", "b2", soak=2.0),
        wave(2, "a3", soak=2.0),
    )
    return plan_of(TWO_KINDS, stages=stages, settle=2.0, timeout=12.0)


def one_kind(nodes: tuple[str, ...], on_failure: OnFailure | None = None) -> Plan:
    stages = (canary("canary", nodes[0], soak=2.0), wave(1, *nodes[1:], parallel=2, soak=2.0))
    return plan_of(nodes, stages=stages, settle=2.0, timeout=12.0, on_failure=on_failure)


def two_canaries() -> Plan:
    nodes = ("a1", "a2", "b1")
    stages = (canary("canary", "a1", soak=2.0), canary("other canaries", "b1", soak=2.0))
    return plan_of(nodes, stages=(*stages, wave(1, "a2")), settle=2.0, timeout=12.0)


def disturb(cluster: Cluster) -> None:
    cluster.delete_by_hand("a1")
    cluster.hold_devices("a2", 4)


STORIES = {
    "good": Story(two_kinds(), TWO_KINDS),
    "good under a slow controller": Story(one_kind(PAIR), PAIR, lag=3.0),
    "canary fails": Story(
        two_canaries(), ("a1", "a2", "b1"), Version(devices=3, only_on=frozenset({"b1"}))
    ),
    "node fails in a wave, held, then taken back": Story(
        one_kind(ONE_KIND),
        ONE_KIND,
        Version(devices=0, only_on=frozenset({"a3"})),
        asked_back="held",
    ),
    "node fails in a wave, held": Story(
        one_kind(ONE_KIND), ONE_KIND, Version(crash_after=0.0, only_on=frozenset({"a2"}))
    ),
    "node fails in a wave, taken back at once": Story(
        one_kind(PAIR, OnFailure(wave=Reaction.ROLLBACK)),
        PAIR,
        Version(unhealthy_after=1.0, only_on=frozenset({"a2"})),
    ),
    "restart test finds drift": Story(one_kind(PAIR), PAIR, drifted="a1"),
    "disturbed": Story(one_kind(ONE_KIND), ONE_KIND, during={"stage soaking": disturb}),
    "asked back in the middle": Story(
        one_kind(ONE_KIND), ONE_KIND, asked_back="delete-pod a2 done"
    ),
}
EXITS = {
    "good": 0,
    "good under a slow controller": 0,
    "canary fails": 3,
    "node fails in a wave, held, then taken back": 3,
    "node fails in a wave, held": 4,
    "node fails in a wave, taken back at once": 3,
    "restart test finds drift": 4,
    "disturbed": 0,
    "asked back in the middle": 3,
}
every_story = pytest.mark.parametrize("name", STORIES)


def end_of(told: Telling, ending: Ending) -> tuple[object, ...]:
    """What must be the same however often the runner died."""
    component = told.cluster.daemonset
    assert component is not None
    failed = told.state.failure
    failure = (failed.gate, failed.node) if failed else None
    return (
        ending.exit,
        failure,
        told.cluster.tags(),
        component.template,
        component.strategy,
        told.cluster.leftovers,
        told.holds_change,
    )


def replaced(told: Telling) -> Counter[tuple[str, Purpose]]:
    return Counter((item.node, purpose) for item, purpose in told.deletions)


def judge(told: Telling, undisturbed: Telling) -> None:
    """Nothing was done twice, too early, or to too many at once."""
    assert told.twice == []
    assert told.over_budget == []
    assert told.cluster.unobserved_writes == []
    assert told.cluster.rolled == []
    assert all(deletion.observed for deletion in told.cluster.deletions)
    assert check(told.records.entries, told.records.start) is None
    assert all(isinstance(command, LetGo) for command in told.state.pending.values())
    again = replaced(told) - replaced(undisturbed)
    # Who takes over parks first: a successor that was not there yet comes up on the former version.
    assert all(purpose is Purpose.CHANGE for _, purpose in again)
    assert sum(again.values()) <= told.deaths * PARALLEL
    revisions = {deletion.uid: deletion.revision for deletion in told.cluster.deletions}
    changed = [item.uid for item, purpose in told.deletions if purpose is Purpose.CHANGE]
    assert {revisions[uid] for uid in changed if uid in revisions} <= {FORMER}
    assert told.counted(Flip) <= undisturbed.counted(Flip) + 2 * told.deaths


def undisturbed(name: str) -> tuple[Telling, Ending]:
    told = Telling(STORIES[name], keep=True)
    return told, told.tell()


@every_story
def test_killed_once_at_any_moment_the_run_ends_as_if_undisturbed(name: str) -> None:
    first, ending = undisturbed(name)
    assert ending.exit == EXITS[name], ending.summary
    judge(first, first)
    for told in first.remains:
        where = f"killed at {told.fuse.moments} of {first.fuse.moments}"
        exposed, before = told.exposed, len(told.performed)
        again = told.taken_over()
        assert end_of(told, again) == end_of(first, ending), where
        if exposed:
            assert told.performed[before].command == Flip(to=Position.FORMER), where
        judge(told, first)


@every_story
def test_killed_twice_at_seeded_moments_the_run_ends_as_if_undisturbed(name: str) -> None:
    first, ending = undisturbed(name)
    chance = random.Random(name)
    for told in chance.sample(first.remains, min(DOUBLE, len(first.remains))):
        begin = told.fuse.moments
        second = chance.randint(begin + 1, first.fuse.moments + 4)
        again = told.taken_over(kills={second})
        assert end_of(told, again) == end_of(first, ending), f"killed at {begin} and {second}"
        judge(told, first)

"""Pods that hold devices of a node about to change: kept, waited for, evicted, or in the way."""

import copy
from itertools import pairwise

import pytest

from bridgehead.core.journal.entry import Entry
from bridgehead.core.plan.plan import Care, SetAside
from bridgehead.core.plan.settings import Workloads
from bridgehead.core.rollout.commands import Position
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.resuming import fits, put_off
from bridgehead.core.rollout.state import Answer, NodeStatus
from tests.core.rollout.asking import go_on, pause, resume, retry
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import Cluster
from tests.core.standin.plans import canary, plan_of, wave
from tests.core.standin.runner import Runner
from tests.core.standin.versions import GOOD, Version

LIMIT = 120.0
WAIT = Care(Workloads.WAIT, LIMIT)
EVICT = Care(Workloads.EVICT, LIMIT)
ALL_ON_TARGET = dict.fromkeys(FOUR, "v2")


def waits_at(node: str, runner: Runner) -> bool:
    return f"node {node} occupied" in runner.steps_text


def test_pods_that_are_kept_are_neither_waited_for_nor_told_of() -> None:
    scene = Scene()
    for name in FOUR:
        scene.cluster.hold_devices(name)
    assert scene.run().exit == 0
    assert not [step for step in scene.steps if "occupied" in step or "cleared" in step]
    assert len(scene.cluster.workload) == len(FOUR)


def test_a_cordoned_node_waits_until_its_last_holder_has_ended() -> None:
    scene = Scene(care=WAIT)
    first, second = scene.cluster.hold_devices("a2"), scene.cluster.hold_devices("a2")
    scene.runner.until(lambda runner: waits_at("a2", runner))
    plugin = scene.cluster.pod_of("a2").uid
    for uid in (first, second):
        scene.cluster.advance(30)
        scene.runner.turn()
        assert scene.cluster.nodes["a2"].unschedulable
        assert scene.cluster.pod_of("a2").uid == plugin
        scene.cluster.end_workload(uid)
    assert scene.run().exit == 0
    assert scene.cluster.tags() == ALL_ON_TARGET
    assert not scene.cluster.leftovers


@pytest.mark.parametrize("names", [("a2", "b2"), ("b1",)], ids=["a wave", "a canary"])
def test_going_on_tries_nodes_again_that_were_set_aside_before_it_stopped(
    names: tuple[str, ...],
) -> None:
    scene = Scene(care=WAIT)
    for name in names:
        scene.cluster.hold_devices(name)
    assert scene.run().exit == 4
    run = scene.runner.run_value
    assert put_off(run) == names
    assert all(fits(run, name, Answer.RETRY) for name in names)
    for uid in list(scene.cluster.workload):
        scene.cluster.end_workload(uid)
    retry(*names)(scene.cluster)
    assert go_on(scene).run().exit == 0
    assert scene.cluster.tags() == ALL_ON_TARGET
    assert not scene.cluster.leftovers


def test_a_wave_of_which_no_node_was_changed_is_not_said_to_have_passed() -> None:
    scene = Scene(care=WAIT)
    for name in ("a2", "b2"):
        scene.cluster.hold_devices(name)
    assert scene.run().exit == 4
    over = [e.detail for e in scene.journal if (e.step, e.result) == ("stage", "passed")]
    assert [item.get("reason", "") for item in over] == [
        "",
        "",
        "no node of it was changed (set-aside)",
    ]


def test_no_new_template_stands_while_a_node_waits_for_its_holders() -> None:
    standing: set[Position] = set()

    def watch(runner: Runner) -> None:
        working = runner.state.working
        if working and all(item.work and item.work.cleared_at is None for item in working):
            standing.add(runner.state.template)

    scene = Scene(care=WAIT, watch=watch)
    for name in FOUR:
        scene.cluster.end_workload(scene.cluster.hold_devices(name))
    assert scene.run().exit == 0
    assert standing == {Position.FORMER}


def test_a_node_whose_holder_stays_is_given_back_and_set_aside_with_the_pod_named() -> None:
    scene = Scene(care=WAIT)
    holder = scene.cluster.hold_devices("a2")
    ending = scene.run()
    assert ending.exit == 4
    assert f"default/{holder}" in ending.summary
    node = scene.runner.state.node("a2")
    assert node.status is NodeStatus.SET_ASIDE
    assert node.reason == f"its devices are still held: pod default/{holder} after 2m"
    assert scene.cluster.tags() == {**ALL_ON_TARGET, "a2": "v1"}
    assert not scene.cluster.nodes["a2"].unschedulable
    assert not scene.cluster.nodes["a2"].annotations
    cordoned = next(e for e in scene.journal if e.step == "cordon" and e.node == "a2")
    aside = next(e for e in scene.journal if e.result == "set-aside")
    assert aside.at - cordoned.at == pytest.approx(LIMIT, abs=5)


def test_a_canary_that_cannot_be_cleared_leaves_its_kind_alone() -> None:
    scene = Scene(care=WAIT)
    scene.cluster.hold_devices("a1")
    ending = scene.run()
    assert ending.exit == 4
    assert scene.touched == set()
    assert "canary a1 was not changed (its devices are still held" in ending.summary


def test_a_restart_test_waits_too_and_its_node_stays_cordoned_until_it_is_changed() -> None:
    scene = Scene(care=WAIT)
    uid = scene.cluster.hold_devices("a1")
    scene.runner.until(lambda runner: waits_at("a1", runner))
    assert scene.cluster.uids() == scene.before
    scene.cluster.end_workload(uid)
    assert scene.run().exit == 0
    about_it = [step for step in scene.steps if step.split()[1:2] == ["a1"]]
    assert about_it.index("uncordon a1 intent") > about_it.index("cordon a1 done")
    assert about_it.count("uncordon a1 done") == 1
    assert about_it.count("delete-pod a1 done") == 2


def test_through_a_pause_it_is_not_kept_cordoned_and_is_tested_anew_after_it() -> None:
    scene = Scene(care=WAIT)
    scene.runner.limits = Limits(waits=True)
    scene.runner.until(lambda runner: "node a1 verified" in runner.steps_text)
    assert "a1 cordoned" in scene.cluster.leftovers
    pause(scene.cluster)
    scene.runner.until(lambda runner: runner.waiting_for.startswith("paused by alice"))
    assert "a1 cordoned" not in scene.cluster.leftovers
    resume(scene.cluster)
    assert scene.run().exit == 0
    deleted = [deletion.node for deletion in scene.cluster.deletions]
    assert deleted.count("a1") == 3


def test_evictions_clear_a_node_and_each_pod_is_asked_for_once() -> None:
    scene = Scene(care=EVICT)
    holders = {scene.cluster.hold_devices(name, owner="ReplicaSet") for name in FOUR}
    assert scene.run().exit == 0
    assert scene.cluster.tags() == ALL_ON_TARGET
    assert sorted(uid for _, uid in scene.cluster.evictions) == sorted(holders)


def test_evictions_that_a_budget_refuses_are_repeated_less_and_less_until_the_limit() -> None:
    scene = Scene(care=EVICT)
    scene.cluster.budget_is_shut = True
    holder = scene.cluster.hold_devices("a2", owner="ReplicaSet")
    ending = scene.run()
    assert ending.exit == 4
    assert f"default/{holder}" in ending.summary
    assert scene.runner.state.node("a2").status is NodeStatus.SET_ASIDE
    times = [at for at, _ in scene.cluster.evictions]
    pauses = [later - at for at, later in pairwise(times)]
    assert 3 <= len(times) <= 10
    assert pauses == sorted(pauses)
    assert pauses[0] >= 5


def test_a_budget_that_opens_in_time_lets_the_node_go_on() -> None:
    scene = Scene(care=EVICT)
    scene.cluster.budget_is_shut = True
    scene.cluster.hold_devices("a2", owner="ReplicaSet")
    scene.runner.until(lambda _: len(scene.cluster.evictions) >= 2)
    scene.cluster.budget_is_shut = False
    assert scene.run().exit == 0
    assert scene.cluster.tags() == ALL_ON_TARGET


def test_a_bare_pod_is_never_evicted_and_sets_its_node_aside_at_once() -> None:
    scene = Scene(care=EVICT)
    bare = scene.cluster.hold_devices("a2")
    scene.cluster.hold_devices("a2", owner="Job")
    ending = scene.run()
    assert ending.exit == 4
    assert scene.cluster.evictions == []
    assert scene.runner.state.node("a2").reason == (
        f"its devices are still held: pod default/{bare} has no controller that would make it "
        "again: not evicted"
    )


@pytest.mark.parametrize("owner", ["DaemonSet", "Node"])
@pytest.mark.parametrize("care", [WAIT, EVICT], ids=["wait", "evict"])
def test_pods_that_belong_to_their_node_are_left_alone(care: Care, owner: str) -> None:
    scene = Scene(care=care)
    scene.cluster.hold_devices("a2", owner=owner)
    assert scene.run().exit == 0
    assert scene.cluster.evictions == []
    assert len(scene.cluster.workload) == 1


def test_a_pod_that_is_on_its_way_out_is_waited_for_and_not_evicted_again() -> None:
    scene = Scene(care=EVICT)
    scene.cluster.workload_grace = 40.0
    scene.cluster.hold_devices("a2", owner="Job")
    assert scene.run().exit == 0
    assert len(scene.cluster.evictions) == 1
    asked, deleted = scene.cluster.evictions[0][0], scene.cluster.deletions
    assert next(item.at for item in deleted if item.node == "a2") >= asked + 40.0


def test_a_failed_node_is_taken_back_without_waiting_for_those_who_came_to_it() -> None:
    """Its devices are gone or not to be trusted: nobody is helped by a wait."""

    def hold(runner: Runner) -> None:
        if runner.state.node("a1").status is NodeStatus.FAILED and not runner.cluster.workload:
            runner.cluster.hold_devices("a1")

    scene = Scene(Version(devices=3), care=WAIT, watch=hold)
    ending = scene.run()
    assert ending.exit == 3
    assert scene.cluster.workload
    assert "node a1 occupied" not in scene.steps


def test_a_healthy_node_is_cleared_before_it_is_taken_back_but_not_for_ever() -> None:
    """A version that is to go is worse for its holders than a restart."""
    scene = Scene(Version(unhealthy=1, unhealthy_after=None), care=WAIT)
    scene.runner.until(lambda runner: runner.state.stage == 1)
    scene.cluster.hold_devices("a1")
    scene.cluster.versions["v2"] = Version(devices=0)
    ending = scene.run()
    assert ending.exit == 3
    assert "node a1 occupied" in scene.steps
    cleared = [e for e in scene.journal if e.result == "cleared" and e.node == "a1"]
    assert "still held" in str(cleared[-1].detail["reason"])
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")
    assert not scene.cluster.leftovers


def test_nothing_is_waited_for_any_more_once_the_run_goes_back() -> None:
    scene = Scene(care=WAIT, set_aside=(SetAside("c1", "NotReady"),))
    scene.cluster.hold_devices("a1")
    scene.runner.until(lambda runner: waits_at("a1", runner))
    scene.runner.interrupt()
    assert scene.runner.replayed() == scene.runner.state
    scene.cluster.advance(LIMIT)
    assert scene.run().exit == 4
    assert not scene.cluster.nodes["a1"].unschedulable


def test_after_a_crash_at_any_step_no_pod_is_evicted_twice_and_the_run_ends_the_same() -> None:
    names = ("a1", "a2")
    stages = (canary("canary", "a1", soak=3.0), wave(1, "a2", soak=2.0))
    plan = plan_of(names, stages=stages, settle=2.0, timeout=12.0, care=EVICT)
    cluster = Cluster(names, {"v2": GOOD})
    for name in names:
        cluster.hold_devices(name, owner="Job")
    crashes: list[tuple[Cluster, list[Entry]]] = []

    def remember(runner: Runner) -> None:
        crashes.append((copy.deepcopy(runner.cluster), list(runner.journal)))

    assert Runner(cluster, plan, after_step=remember).run().exit == 0
    for number, (left, journal) in enumerate(crashes):
        left.advance(4.0)
        ending = Runner(left, plan, journal=journal).run()
        where = f"crash {number} after {journal[-1].step} {journal[-1].node}"
        assert ending.exit == 0, where
        assert left.tags() == dict.fromkeys(names, "v2"), where
        assert sorted(uid for _, uid in left.evictions) == ["work-3", "work-4"], where
        assert not left.leftovers, where

"""The ways out of a hold: without the node, with another try of it, or all of it back."""

import msgspec
import pytest

from bridgehead.core.plan.plan import SetAside
from bridgehead.core.plan.settings import OnFailure, Reaction
from bridgehead.core.rollout.commands import Position
from bridgehead.core.rollout.state import Mode, NodeStatus
from bridgehead.core.rollout.world import World
from tests.core.rollout.asking import Act, abort, go_on, pause, resume, retry, without
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import Cluster
from tests.core.standin.plans import canary, wave
from tests.core.standin.versions import GOOD, Version

BROKEN = Version(devices=0, only_on=frozenset({"b2"}))
SIX = ("a1", "a2", "a3", "a4", "a5", "a6")
TWO_WAVES = (canary("canary", "a1"), wave(1, "a2", "a3", parallel=1), wave(2, "a4", "a5", "a6"))


def held_at(scene: Scene) -> Scene:
    assert scene.run().exit == 4
    assert scene.runner.state.mode is Mode.HOLD
    return scene


def test_going_on_without_the_node_changes_the_rest_and_names_who_left_it_out() -> None:
    bad = Version(devices=0, only_on=frozenset({"a2"}))
    scene = held_at(Scene(bad, nodes=SIX, stages=TWO_WAVES))
    assert scene.runner.state.node("a4").status is NodeStatus.PENDING
    without("a2")(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "5 nodes run the new version" in ending.summary
    assert "a2 (left out by bob)" in ending.summary
    assert "stays OnDelete" in ending.summary
    assert ending.failure is None
    assert scene.cluster.tags() == {**dict.fromkeys(SIX, "v2"), "a2": "v1"}
    assert scene.standing == "v2 OnDelete"
    assert scene.cluster.rolled == []
    assert not [name for name in scene.cluster.leftovers if "cordoned" in name]


def test_a_node_that_was_left_out_can_be_tried_again_at_the_end() -> None:
    scene = held_at(Scene(BROKEN))
    without("b2")(scene.cluster)
    assert go_on(scene).run().exit == 4
    scene.cluster.versions["v2"] = GOOD
    retry("b2")(scene.cluster)
    assert go_on(scene).run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    assert scene.standing == "v2 RollingUpdate"
    assert scene.cluster.leftovers == []


def test_another_try_of_a_node_that_was_mended_gets_the_run_done() -> None:
    scene = held_at(Scene(BROKEN))
    scene.cluster.versions["v2"] = GOOD
    retry("b2")(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    assert scene.cluster.leftovers == []


def test_another_try_that_fails_holds_again() -> None:
    scene = held_at(Scene(BROKEN))
    retry("b2")(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert scene.runner.state.mode is Mode.HOLD
    assert scene.runner.state.node("b2").status is NodeStatus.TAKEN_BACK
    assert scene.runner.state.resumed_by == ""


def test_all_of_it_goes_back_on_an_abort() -> None:
    scene = held_at(Scene(BROKEN))
    abort(scene.cluster)
    assert go_on(scene).run().exit == 3
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")
    assert scene.cluster.leftovers == []


def test_going_on_without_a_word_about_the_failed_node_holds_and_says_what_is_missing() -> None:
    scene = held_at(Scene(BROKEN))
    resume(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "bob asked to go on, but not what is to become of b2" in ending.summary
    assert "resume --without b2" in ending.summary
    without("b2")(scene.cluster)
    assert "left out by bob" in go_on(scene).run().summary


def test_a_live_runner_that_still_takes_the_node_back_finishes_that_first() -> None:
    scene = Scene(BROKEN, during={"turn b2 hold": without("b2")})
    ending = scene.run()
    assert ending.exit == 4
    assert "b2 (left out by bob)" in ending.summary
    taken_back = scene.steps.index("uncordon b2 done")
    assert scene.steps.index("turn forward") > scene.steps.index("node b2 verified")
    assert taken_back < len(scene.steps)
    assert scene.cluster.tags()["b2"] == "v1"


def test_a_node_whose_former_version_does_not_come_back_stays_cordoned_when_left_out() -> None:
    scene = Scene(BROKEN)
    scene.runner.until(lambda runner: "turn b2 hold" in runner.steps_text)
    scene.cluster.drifted["b2"] = Version(registers_after=None)
    held_at(scene)
    without("b2")(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "b2 (left out by bob)" in ending.summary
    assert "b2 cordoned" in scene.cluster.leftovers


def test_after_it_was_left_out_broken_an_abort_still_names_it() -> None:
    scene = Scene(BROKEN)
    scene.runner.until(lambda runner: "turn b2 hold" in runner.steps_text)
    scene.cluster.drifted["b2"] = Version(registers_after=None)
    held_at(scene)
    without("b2")(scene.cluster)
    go_on(scene).run()
    abort(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "the former version does not come back on b2" in ending.summary


def test_a_drifted_node_that_was_mended_is_tested_and_changed_on_another_try() -> None:
    scene = Scene()
    scene.cluster.drifted["a1"] = Version(registers_after=None)
    ending = scene.run()
    assert ending.exit == 4
    assert "had drifted" in ending.summary
    del scene.cluster.drifted["a1"]
    scene.cluster.pod_of("a1").version = GOOD
    retry("a1")(scene.cluster)
    assert go_on(scene).run().exit == 0
    tests = [step for step in scene.steps if step == "cordon a1 intent"]
    assert len(tests) == 3
    assert scene.cluster.leftovers == []


def test_a_drifted_canary_that_is_left_out_leaves_its_kind_unproven_which_is_said() -> None:
    scene = Scene(nodes=SIX, stages=TWO_WAVES)
    scene.cluster.drifted["a1"] = Version(registers_after=None)
    assert scene.run().exit == 4
    without("a1")(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "canary a1 was not changed (left out by bob)" in ending.summary
    assert "nothing proves the new version" in ending.summary
    assert "try it again (resume --retry a1), or leave out all of its kind" in ending.summary
    assert set(scene.cluster.tags().values()) == {"v1"}
    assert scene.standing.startswith("v1")


def test_a_canary_that_failed_and_is_left_out_leaves_its_kind_unproven_until_that_is_out_too() -> (
    None
):
    bad = Version(devices=0, only_on=frozenset({"b1", "b2"}))
    scene = Scene(bad, on_failure=OnFailure(canary=Reaction.HOLD))
    held_at(scene)
    without("b1")(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "canary b1 was not changed (left out by bob)" in ending.summary
    without("b2")(scene.cluster)
    last = go_on(scene).run()
    assert last.exit == 4
    assert "b1 (left out by bob), b2 (left out by bob)" in last.summary
    assert scene.cluster.tags() == {"a1": "v2", "a2": "v2", "b1": "v1", "b2": "v1"}


def test_a_node_that_waits_for_its_turn_may_be_left_out_while_the_run_goes_forward() -> None:
    scene = Scene(nodes=SIX, stages=TWO_WAVES, during={"stage soaking": without("a5")})
    ending = scene.run()
    assert ending.exit == 4
    assert "a5 (left out by bob)" in ending.summary
    assert scene.cluster.tags() == {**dict.fromkeys(SIX, "v2"), "a5": "v1"}


@pytest.mark.parametrize("first", [(), (pause,)], ids=["at once", "paused before"])
def test_a_node_may_be_left_out_before_the_first_one_is_touched(first: tuple[Act, ...]) -> None:
    def ask(cluster: Cluster) -> None:
        for act in (*first, without("a5")):
            act(cluster)

    scene = Scene(nodes=SIX, stages=TWO_WAVES, during={"create-own-pod a1 done": ask})
    ending = scene.run()
    assert ending.exit == 4
    assert "a5 (left out by bob)" in ending.summary
    assert scene.cluster.tags() == {**dict.fromkeys(SIX, "v2"), "a5": "v1"}


def test_leaving_out_a_node_in_flight_calls_its_pass_off_while_it_has_its_pod() -> None:
    during = {"cordon a5 done": without("a5")}
    scene = Scene(nodes=SIX, stages=TWO_WAVES, during=during)
    ending = scene.run()
    assert ending.exit == 4
    assert "a5 (left out by bob)" in ending.summary
    assert scene.cluster.tags() == {**dict.fromkeys(SIX, "v2"), "a5": "v1"}
    assert not [name for name in scene.cluster.leftovers if "cordoned" in name]


def test_what_is_said_of_a_node_in_the_gap_waits_for_its_pass_and_is_told_to_be_too_late() -> None:
    during = {"delete-pod a4 done": without("a4", "a6")}
    scene = Scene(nodes=SIX, stages=TWO_WAVES, during=during)
    ending = scene.run()
    assert "a6 (left out by bob)" in ending.summary
    assert scene.cluster.tags() == {**dict.fromkeys(SIX, "v2"), "a6": "v1"}
    told = [entry.detail["reason"] for entry in scene.journal if entry.step == "turn"]
    assert told == ["as bob asked; without a6", "as bob asked; too late for a4, which is passed"]
    assert scene.runner.state.answers == {}


def test_a_node_that_fails_after_it_was_to_be_left_out_in_the_gap_needs_no_other_word() -> None:
    bad = Version(devices=0, only_on=frozenset({"a4"}))
    during = {"delete-pod a4 done": without("a4")}
    ending = Scene(bad, nodes=SIX, stages=TWO_WAVES, during=during).run()
    assert ending.exit == 4
    assert "5 nodes run the new version" in ending.summary
    assert "a4 (left out by bob)" in ending.summary


def fallen_back() -> Scene:
    """A run that holds as b2, which its plan set aside, came back, got the target, and failed."""
    bad = Version(devices=0, only_on=frozenset({"b2"}))
    stages = (canary("canary", "a1"), canary("other", "b1"), wave(1, "a2"))
    scene = Scene(bad, stages=stages, set_aside=(SetAside("b2", "NotReady"),))
    scene.cluster.nodes["b2"].ready = False
    scene.runner.until(lambda it: it.state.stage == 2 and it.state.template is Position.TARGET)
    scene.cluster.nodes["b2"].ready = True
    scene.cluster.delete_by_hand("b2")
    return held_at(scene)


def test_a_node_that_the_plan_had_set_aside_can_be_left_out_once_it_has_failed() -> None:
    scene = fallen_back()
    without("b2")(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "b2 (left out by bob)" in ending.summary
    assert scene.cluster.tags() == {**dict.fromkeys(FOUR, "v2"), "b2": "v1"}


def test_or_be_tried_again_in_the_last_stage() -> None:
    scene = fallen_back()
    scene.cluster.versions["v2"] = GOOD
    retry("b2")(scene.cluster)
    assert go_on(scene).run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    assert scene.cluster.leftovers == []


def test_what_was_said_just_before_a_hold_is_not_forgotten_over_it() -> None:
    bad = Version(devices=0, only_on=frozenset({"a2"}))
    ask = {"node a2 failed": without("a5")}
    scene = held_at(Scene(bad, nodes=SIX, stages=TWO_WAVES, during=ask))
    without("a2")(scene.cluster)
    ending = go_on(scene).run()
    assert "a2 (left out by bob), a5 (left out by bob)" in ending.summary


def test_a_left_out_node_without_a_pod_is_not_left_to_the_controller() -> None:
    scene = held_at(Scene(BROKEN))
    without("b2")(scene.cluster)
    runner = go_on(scene)
    runner.until(lambda it: it.state.stage == len(it.plan.stages))
    seen = scene.cluster.world

    def without_its_pod() -> World:
        world = seen()
        pods = {name: pods for name, pods in world.pods.items() if name != "b2"}
        return msgspec.structs.replace(world, pods=pods)

    scene.cluster.world = without_its_pod  # type: ignore[method-assign]
    ending = runner.run()
    assert ending.exit == 4
    assert "nothing is proven of b2 (left out by bob)" in ending.summary
    assert scene.standing == "v2 OnDelete"


def test_a_left_out_node_that_is_not_ready_does_not_follow_by_itself() -> None:
    scene = held_at(Scene(BROKEN))
    without("b2")(scene.cluster)
    scene.cluster.nodes["b2"].ready = False
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "the pods of b2 (left out by bob) are of another revision" in ending.summary
    assert scene.standing == "v2 OnDelete"


def test_a_node_that_has_passed_is_not_touched_by_what_is_said_of_it() -> None:
    scene = held_at(Scene(BROKEN))
    scene.cluster.versions["v2"] = GOOD
    retry("b2", "a1")(scene.cluster)
    deleted = len([item for item in scene.cluster.deletions if item.node == "a1"])
    assert go_on(scene).run().exit == 0
    assert len([item for item in scene.cluster.deletions if item.node == "a1"]) == deleted


@pytest.mark.parametrize("way", [without("b2"), retry("b2"), abort], ids=["without", "retry", "up"])
def test_a_replay_of_the_journal_acts_on_no_request_twice(way: object) -> None:
    scene = held_at(Scene(BROKEN))
    scene.cluster.versions["v2"] = GOOD
    assert callable(way)
    way(scene.cluster)
    go_on(scene).run()
    noted = [entry for entry in scene.journal if entry.step == "control"]
    assert len(noted) == 1
    go_on(scene).run()
    assert len([entry for entry in scene.journal if entry.step == "control"]) == 1

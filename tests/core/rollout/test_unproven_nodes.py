"""Nodes whose devices were not proven: they stay cordoned, and named, until a pass proves them."""

import pytest

from bridgehead.app.going_on import Ways, problems_of
from bridgehead.core.rollout.commands import Command, CommandResult, Cordon, Failed
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.state import Mode, NodeStatus
from tests.core.rollout.asking import Act, abort, go_on, pause, retry, without
from tests.core.rollout.scenes import Scene
from tests.core.standin.versions import GOOD, Version

BROKEN = Version(devices=0, only_on=frozenset({"b2"}))
SILENT = Version(registers_after=None)


def stuck() -> Scene:
    """A run that holds as b2 failed, and does not come back on the former version either."""
    scene = Scene(BROKEN)
    scene.runner.until(lambda runner: "turn b2 hold" in runner.steps_text)
    scene.cluster.drifted["b2"] = SILENT
    assert scene.run().exit == 4
    assert scene.runner.state.node("b2").status is NodeStatus.STUCK
    return scene


def drifted() -> Scene:
    """A run that ended as its first canary did not come back from its restart test."""
    scene = Scene()
    scene.cluster.drifted["a1"] = SILENT
    assert scene.run().exit == 4
    assert scene.runner.state.node("a1").status is NodeStatus.STUCK
    return scene


def tried_again(scene: Scene, name: str, then: Act) -> Scene:
    """Another try of the node, which is called off before its pod is deleted."""
    retry(name)(scene.cluster)
    go_on(scene).until(lambda it: it.steps_text[-1] == f"cordon {name} done")
    then(scene.cluster)
    return scene


def mended(scene: Scene, name: str) -> None:
    """Somebody repairs the node: its plugin offers its devices again."""
    del scene.cluster.drifted[name]
    scene.cluster.pod_of(name).version = GOOD


@pytest.mark.parametrize(("make", "name"), [(stuck, "b2"), (drifted, "a1")])
def test_another_try_that_a_pause_calls_off_leaves_the_node_cordoned(
    make: object, name: str
) -> None:
    assert callable(make)
    scene = tried_again(make(), name, pause)
    ending = scene.run()
    assert ending.exit == 5
    assert ending.summary == (
        f"paused by alice: lunch. Still cordoned, as their devices are not proven: {name}."
    )
    assert f"node {name} cancelled" in scene.steps
    assert f"{name} cordoned" in scene.cluster.leftovers
    assert scene.runner.state.node(name).unsound


@pytest.mark.parametrize(("make", "name"), [(stuck, "b2"), (drifted, "a1")])
def test_another_try_that_an_abort_calls_off_does_not_end_as_back_and_verified(
    make: object, name: str
) -> None:
    assert callable(make)
    scene = tried_again(make(), name, abort)
    ending = scene.run()
    assert ending.exit == 4
    assert f"the former version does not come back on {name}" in ending.summary
    assert f"{name} cordoned" in scene.cluster.leftovers


def test_another_try_for_which_no_time_is_left_leaves_the_node_cordoned() -> None:
    scene = stuck()
    retry("b2")(scene.cluster)
    runner = go_on(scene)
    runner.until(lambda it: it.steps_text[-1] == "cordon b2 done")
    runner.limits = Limits(until=scene.cluster.now + 1)
    assert scene.run().exit == 5
    assert "b2 cordoned" in scene.cluster.leftovers


def test_another_try_whose_cordon_is_not_written_leaves_the_node_cordoned() -> None:
    scene = stuck()
    retry("b2")(scene.cluster)
    runner = go_on(scene)
    perform = runner.hand.perform
    refused: list[Command] = []

    def refuse_once(command: Command) -> CommandResult:
        if isinstance(command, Cordon) and not refused:
            refused.append(command)
            return Failed("conflict", "node b2 is changed by somebody else at this moment")
        return perform(command)

    runner.hand.perform = refuse_once  # type: ignore[method-assign]
    runner.until(lambda it: "cordon b2 lapsed" in it.steps_text)
    runner.turn()
    assert "b2 cordoned" in scene.cluster.leftovers


def test_a_node_that_another_try_proves_is_given_back() -> None:
    scene = stuck()
    mended(scene, "b2")
    scene.cluster.versions["v2"] = GOOD
    retry("b2")(scene.cluster)
    assert go_on(scene).run().exit == 0
    assert scene.cluster.leftovers == []
    assert not scene.runner.state.node("b2").unsound


def away_for_long() -> Scene:
    """Another try of a node that is NotReady for longer than the component's timeout."""
    scene = stuck()
    scene.cluster.nodes["b2"].ready = False
    retry("b2")(scene.cluster)
    return scene


def test_an_unproven_node_that_is_set_aside_keeps_the_run_from_being_done() -> None:
    scene = away_for_long()
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "b2 (it became NotReady before its turn)" in ending.summary
    assert "b2 cordoned" in scene.cluster.leftovers
    assert scene.standing == "v2 OnDelete"
    assert scene.cluster.rolled == []


def test_an_unproven_node_that_is_on_the_target_keeps_the_run_from_being_done() -> None:
    scene = away_for_long()
    runner = go_on(scene)
    runner.until(lambda it: "node b2 set-aside" in it.steps_text)
    runner.until(
        lambda it: it.state.stage == len(it.plan.stages) and it.state.template.value == "target"
    )
    scene.cluster.nodes["b2"].ready = True
    scene.cluster.delete_by_hand("b2")
    ending = runner.run()
    assert ending.exit == 4
    assert "nothing is proven of b2" in ending.summary
    assert "b2 cordoned" in scene.cluster.leftovers


def test_an_unproven_node_that_was_set_aside_can_be_tried_again() -> None:
    scene = away_for_long()
    go_on(scene).run()
    scene.cluster.nodes["b2"].ready = True
    mended(scene, "b2")
    scene.cluster.versions["v2"] = GOOD
    assert list(problems_of(scene.runner.run_value, Ways(retry=("b2",)))) == []
    retry("b2")(scene.cluster)
    assert go_on(scene).run().exit == 0
    assert scene.cluster.leftovers == []


def test_a_node_left_out_with_nothing_proven_of_it_is_named_by_every_later_ending() -> None:
    scene = stuck()
    without("b2")(scene.cluster)
    runner = go_on(scene)
    runner.until(lambda it: "turn forward" in it.steps_text)
    pause(scene.cluster)
    assert "Still cordoned, as their devices are not proven: b2." in runner.run().summary


def test_a_node_that_somebody_uncordoned_is_not_told_as_cordoned() -> None:
    scene = stuck()
    scene.cluster.nodes["b2"].unschedulable = False
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "cordoned" not in ending.summary


@pytest.mark.parametrize("way", [abort, without("b2")], ids=["abort", "without"])
def test_an_unproven_node_that_left_the_cluster_does_not_keep_the_run_open(way: Act) -> None:
    scene = stuck()
    scene.cluster.leave("b2")
    way(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit in {0, 3}
    assert scene.runner.state.mode is Mode.ENDED
    assert scene.cluster.leftovers == []


def test_the_way_back_says_which_failed_node_left_the_cluster() -> None:
    scene = stuck()
    scene.cluster.leave("b2")
    abort(scene.cluster)
    assert "gone since it failed: b2" in go_on(scene).run().summary


def test_a_failed_node_that_left_the_cluster_is_told_as_gone_and_not_as_cordoned() -> None:
    scene = Scene(BROKEN)
    scene.runner.until(lambda runner: "node b2 failed" in runner.steps_text)
    scene.cluster.leave("b2")
    ending = scene.run()
    assert ending.exit == 4
    assert "gone since it failed: b2" in ending.summary
    assert "cordoned" not in ending.summary
    assert "taken back" not in ending.summary


@pytest.mark.parametrize(("make", "name"), [(stuck, "b2"), (drifted, "a1")])
def test_an_abort_gives_a_node_back_that_was_mended_and_deletes_nothing_there(
    make: object, name: str
) -> None:
    assert callable(make)
    scene = make()
    mended(scene, name)
    deleted = [item.node for item in scene.cluster.deletions].count(name)
    abort(scene.cluster)
    assert go_on(scene).run().exit == 3
    assert scene.cluster.leftovers == []
    assert [item.node for item in scene.cluster.deletions].count(name) == deleted


def test_a_way_back_that_ended_at_a_broken_node_looks_at_it_again_in_its_next_runner() -> None:
    scene = stuck()
    abort(scene.cluster)
    assert go_on(scene).run().exit == 4
    mended(scene, "b2")
    scene.runner.record(note("run", "held", detail={"holder": 3}))
    assert go_on(scene).run().exit == 3
    assert scene.cluster.leftovers == []


def test_another_try_that_an_abort_calls_off_is_looked_at_on_the_way_back() -> None:
    scene = stuck()
    mended(scene, "b2")
    tried_again(scene, "b2", abort)
    assert scene.run().exit == 3
    assert scene.cluster.leftovers == []

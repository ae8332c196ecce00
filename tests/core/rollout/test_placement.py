"""A change of placement: losers first, then what is gained, then every other node, never parked."""

import copy
from collections.abc import Callable, Mapping

import msgspec
import pytest

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.component import Revision, template_digest
from bridgehead.core.plan.plan import Placement, Plan, Stage, Timing
from bridgehead.core.plan.settings import Consent, ManifestChange, PlacementSettings
from bridgehead.core.rollout.commands import Position
from bridgehead.core.rollout.control import Abort, Pause, Resume
from bridgehead.core.rollout.leaving import leaving
from bridgehead.core.rollout.state import NodeStatus
from bridgehead.core.verify.result import GateId
from tests.core.standin.cluster import GPU, Cluster
from tests.core.standin.controller import ROLLING, hash_of, template_of
from tests.core.standin.plans import canary, plan_of, wave
from tests.core.standin.runner import Runner
from tests.core.standin.versions import GOOD, Version

STAYS = ("a1", "a2", "a3")
FORMER, TARGET = template_of("v1", old="yes"), template_of("v1", new="yes")
STAGES = (canary("canary", "a1"), wave(1, "a2"), wave(2, "a3"))


def plan(stages: tuple[Stage, ...] = STAGES, *, restart_tests: bool = False) -> Plan:
    """The plugin moves from the nodes that are ``old`` to those that are ``new``: g1 for l1."""
    made = plan_of(STAYS, stages=stages)
    change = ManifestChange(path="plugin.yaml", template=TARGET, selector={})
    consent = PlacementSettings(gain=Consent.ALLOW, lose=Consent.ALLOW)
    digest = template_digest(FORMER)
    return msgspec.structs.replace(
        made,
        spec=msgspec.structs.replace(made.spec, change=change, placement=consent),
        former=Revision(f"plugin-{hash_of(FORMER)}", hash_of(FORMER), 1, digest),
        former_template=FORMER,
        target_template=TARGET,
        restart_tests=("a1",) if restart_tests else (),
        placement=Placement(gains=("g1",), loses=("l1",)),
    )


def cluster() -> Cluster:
    """Three nodes that keep the plugin, one that is to lose it, one that is to gain it."""
    made = Cluster((*STAYS, "l1", "g1"), {"v1": GOOD})
    made.pulls = "v1"
    for name in (*STAYS, "l1"):
        made.nodes[name].labels["old"] = "yes"
    for name in (*STAYS, "g1"):
        made.nodes[name].labels["new"] = "yes"
    for node in made.nodes.values():
        node.labels["nvidia.com/gpu.product"] = "A"
    made.nodes["g1"].offers.clear()
    component = made.daemonset
    assert component is not None
    component.template = FORMER
    component.revisions.clear()
    component.observe()
    made.pods.clear()
    made.advance(20.0)
    assert sorted(made.uids()) == [*STAYS, "l1"]
    return made


def runner(
    made: Cluster,
    wish: Plan | None = None,
    during: Mapping[str, Callable[[Cluster], None]] | None = None,
) -> Runner:
    return Runner(made, wish or plan(), during=during)


def before(steps: list[str], *order: str) -> None:
    places = [steps.index(step) for step in order]
    assert places == sorted(places), list(zip(order, places, strict=True))


def devices(made: Cluster, name: str) -> int:
    offer = made.nodes[name].offers.get(GPU)
    return offer.allocatable if offer else 0


def test_losers_go_first_then_the_gained_node_then_the_others_stage_by_stage() -> None:
    made = cluster()
    run = runner(made)
    ending = run.run()
    assert ending.exit == 0, ending
    before(
        run.steps_text,
        "preflight g1 pulled",
        "take-over done",
        "cordon l1 done",
        "flip done",
        "node l1 lost",
        "node g1 verified",
        "delete-pod a1 intent",
        "stage passed",
        "delete-pod a2 intent",
        "delete-pod a3 intent",
        "restore-strategy done",
    )
    assert sorted(made.uids()) == [*STAYS, "g1"]
    assert {pod.revision for pod in made.pods.values()} == {hash_of(TARGET)}
    assert (devices(made, "l1"), devices(made, "g1")) == (0, 4)
    assert made.leftovers == []
    assert made.rolled == []
    assert run.state.node("l1").status is NodeStatus.LOST
    assert run.replayed() == run.state


def test_there_is_one_flip_and_the_target_stands_from_then_on() -> None:
    made = cluster()
    run = runner(made)
    run.run()
    assert [step for step in run.steps_text if step == "flip intent"] == ["flip intent"]


def test_the_first_canary_is_restarted_before_anything_is_written() -> None:
    made = cluster()
    run = runner(made, plan(restart_tests=True))
    assert run.run().exit == 0
    before(run.steps_text, "node a1 verified", "take-over intent", "flip intent")


def test_a_loser_takes_no_pods_from_before_the_flip_until_its_devices_are_gone() -> None:
    made = cluster()
    run = runner(made)
    run.until(lambda it: it.state.template is Position.TARGET)
    assert made.nodes["l1"].unschedulable
    run.until(lambda it: "uncordon l1 done" in it.steps_text)
    assert devices(made, "l1") == 0
    assert not [pod for pod in made.pods.values() if pod.node == "l1"]


def a_pod_comes(made: Cluster) -> None:
    made.hold_devices("l1")


def test_a_pod_that_came_to_a_loser_after_the_plan_stops_the_change_before_the_flip() -> None:
    made = cluster()
    run = runner(made, during={"take-over done": a_pod_comes})
    ending = run.run()
    assert ending.exit == 3
    assert "l1: its devices are held by default/work-" in ending.summary
    assert "flip intent" not in run.steps_text
    assert sorted(made.uids()) == [*STAYS, "l1"]
    assert made.leftovers == []


def test_a_loser_that_another_run_holds_stops_the_change_before_the_flip() -> None:
    made = cluster()
    made.nodes["l1"].annotations["bridgehead.dev/held-by"] = "other-1"
    ending = runner(made).run()
    assert ending.exit == 3
    assert "other-1" in ending.summary


def test_a_failed_gain_takes_the_placement_back_and_the_losers_are_verified_again() -> None:
    made = cluster()
    made.drifted["g1"] = Version(devices=0)
    run = runner(made)
    ending = run.run()
    assert ending.exit == 3, ending
    assert ending.failure is not None
    assert (ending.failure.gate, ending.failure.node) == (GateId.ALLOCATABLE, "g1")
    before(run.steps_text, "node g1 failed", "turn g1 back", "node l1 verified", "run ended")
    assert "node g1 moved-back" in run.steps_text
    assert sorted(made.uids()) == [*STAYS, "l1"]
    assert {pod.revision for pod in made.pods.values()} == {hash_of(FORMER)}
    assert (devices(made, "l1"), devices(made, "g1")) == (4, 0)
    assert made.leftovers == []
    assert "delete-pod a1 intent" not in run.steps_text


def test_a_gained_node_to_which_no_pod_comes_fails() -> None:
    made = cluster()
    made.nodes["g1"].labels.clear()
    ending = runner(made).run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert (ending.failure.gate, ending.failure.node) == (GateId.ADMITTED, "g1")


def test_a_gained_node_must_offer_what_its_kind_offers() -> None:
    """It is of the cohort of the nodes that stay: one device fewer is too few."""
    made = cluster()
    made.drifted["g1"] = Version(fewer=1)
    ending = runner(made).run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert ending.failure.expected == f"{GPU} 4"


def test_a_failed_canary_takes_the_placement_back() -> None:
    made = cluster()
    run = runner(made, during={"cordon a1 done": lambda it: it.drifted.update(a1=Version(fewer=1))})
    run.until(lambda it: "turn a1 back" in it.steps_text)
    made.drifted.clear()
    ending = run.run()
    assert ending.exit == 3
    assert sorted(made.uids()) == [*STAYS, "l1"]
    assert made.leftovers == []


def failing_in_a_wave(made: Cluster) -> Runner:
    return runner(
        made, during={"cordon a2 done": lambda it: it.drifted.update(a2=Version(devices=0))}
    )


def test_a_failure_in_a_wave_holds_with_the_target_standing_and_the_node_cordoned() -> None:
    made = cluster()
    run = failing_in_a_wave(made)
    ending = run.run()
    assert ending.exit == 4
    assert "The NEW template stands" in ending.summary
    assert "not taken back alone: a2" in ending.summary
    assert "Still cordoned, as their devices are not proven: a2." in ending.summary
    assert made.daemonset is not None
    assert made.daemonset.template == TARGET
    assert made.nodes["a2"].unschedulable
    assert [node.name for node in made.nodes.values() if node.unschedulable] == ["a2"]
    assert run.state.node("a2").status is NodeStatus.FAILED
    assert run.state.node("a3").status is NodeStatus.PENDING


def test_a_node_that_fails_after_it_was_given_back_is_cordoned_again() -> None:
    made = cluster()
    run = runner(made)
    run.until(lambda it: "uncordon a2 done" in it.steps_text)
    made.pod_of("a2").version = Version(devices=0)
    ending = run.run()
    assert ending.exit == 4, ending
    assert made.nodes["a2"].unschedulable


def test_a_held_move_goes_on_without_the_node_which_stays_cordoned() -> None:
    made = cluster()
    run = failing_in_a_wave(made)
    assert run.run().exit == 4
    made.control.append(Resume(time="2026-01-01T00:00:00Z", identity="u", without=("a2",)))
    run.run()
    assert run.state.node("a3").status is NodeStatus.PASSED
    assert made.nodes["a2"].unschedulable


def test_a_held_move_is_taken_back_as_a_whole() -> None:
    made = cluster()
    run = failing_in_a_wave(made)
    run.run()
    made.drifted.clear()
    made.control.append(Abort(time="2026-01-01T00:00:00Z", identity="u"))
    ending = run.run()
    assert ending.exit == 3, ending
    assert sorted(made.uids()) == [*STAYS, "l1"]
    assert {pod.revision for pod in made.pods.values()} == {hash_of(FORMER)}
    assert made.leftovers == []


def test_who_leaves_does_not_park_a_template_that_moves_pods() -> None:
    made = cluster()
    run = runner(made)
    run.until(lambda it: it.state.template is Position.TARGET)
    assert run.run_value.stays
    assert leaving(run.run_value) == ()
    run.interrupt()
    assert made.daemonset is not None
    assert made.daemonset.template == TARGET
    again = Runner(made, run.plan, journal=run.journal)
    assert again.run().exit == 0


def short() -> Plan:
    stages = (canary("canary", "a1", soak=2.0), wave(1, "a2", "a3", soak=1.0))
    timing = Timing(settle=2.0, status_period=1.0, timeout=12.0)
    return msgspec.structs.replace(plan(stages), timing=timing)


@pytest.mark.parametrize("fault", [GOOD, Version(devices=0)], ids=["good", "failed gain"])
def test_a_runner_may_die_at_any_record_or_effect_of_a_move(fault: Version) -> None:
    left: list[tuple[Cluster, list[Entry]]] = []
    made = cluster()
    made.drifted["g1"] = fault

    def remember(run: Runner) -> None:
        left.append((copy.deepcopy(run.cluster), list(run.journal)))

    ending = Runner(made, short(), after_step=remember).run()
    for found, journal in left:
        found.advance(3.0)
        again = Runner(found, short(), journal=journal)
        end = again.run()
        said = again.steps_text[-8:]
        assert end.exit == ending.exit, said
        assert sorted(found.uids()) == sorted(made.uids()), said
        assert {pod.revision for pod in found.pods.values()} == {
            pod.revision for pod in made.pods.values()
        }, said
        assert found.leftovers == [], said


def test_a_strategy_of_somebody_else_s_ends_the_run_and_moves_nothing_back() -> None:
    made = cluster()
    run = runner(made)
    run.until(lambda it: "node g1 verified" in it.steps_text)
    assert made.daemonset is not None
    made.daemonset.write(made.now, "gitops", strategy=ROLLING)
    ending = run.run()
    assert ending.exit == 4
    assert "changed by gitops" in ending.summary
    assert made.daemonset.template == TARGET
    assert [step for step in run.steps_text if step == "flip intent"] == ["flip intent"]


def test_a_pause_before_the_flip_gives_the_losers_back_and_the_move_begins_anew_later() -> None:
    made = cluster()
    pause = Pause(time="2026-01-01T00:00:00Z", identity="u")
    run = runner(made, during={"cordon l1 done": lambda it: it.control.append(pause)})
    ending = run.run()
    assert ending.exit == 5, ending
    assert "node l1 cancelled" in run.steps_text
    assert "flip intent" not in run.steps_text
    assert not made.nodes["l1"].unschedulable
    made.control.append(Resume(time="2026-01-01T00:01:00Z", identity="u"))
    again = Runner(made, run.plan, journal=run.journal)
    assert again.run().exit == 0
    assert sorted(made.uids()) == [*STAYS, "g1"]


def test_a_pause_after_the_flip_sees_the_move_through_and_leaves_the_target_standing() -> None:
    made = cluster()
    pause = Pause(time="2026-01-01T00:00:00Z", identity="u")
    run = runner(made, during={"node l1 lost": lambda it: it.control.append(pause)})
    ending = run.run()
    assert ending.exit == 5, ending
    assert made.daemonset is not None
    assert made.daemonset.template == TARGET
    assert "delete-pod a1 intent" not in run.steps_text
    made.control.append(Resume(time="2026-01-01T00:01:00Z", identity="u"))
    assert Runner(made, run.plan, journal=run.journal).run().exit == 0


@pytest.mark.parametrize(
    ("label", "what"), [("old", "would lose it"), ("new", "would gain it")], ids=["loses", "gains"]
)
def test_a_node_that_came_after_the_plan_and_would_move_too_stops_the_change(
    label: str, what: str
) -> None:
    made = cluster()

    def joins(it: Cluster) -> None:
        it.join("x1")
        it.nodes["x1"].labels[label] = "yes"

    run = runner(made, during={"take-over done": joins})
    ending = run.run()
    assert ending.exit == 3
    assert f"x1 {what}, which is not in the plan" in ending.summary
    assert "flip intent" not in run.steps_text

"""A good version goes over all nodes, one stage after the other, and leaves nothing behind."""

from bridgehead.core.journal.chain import Head, check
from bridgehead.core.journal.entry import Phase
from bridgehead.core.plan.plan import SetAside
from bridgehead.core.rollout.commands import Purpose, Role
from bridgehead.core.rollout.state import Mode
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.plans import CANARY_SOAK, canary, plan_of, wave
from tests.core.standin.pods import OwnPod
from tests.core.standin.runner import Runner


def test_all_nodes_run_the_target_and_nothing_of_ours_is_left() -> None:
    scene = Scene()
    scene.cluster.hold_devices("a1", 4)
    scene.cluster.hold_devices("b1", 1)
    workload = dict(scene.cluster.workload)
    ending = scene.run()
    assert (ending.exit, ending.summary) == (0, "4 nodes run the new version")
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    assert scene.standing == "v2 RollingUpdate"
    assert scene.cluster.leftovers == []
    assert scene.cluster.workload == workload
    assert scene.runner.state.mode is Mode.ENDED


def test_every_effect_has_its_intent_before_and_its_outcome_after() -> None:
    scene = Scene()
    scene.run()
    open_ones: dict[str, str] = {}
    for entry in scene.journal:
        place = f"{entry.step}/{entry.node}"
        if entry.phase is Phase.INTENT:
            assert place not in open_ones
            open_ones[place] = entry.step
        elif entry.phase is Phase.OUTCOME:
            assert open_ones.pop(place) == entry.step
    assert not open_ones


def test_the_journal_is_a_chain_and_folds_to_the_state() -> None:
    scene = Scene()
    scene.run()
    assert check(scene.journal, Head(0, scene.plan.change_digest)) is None
    assert scene.runner.replayed() == scene.runner.state


def test_the_first_canary_goes_alone_and_soaks_before_any_other_node_is_touched() -> None:
    scene = Scene(restart_tests=False)
    scene.run()
    first = scene.cluster.deletions[0]
    assert first.node == "a1"
    assert scene.cluster.deletions[1].at >= first.at + CANARY_SOAK


def test_no_pod_is_deleted_before_the_controller_has_seen_the_template() -> None:
    scene = Scene()
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.lag = 7.0
    scene.run()
    assert all(deletion.observed for deletion in scene.cluster.deletions)
    assert scene.cluster.unobserved_writes == []


def test_the_target_stands_only_while_pods_are_being_replaced() -> None:
    """In every second of soak the former template is on the component."""

    def parked(runner: Runner) -> None:
        if runner.state.soak_since is not None:
            component = runner.cluster.daemonset
            assert component is not None
            assert component.seen_template == runner.plan.former_template

    scene = Scene(watch=parked)
    assert scene.run().exit == 0
    flips = [step for step in scene.steps if step == "flip done"]
    assert len(flips) == 7  # in and out for each of three stages, and in for good


def test_a_node_is_cordoned_for_two_seconds_before_its_pod_is_deleted() -> None:
    scene = Scene()
    scene.run()
    cordoned = {e.node: e.at for e in reversed(scene.journal) if _is(e.step, e.phase, "cordon")}
    for deletion in reversed(scene.cluster.deletions):
        assert deletion.at >= cordoned[deletion.node] + 2


def _is(step: str, phase: Phase, wanted: str) -> bool:
    return step == wanted and phase is Phase.OUTCOME


def test_no_more_nodes_are_in_the_gap_than_allowed() -> None:
    nodes = tuple(f"{kind}{number}" for kind in "abc" for number in range(1, 5))
    stages = (canary("canary", "a1"), canary("other canaries", "b1", "c1", parallel=3))
    rest = tuple(name for name in nodes if name[1] != "1")
    most = {"gap": 0, "cohort": 0}

    def count(runner: Runner) -> None:
        away = [
            name
            for name, node in runner.cluster.nodes.items()
            if sum(offer.allocatable for offer in node.offers.values()) < node.devices
        ]
        most["gap"] = max(most["gap"], len(away))
        kinds = [name[0] for name in away]
        most["cohort"] = max(most["cohort"], *(kinds.count(kind) for kind in "abc"))

    scene = Scene(nodes=nodes, stages=(*stages, wave(1, *rest, parallel=3)), watch=count)
    assert scene.run().exit == 0
    assert most == {"gap": 3, "cohort": 1}


def test_no_more_nodes_are_unproven_than_allowed() -> None:
    nodes = ("a1", *(f"{kind}2" for kind in "bcdefg"))
    stages = (canary("canary", "a1"), wave(1, *nodes[1:], parallel=2, unproven=3))
    most = 0

    def count(runner: Runner) -> None:
        nonlocal most
        working = runner.state.working
        changing = [n for n in working if n.work and n.work.purpose is Purpose.CHANGE]
        most = max(most, len(changing))

    scene = Scene(nodes=nodes, stages=stages, watch=count, settle=20.0)
    assert scene.run().exit == 0
    assert most == 3


def test_waiting_out_settle_does_not_keep_the_next_node_from_its_turn() -> None:
    nodes = ("a1", "b2", "c2")
    stages = (canary("canary", "a1"), wave(1, "b2", "c2", parallel=1, unproven=2))
    scene = Scene(nodes=nodes, stages=stages, settle=20.0)
    assert scene.run().exit == 0
    first, second = (d.at for d in scene.cluster.deletions[-2:])
    assert second - first < 20


def test_a_node_without_a_free_device_is_not_probed_and_says_so() -> None:
    scene = Scene()
    scene.cluster.hold_devices("b2", 4)
    assert scene.run().exit == 0
    probed = next(e for e in scene.journal if (e.node, e.result) == ("b2", "probed"))
    gate = probed.detail["gate"]
    assert isinstance(gate, dict)
    assert gate["verdict"] == "skipped"
    assert gate["reason"] == "no vendor.com/gpu is free: 4 of 4 are in use"


def test_a_node_that_a_person_cordoned_stays_cordoned() -> None:
    scene = Scene()
    scene.cluster.nodes["b2"].unschedulable = True
    assert scene.run().exit == 0
    assert scene.cluster.leftovers == ["b2 cordoned"]


def test_a_canary_that_a_person_cordoned_stays_cordoned_over_restart_test_and_change() -> None:
    scene = Scene()
    scene.cluster.nodes["a1"].unschedulable = True
    assert scene.run().exit == 0
    assert scene.cluster.leftovers == ["a1 cordoned"]


def test_the_same_cluster_gives_the_same_journal() -> None:
    one, two = Scene(), Scene()
    one.run()
    two.run()
    assert one.journal == two.journal


def test_a_probe_that_the_journal_does_not_know_is_removed_and_replaced() -> None:
    """Another runner's creation that was thought to have failed: its answer is of another time."""
    scene = Scene(restart_tests=False)
    scene.cluster.own["a1/probe"] = OwnPod("a1", Role.PROBE, "stray", scene.cluster.now)
    assert scene.run().exit == 0
    after = scene.steps[scene.steps.index("delete-pod a1 done") :]
    assert after.index("delete-own-pod a1 done") < after.index("create-own-pod a1 done")
    assert scene.cluster.leftovers == []


def test_a_pod_that_never_ends_its_deletion_does_not_hold_the_ending_up_for_ever() -> None:
    scene = Scene(nodes=(*FOUR, "x1"), plan=plan_of(FOUR, set_aside=(SetAside("x1", "held"),)))
    scene.cluster.pod_of("x1").deleting = scene.cluster.now + 1e9
    ending = scene.run()
    assert ending.exit == 4
    assert "x1 (held)" in ending.summary

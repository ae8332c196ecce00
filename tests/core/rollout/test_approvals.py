"""Points that wait for consent, and which consent counts."""

import msgspec
import pytest

from bridgehead.core.plan.plan import PlannedCohort
from bridgehead.core.plan.points import stage_after
from bridgehead.core.rollout.approvals import binding, points
from bridgehead.core.rollout.control import Approve
from bridgehead.core.rollout.limits import Limits
from tests.core.rollout.asking import WHEN, approve, asking, go_on
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import START
from tests.core.standin.plans import canary, plan_of, wave

BOTH = asking(plan_of(FOUR), approve=("beforeWave:1", "afterCanary"))
AFTER = asking(plan_of(FOUR), approve=("afterCanary",))
TWO = asking(AFTER, two_people=True)


def cordoned(scene: Scene) -> list[str]:
    return [name for name, node in scene.cluster.nodes.items() if node.unschedulable]


def test_the_points_of_a_plan_come_in_the_order_of_its_stages() -> None:
    stages = (canary("canary", "a1"), canary("other canaries", "b1"), wave(2, "a2"), wave(3, "b2"))
    plan = asking(
        plan_of(FOUR, stages=stages), approve=("beforeWave:3", "afterCanary", "beforeWave:2")
    )
    assert points(plan) == ("afterCanary", "beforeWave:2", "beforeWave:3")
    assert [stage_after(stages, point) for point in points(plan)] == [2, 2, 3]
    assert stage_after(stages, "beforeWave:1") is None
    assert stage_after(stages, "beforeWave:x") is None


def test_the_run_waits_parked_after_the_soak_of_the_last_canaries() -> None:
    scene = Scene(plan=AFTER)
    ending = scene.run()
    assert ending.exit == 5
    assert ending.summary.startswith("waits for approval afterCanary: bridgehead approve daemonset")
    assert scene.cluster.tags() == {"a1": "v2", "b1": "v2", "a2": "v1", "b2": "v1"}
    assert scene.steps.count("stage passed") == 2
    assert scene.standing == "v1 OnDelete"
    assert cordoned(scene) == []


def test_after_the_approval_it_goes_on_and_the_journal_says_on_whose() -> None:
    scene = Scene(plan=AFTER)
    scene.run()
    approve(AFTER, "afterCanary")(scene.cluster)
    assert go_on(scene).run().exit == 0
    used = [entry for entry in scene.journal if (entry.step, entry.result) == ("stage", "approved")]
    assert [entry.detail["by"] for entry in used] == ["carol"]
    assert scene.cluster.leftovers == []


def test_an_approval_that_was_given_before_counts_when_the_run_comes_to_its_point() -> None:
    scene = Scene(plan=AFTER)
    approve(AFTER, "afterCanary")(scene.cluster)
    assert scene.run().exit == 0


def test_two_points_before_one_stage_need_an_approval_each() -> None:
    scene = Scene(plan=BOTH)
    approve(BOTH, "afterCanary")(scene.cluster)
    ending = scene.run()
    assert (ending.exit, "approval beforeWave:1" in ending.summary) == (5, True)
    approve(BOTH, "beforeWave:1")(scene.cluster)
    assert go_on(scene).run().exit == 0


def test_a_runner_that_may_wait_stays_for_the_approval() -> None:
    scene = Scene(plan=AFTER)
    runner = go_on(scene, Limits(waits=True))
    runner.until(lambda it: it.waiting_for.startswith("waits for approval"))
    scene.cluster.advance(500.0)
    assert runner.turn() is None
    approve(AFTER, "afterCanary")(scene.cluster)
    assert runner.run().exit == 0


def test_with_canaries_only_the_finish_waits() -> None:
    plan = asking(plan_of(("a1",)), approve=("afterCanary",))
    scene = Scene(plan=plan, nodes=("a1",))
    assert scene.run().exit == 5
    assert scene.standing == "v1 OnDelete"
    approve(plan, "afterCanary")(scene.cluster)
    assert go_on(scene).run().exit == 0


def test_an_approval_that_has_expired_when_it_is_used_does_not_count() -> None:
    early = "2023-11-14T22:13:30.000Z"
    scene = Scene(plan=AFTER)
    assert scene.cluster.now >= START
    approve(AFTER, "afterCanary", expires=early)(scene.cluster)
    ending = scene.run()
    assert ending.exit == 5
    assert f"that of carol does not count: it expired at {early}" in ending.summary


def test_an_approval_need_not_hold_once_it_was_used() -> None:
    late = Scene(plan=AFTER)
    late.run()
    until = "2023-11-15T00:00:00+00:00"
    approve(AFTER, "afterCanary", expires=until)(late.cluster)
    runner = go_on(late)
    runner.until(lambda it: "stage approved" in it.steps_text)
    late.cluster.advance(3 * 3600)
    assert go_on(late).run().exit == 0


@pytest.mark.parametrize("expires", ["tomorrow", "2099-01-01T00:00:00"])
def test_an_expiry_that_cannot_be_told_has_come(expires: str) -> None:
    scene = Scene(plan=AFTER)
    approve(AFTER, "afterCanary", expires=expires)(scene.cluster)
    assert scene.run().exit == 5


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"change_digest": "sha256:other"}, "it is for another change"),
        ({"binds": "sha256:other"}, "it is for other kinds of nodes, or another placement"),
    ],
)
def test_an_approval_of_something_else_does_not_count(change: dict[str, str], why: str) -> None:
    given = Approve(
        time=WHEN,
        identity="carol",
        point="afterCanary",
        change_digest=AFTER.change_digest,
        binds=binding(AFTER),
    )
    scene = Scene(plan=AFTER)
    scene.cluster.control.append(msgspec.structs.replace(given, **change))
    ending = scene.run()
    assert (ending.exit, why in ending.summary) == (5, True)


@pytest.mark.parametrize(
    ("approver", "runner", "why"),
    [
        ("carol", "carol", "another identity than the runner's"),
        ("", "carol", "one of them is not known"),
        ("carol", "", "one of them is not known"),
    ],
)
def test_two_people_are_two_identities(approver: str, runner: str, why: str) -> None:
    scene = Scene(plan=TWO)
    approve(TWO, "afterCanary", by=approver)(scene.cluster)
    ending = go_on(scene, Limits(identity=runner)).run()
    assert (ending.exit, why in ending.summary) == (5, True)
    approve(TWO, "afterCanary", by="dave")(scene.cluster)
    assert go_on(scene, Limits(identity="carol")).run().exit == 0


def test_an_approval_binds_the_kinds_of_nodes_and_the_placement_and_not_the_nodes() -> None:
    plan = plan_of(FOUR)
    more = tuple(PlannedCohort(item.name, (*item.nodes, "new")) for item in plan.cohorts)
    assert binding(msgspec.structs.replace(plan, cohorts=more)) == binding(plan)
    kinds = (*plan.cohorts, PlannedCohort("c", ("c1",)))
    assert binding(msgspec.structs.replace(plan, cohorts=kinds)) != binding(plan)
    fields = plan.target_template["spec"]
    assert isinstance(fields, dict)
    spec = {**fields, "nodeSelector": {"pool": "gpu"}}
    moved = {**plan.target_template, "spec": spec}
    assert binding(msgspec.structs.replace(plan, target_template=moved)) != binding(plan)


def test_a_canary_that_is_disturbed_while_consent_is_awaited_is_proven_again_before_it_counts() -> (
    None
):
    scene = Scene(plan=AFTER)
    assert scene.run().exit == 5
    scene.cluster.delete_by_hand("a1")
    scene.cluster.advance(20)
    approve(AFTER, "afterCanary")(scene.cluster)
    runner = go_on(scene)
    before = len(runner.journal)
    assert runner.run().exit == 0
    steps = runner.steps_text[before:]
    consented = steps.index("stage approved")
    assert "node a1 verified" in steps[:consented]
    assert "stage soaking" in steps[:consented]
    assert "cordon a2 done" not in steps[:consented]
    assert "cordon b2 done" not in steps[:consented]

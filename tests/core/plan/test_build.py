"""The plan of a change: what is planned, what is refused, and that it is the same each time."""

import msgspec
import pytest

from bridgehead.core.model.component import Owner
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.plan.build import build
from bridgehead.core.plan.plan import Plan, Refused, StageKind, Unneeded
from bridgehead.core.plan.refuse import no_subject
from bridgehead.core.plan.settings import (
    CanarySettings,
    ContainerImage,
    ImagesChange,
    RestartTest,
    RolloutSpec,
    VerifySettings,
)
from tests.core.plan.scenery import (
    GPU,
    TEMPLATE,
    component,
    holder,
    node,
    plugin_pod,
    selection,
    snapshot,
    spec,
    target,
)

FOUR = [node("a1"), node("a2"), node("b1", "B"), node("b2", "B")]


def planned(wish: RolloutSpec, seen: Snapshot) -> Plan:
    result = build(wish, seen, target())
    assert isinstance(result, Plan), result
    return result


def refused(wish: RolloutSpec, seen: Snapshot, *, detach: bool = False) -> list[str]:
    result = build(wish, seen, target(), detach=detach)
    assert isinstance(result, Refused), result
    return [item.rule for item in result.refusals]


def test_first_canary_is_alone_and_every_cohort_has_one_before_the_waves() -> None:
    plan = planned(spec(), snapshot(FOUR))
    assert [(stage.name, stage.nodes) for stage in plan.stages] == [
        ("canary", ("a1",)),
        ("other canaries", ("b1",)),
        ("wave 2", ("a2", "b2")),
    ]


def test_idle_node_is_preferred_as_canary() -> None:
    seen = snapshot(FOUR, others=[holder("a1", 2)])
    assert planned(spec(), seen).stages[0].nodes == ("a2",)


def test_canaries_named_by_the_user_come_first() -> None:
    plan = planned(spec(canary=CanarySettings(nodes=("a2", "gone"))), snapshot(FOUR))
    assert plan.stages[0].nodes == ("a2",)
    assert any("gone" in warning for warning in plan.warnings)


def test_every_eligible_node_is_in_exactly_one_stage() -> None:
    plan = planned(spec(), snapshot(FOUR))
    assert sorted(plan.nodes) == ["a1", "a2", "b1", "b2"]


def test_plan_is_the_same_for_the_same_cluster_in_another_order() -> None:
    one = planned(spec(), snapshot(FOUR))
    other = planned(spec(), snapshot(list(reversed(FOUR))))
    assert one == other


def test_change_digest_ignores_how_and_plan_digest_does_not_ignore_where() -> None:
    one = planned(spec(), snapshot(FOUR))
    slower = planned(spec(unproven=1), snapshot(FOUR))
    fewer = planned(spec(), snapshot(FOUR[:3]))
    assert one.change_digest == slower.change_digest == fewer.change_digest
    assert one.plan_digest != fewer.plan_digest


def test_another_image_is_another_change() -> None:
    one = planned(spec(), snapshot(FOUR))
    other = build(spec("r.test/plugin:3"), snapshot(FOUR), target("r.test/plugin:3"))
    assert isinstance(other, Plan)
    assert one.change_digest != other.change_digest


def test_plan_survives_being_stored() -> None:
    plan = planned(spec(), snapshot(FOUR))
    assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan


def test_restart_test_runs_on_canaries_only_and_can_be_limited_to_idle_ones() -> None:
    busy = [holder(item.name, 1) for item in FOUR if item.name.startswith("a")]
    seen = snapshot(FOUR, others=busy)
    always = planned(spec(), seen)
    idle = planned(spec(canary=CanarySettings(restart_test=RestartTest.IF_IDLE)), seen)
    never = planned(spec(canary=CanarySettings(restart_test=RestartTest.NEVER)), seen)
    assert (always.restart_tests, idle.restart_tests) == (("a1", "b1"), ("b1",))
    assert never.restart_tests == ()


def test_nothing_to_do_where_the_image_is_there_already() -> None:
    assert isinstance(build(spec("r.test/plugin:1"), snapshot(FOUR), TEMPLATE), Unneeded)


def test_template_that_has_the_image_is_not_enough_while_pods_are_of_an_older_revision() -> None:
    pods = [plugin_pod(item.name, "h0") for item in FOUR]
    result = build(spec("r.test/plugin:1"), snapshot(FOUR, pods=pods), TEMPLATE)
    assert isinstance(result, Refused)
    assert [item.rule for item in result.refusals] == ["mixed-revisions"]


def test_component_that_does_not_exist_is_refused_naming_what_there_is() -> None:
    seen = msgspec.structs.replace(snapshot(FOUR), components=())
    result = build(spec(), seen, None)
    assert isinstance(result, Refused)
    assert result.refusals[0].rule == "component-missing"


def test_terminating_namespace_is_refused() -> None:
    assert refused(spec(), snapshot(FOUR, terminating=("gpu",))) == ["namespace-terminating"]


def test_container_that_the_template_lacks_is_refused() -> None:
    wish = spec(change=ImagesChange((ContainerImage("plug", "r.test/plugin:2"),)))
    assert refused(wish, snapshot(FOUR)) == ["container-missing"]


def test_component_under_deletion_is_refused() -> None:
    seen = snapshot(FOUR, of=component(deleting=True))
    assert refused(spec(), seen) == ["component-deleting"]


@pytest.mark.parametrize("kind", ["helm", "gitops", "operator"])
def test_component_of_another_owner_is_refused_unless_detached(kind: str) -> None:
    seen = snapshot(FOUR, of=component(TEMPLATE, Owner(kind, "release")))
    assert refused(spec(), seen) == ["owned-elsewhere"]
    assert isinstance(build(spec(), seen, target(), detach=True), Plan)


def test_no_eligible_node_is_refused() -> None:
    nowhere = [msgspec.structs.replace(item, labels={}) for item in FOUR]
    assert "no-node" in refused(spec(), snapshot(nowhere))


def test_pods_of_another_revision_are_refused_naming_the_node() -> None:
    pods = [plugin_pod("a1", "h0"), *(plugin_pod(item.name) for item in FOUR[1:])]
    result = build(spec(), snapshot(FOUR, pods=pods), target())
    assert isinstance(result, Refused)
    assert "a1 -> h0" in result.refusals[0].message


def test_standing_template_without_a_revision_is_refused() -> None:
    assert refused(spec(), snapshot(FOUR, revisions=False)) == ["revision-unknown"]


def test_one_node_that_is_not_ready_is_set_aside_with_its_reason() -> None:
    plan = planned(spec(), snapshot([*FOUR, node("a3", ready=False)]))
    assert [(item.node, item.reason) for item in plan.set_aside] == [("a3", "NotReady")]
    assert "a3" not in plan.nodes


def test_node_of_unknown_readiness_is_set_aside_too() -> None:
    plan = planned(spec(), snapshot([*FOUR, node("a3", ready=None)]))
    assert [item.node for item in plan.set_aside] == ["a3"]


def test_node_held_by_another_run_is_set_aside_naming_it() -> None:
    held = node("a3", held_by="other-run")
    plan = planned(spec(), snapshot([*FOUR, held]))
    assert "other-run" in plan.set_aside[0].reason


def test_too_many_nodes_set_aside_are_refused() -> None:
    broken = [node("a3", ready=False), node("a4", ready=False)]
    assert "too-many-set-aside" in refused(spec(), snapshot([*FOUR, *broken]))


def test_cohort_without_a_usable_node_is_refused() -> None:
    broken = node("c1", "C", ready=False)
    assert refused(spec(), snapshot([*FOUR, broken])) == ["cohort-without-canary"]


def test_excluded_nodes_are_not_planned() -> None:
    plan = planned(spec(nodes=selection(exclude="name=b2")), snapshot(FOUR))
    assert "b2" not in plan.nodes
    assert any("left out (b2)" in warning for warning in plan.warnings)


def test_resources_that_nobody_knows_are_refused() -> None:
    bare = [msgspec.structs.replace(item, offers={}) for item in FOUR]
    assert "resources-unknown" in refused(spec(resources=None), snapshot(bare))


def test_resources_are_inferred_and_the_plan_says_how() -> None:
    plan = planned(spec(resources=None), snapshot([*FOUR, node("x", devices=0)]))
    assert plan.resources == (GPU,)
    assert "inferred" in plan.resources_source


def test_short_status_period_needs_the_users_word() -> None:
    quick = VerifySettings(status_period=1.0, settle=3.0)
    trusted = msgspec.structs.replace(quick, status_period_unchecked=True)
    assert refused(spec(verify=quick), snapshot(FOUR)) == ["status-period-unconfirmed"]
    assert planned(spec(verify=trusted), snapshot(FOUR)).timing.status_period == 1.0


def test_placement_that_admission_would_change_is_refused() -> None:
    moved = {**target(), "spec": {**target()["spec"], "nodeSelector": {"other": "yes"}}}  # type: ignore[dict-item]
    result = build(spec(), snapshot(FOUR), moved)
    assert isinstance(result, Refused)
    assert [item.rule for item in result.refusals] == ["placement-changes"]


def test_bad_baseline_is_told_before_the_change() -> None:
    sick = [node("a1", unhealthy=1), *FOUR[1:]]
    plan = planned(spec(), snapshot(sick))
    assert "a1 has 1 unhealthy vendor.com/gpu before the change" in plan.warnings


def test_all_reasons_are_told_at_once() -> None:
    wish = spec(resources=None, verify=VerifySettings(status_period=1.0, settle=3.0))
    bare = [msgspec.structs.replace(item, offers={}) for item in FOUR]
    rules = refused(wish, snapshot(bare, of=component(TEMPLATE, Owner("helm", "x"))))
    assert rules == ["owned-elsewhere", "resources-unknown", "status-period-unconfirmed"]


def test_canary_stages_have_the_canary_soak() -> None:
    plan = planned(spec(), snapshot(FOUR))
    soaks = {stage.kind: stage.soak for stage in plan.stages}
    assert soaks == {StageKind.CANARY: 600.0, StageKind.WAVE: 120.0}


def test_a_component_that_could_not_be_read_is_not_called_missing() -> None:
    unread = Unread("daemonsets in namespace gpu", "forbidden", "list daemonsets.apps")
    blind = msgspec.structs.replace(snapshot([]), components=(), unread=(unread,))

    result = build(spec(), blind, None)

    assert result == Refused(refusals=())
    (reason,) = no_subject(spec(), blind)
    assert "is not known" in reason.message


@pytest.mark.parametrize("kind", ["nodes", "pods", "controllerrevisions"])
def test_what_could_not_be_read_is_no_reason_against_a_change(kind: str) -> None:
    seen = snapshot(
        [] if kind == "nodes" else FOUR,
        pods=[] if kind == "pods" else None,
        revisions=kind != "controllerrevisions",
    )
    blind = msgspec.structs.replace(seen, unread=(Unread(kind, "forbidden"),))

    assert refused(spec(), seen)
    assert refused(spec(), blind) == []

"""Plans of manifests, and of changes of placement: what they move, and when they are refused."""

from collections.abc import Mapping

import msgspec
import pytest

from bridgehead.core.model.component import Component, with_images
from bridgehead.core.model.json import JsonObject, JsonValue, child
from bridgehead.core.model.node import HELD_BY, Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.build import build, change_digest
from bridgehead.core.plan.plan import Placement, Plan, Refused, Unneeded
from bridgehead.core.plan.settings import (
    Consent,
    ManifestChange,
    NodeSelection,
    PlacementSettings,
    RolloutSpec,
)
from tests.core.plan.scenery import (
    TEMPLATE,
    component,
    holder,
    node,
    plugin_pod,
    selection,
    snapshot,
    spec,
)

ALLOWED = PlacementSettings(gain=Consent.ALLOW, lose=Consent.ALLOW)
SELECTOR = {"matchLabels": {"app": "plugin"}}


def placed(**fields: JsonValue) -> JsonObject:
    """The standing template with other fields of its pod spec."""
    inner = child(TEMPLATE, "spec")
    assert isinstance(inner, Mapping)
    return {**TEMPLATE, "spec": {**inner, **fields}}


MOVED = placed(nodeSelector={"pool": "new"})


def labelled(name: str, **labels: str) -> Node:
    made = node(name)
    plain = {key: value for key, value in made.labels.items() if key != "gpu"}
    return msgspec.structs.replace(made, labels={**plain, **labels})


STAYS = labelled("a1", gpu="true", pool="new")
LOSES = labelled("l1", gpu="true")
GAINS = labelled("g1", pool="new")


def wish(
    template: JsonObject = MOVED,
    *,
    consent: PlacementSettings = ALLOWED,
    nodes: NodeSelection | None = None,
    **manifest: object,
) -> RolloutSpec:
    values: dict[str, object] = {"selector": SELECTOR, **manifest}
    change = ManifestChange(path="plugin.yaml", template=template, **values)  # type: ignore[arg-type]
    return spec(change=change, placement=consent, nodes=nodes or NodeSelection())


def result(
    asked: RolloutSpec,
    *others: Pod,
    nodes: tuple[Node, ...] = (STAYS, LOSES, GAINS),
    of: Component | None = None,
    stored: JsonObject | None = None,
) -> Plan | Refused | Unneeded:
    pods = [plugin_pod(item.name) for item in nodes if "gpu" in item.labels]
    seen = snapshot(nodes, of=of, pods=pods, others=others)
    assert isinstance(asked.change, ManifestChange)
    return build(asked, seen, stored or asked.change.template)


def planned(
    asked: RolloutSpec, *others: Pod, nodes: tuple[Node, ...] = (STAYS, LOSES, GAINS)
) -> Plan:
    found = result(asked, *others, nodes=nodes)
    assert isinstance(found, Plan), found
    return found


def refused(
    asked: RolloutSpec, *others: Pod, nodes: tuple[Node, ...] = (STAYS, LOSES, GAINS)
) -> dict[str, str]:
    found = result(asked, *others, nodes=nodes)
    assert isinstance(found, Refused), found
    return {item.rule: f"{item.message} -> {item.remedy}" for item in found.refusals}


def test_a_move_names_what_it_gains_and_loses_and_never_parks() -> None:
    plan = planned(wish())
    assert plan.placement == Placement(gains=("g1",), loses=("l1",))
    assert plan.nodes == ("a1",)
    assert not plan.parks
    assert plan.pulls == (("g1",), {"plugin": "r.test/plugin:1"})


@pytest.mark.parametrize(
    ("gain", "lose", "keys"),
    [
        (Consent.REFUSE, Consent.REFUSE, "{gain: allow, lose: allow}"),
        (Consent.ALLOW, Consent.REFUSE, "{lose: allow}"),
        (Consent.REFUSE, Consent.ALLOW, "{gain: allow}"),
    ],
)
def test_without_consent_both_lists_and_the_missing_keys_are_named(
    gain: Consent, lose: Consent, keys: str
) -> None:
    said = refused(wish(consent=PlacementSettings(gain=gain, lose=lose)))
    assert list(said) == ["placement-without-consent"]
    assert "gain g1 and lose l1" in said["placement-without-consent"]
    assert f"placement: {keys} in the spec" in said["placement-without-consent"]


def test_consent_is_needed_only_for_what_happens() -> None:
    asked = wish(consent=PlacementSettings(gain=Consent.ALLOW))
    assert planned(asked, nodes=(STAYS, GAINS)).loses == ()


def test_a_selector_that_moves_nothing_today_is_a_change_of_placement_all_the_same() -> None:
    plan = planned(wish(consent=PlacementSettings()), nodes=(STAYS,))
    assert plan.placement == Placement()
    assert not plan.parks


def test_placement_beside_any_other_change_is_refused_with_the_fields() -> None:
    said = refused(wish(with_images(MOVED, {"plugin": "r.test/plugin:2"})))
    assert list(said) == ["placement-with-other-change"]
    assert "spec.containers[0].image" in said["placement-with-other-change"]
    assert "two runs" in said["placement-with-other-change"]


def test_a_pod_that_holds_devices_of_a_loser_is_named() -> None:
    pod = msgspec.structs.replace(holder("l1", 1), bound=True)
    said = refused(wish(), pod)
    assert list(said) == ["losers-hold-devices"]
    assert "jobs/job-l1 on l1" in said["losers-hold-devices"]


def test_a_loser_that_another_tool_holds_is_named() -> None:
    held = msgspec.structs.replace(LOSES, annotations={HELD_BY: "other-1"})
    said = refused(wish(), nodes=(STAYS, held, GAINS))
    assert list(said) == ["losers-held-by-others"]
    assert "other-1" in said["losers-held-by-others"]


def test_a_pod_that_has_ended_holds_nothing() -> None:
    ended = msgspec.structs.replace(holder("l1", 1), bound=True, phase="Succeeded")
    assert planned(wish(), ended).loses == ("l1",)


def test_a_gained_node_that_nobody_would_look_at_is_refused() -> None:
    said = refused(wish(nodes=selection("name!=g1")))
    assert list(said) == ["gains-left-out"]


def test_a_move_that_leaves_no_node_as_it_is_is_refused() -> None:
    assert "placement-keeps-no-node" in refused(wish(), nodes=(LOSES, GAINS))


def test_a_gained_node_that_cannot_be_judged_is_set_aside_and_still_listed() -> None:
    away = msgspec.structs.replace(GAINS, ready=False)
    plan = planned(wish(), nodes=(STAYS, LOSES, away))
    assert plan.placement is not None
    assert plan.placement.gains == ("g1",)
    assert plan.gains == ()
    assert [(item.node, item.reason) for item in plan.set_aside] == [
        ("g1", "would be gained; NotReady")
    ]


def test_only_the_first_canary_can_be_restarted_before_a_move() -> None:
    other = msgspec.structs.replace(
        STAYS, name="b1", labels={**STAYS.labels, "nvidia.com/gpu.product": "B"}
    )
    plan = planned(wish(), nodes=(STAYS, other, LOSES, GAINS))
    assert [stage.nodes for stage in plan.stages] == [("a1",), ("b1",)]
    assert plan.restart_tests == ("a1",)


TERMS: JsonObject = {
    "nodeSelectorTerms": [{"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}]
}
PREFERRED: JsonValue = [{"weight": 1, "preference": {}}]


@pytest.mark.parametrize(
    ("fields", "parks"),
    [
        ({"tolerations": [{"operator": "Exists"}]}, False),
        (
            {
                "affinity": {
                    "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": TERMS}
                }
            },
            False,
        ),
        (
            {
                "affinity": {
                    "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": PREFERRED}
                }
            },
            True,
        ),
        ({"terminationGracePeriodSeconds": 5}, True),
    ],
)
def test_what_counts_as_placement(fields: Mapping[str, JsonValue], parks: bool) -> None:
    """Preferred node affinity has no meaning for a DaemonSet."""
    plan = planned(wish(placed(**fields)), nodes=(STAYS,))
    assert plan.parks is parks


def test_a_manifest_without_a_move_is_planned_like_a_change_of_images() -> None:
    plan = planned(wish(with_images(TEMPLATE, {"plugin": "r.test/plugin:2"})), nodes=(STAYS,))
    assert plan.parks
    assert plan.images == {"plugin": "r.test/plugin:2"}
    assert plan.pulls == (("a1",), {"plugin": "r.test/plugin:2"})


def test_a_change_of_nothing_but_environment_pulls_nothing() -> None:
    plan = planned(wish(placed(terminationGracePeriodSeconds=5)), nodes=(STAYS,))
    assert plan.pulls == ((), {})


def test_a_template_that_stands_already_needs_no_run() -> None:
    found = result(wish(TEMPLATE), nodes=(STAYS,))
    assert isinstance(found, Unneeded)
    assert "the template of plugin.yaml" in found.reason


def test_what_the_server_stores_is_compared_and_not_what_is_written() -> None:
    found = result(wish({"spec": {}}), nodes=(STAYS,), stored=TEMPLATE)
    assert isinstance(found, Unneeded)


def test_another_selector_is_refused() -> None:
    assert "selector-changes" in refused(wish(selector={"matchLabels": {"app": "other"}}))


def test_what_differs_outside_the_template_is_said_and_not_written() -> None:
    standing = msgspec.structs.replace(
        component(), labels={"app": "plugin"}, rest={"revisionHistoryLimit": 10}
    )
    asked = wish(
        with_images(TEMPLATE, {"plugin": "r.test/plugin:2"}),
        labels={"app": "plugin", "team": "gpu"},
        rest={
            "minReadySeconds": 5,
            "revisionHistoryLimit": 10,
            "updateStrategy": {"type": "OnDelete"},
        },
    )
    plan = result(asked, nodes=(STAYS,), of=standing)
    assert isinstance(plan, Plan)
    said = [item for item in plan.warnings if "not changed by this version" in item]
    assert [item.split(" than ")[0] for item in said] == [
        "plugin.yaml has another metadata.labels.team",
        "plugin.yaml has another spec.updateStrategy.type",
        "plugin.yaml has another spec.minReadySeconds",
    ]


def test_the_digests_bind_template_consent_and_move() -> None:
    one, other = wish(), wish(consent=PlacementSettings())
    assert change_digest(one) != change_digest(other)
    assert change_digest(one) != change_digest(wish(placed(nodeSelector={"pool": "old"})))
    assert planned(one).plan_digest != planned(one, nodes=(STAYS, GAINS)).plan_digest

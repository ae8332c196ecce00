"""Every command against a real API server: its effect, its repeat, and what stands in its way."""

import json
import subprocess
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from bridgehead.cluster.errors import ClaimedError, LostLockError
from bridgehead.cluster.perform import Performer
from bridgehead.core.model.component import FORMER_REVISION, FORMER_STRATEGY, Component
from bridgehead.core.model.json import JsonObject, child
from bridgehead.core.model.node import HELD_BY, KEEP_CORDONED, SCHEDULABLE_BEFORE
from bridgehead.core.rollout.commands import (
    Baseline,
    Cordon,
    CreateOwnPod,
    DeleteOwnPod,
    DeletePod,
    Done,
    Failed,
    Flip,
    LetGo,
    Position,
    Purpose,
    RestoreStrategy,
    Role,
    TakeOver,
    Uncordon,
)
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.kube.errors import Forbidden, NotFound
from bridgehead.kube.resources import DAEMON_SETS, NAMESPACES, NODES, PODS, RESOURCE_QUOTAS
from testbed.cluster import Cluster
from testbed.fixtures import LeaseNodes
from testbed.parts import binary
from tests.cluster.components import NAME, OnCluster
from tests.cluster.conftest import Until

pytestmark = pytest.mark.cluster

RUN = "change-1"


def performer(component: OnCluster, *, run: str = RUN, holder: int = 1) -> Performer:
    return Performer(component.kube, run, component.plan, holder, lambda: None)


async def claimed(component: OnCluster) -> Performer:
    hand = performer(component)
    await hand.claim()
    return hand


async def taken_over(component: OnCluster) -> Performer:
    hand = await claimed(component)
    assert isinstance(await hand.perform(TakeOver()), Done)
    return hand


async def test_claiming_anchors_the_component_and_changes_no_spec(component: OnCluster) -> None:
    before = await component.now()
    await claimed(component)
    after = await component.now()
    assert after.anchor == f"bridgehead/{RUN}/1"
    assert after.generation == before.generation


async def test_claiming_again_is_fine_and_a_later_holder_raises_the_number(
    component: OnCluster,
) -> None:
    await claimed(component)
    await claimed(component)
    await performer(component, holder=2).claim()
    assert (await component.now()).anchor == f"bridgehead/{RUN}/2"


async def test_an_earlier_holder_cannot_claim_back(component: OnCluster) -> None:
    await performer(component, holder=2).claim()
    with pytest.raises(ClaimedError, match=f"bridgehead/{RUN}/2"):
        await claimed(component)


async def test_a_component_of_another_run_cannot_be_claimed(component: OnCluster) -> None:
    await performer(component, run="other").claim()
    with pytest.raises(ClaimedError, match="bridgehead/other/1"):
        await claimed(component)


async def test_takeover_sets_on_delete_and_keeps_what_was_before(component: OnCluster) -> None:
    hand = await claimed(component)
    result = await hand.perform(TakeOver())
    now = await component.now()
    former = component.plan.former
    assert result == Done({"generation": now.generation})
    assert now.strategy == {"type": "OnDelete"}
    assert now.annotations[FORMER_REVISION] == f"{former.name}/{former.hash}"
    assert json.loads(now.annotations[FORMER_STRATEGY]) == component.plan.former_strategy
    assert now.template == component.plan.former_template


async def test_takeover_twice_changes_nothing_more(component: OnCluster) -> None:
    hand = await claimed(component)
    first = await hand.perform(TakeOver())
    assert await hand.perform(TakeOver()) == first


async def test_takeover_refuses_a_strategy_that_was_changed_since_the_plan(
    component: OnCluster,
) -> None:
    hand = await claimed(component)
    await component.merge({"spec": {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 2}}}})
    result = await hand.perform(TakeOver())
    assert isinstance(result, Failed)
    assert result.reason == "conflict"
    assert FORMER_STRATEGY not in (await component.now()).annotations


async def test_on_delete_is_set_again_over_exactly_the_strategy_that_was_found(
    component: OnCluster,
) -> None:
    await taken_over(component)
    two: JsonObject = {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": 2, "maxSurge": 0},
    }
    await component.merge({"spec": {"updateStrategy": two}})
    later = performer(component, holder=2)
    await later.claim()
    result = await later.perform(TakeOver())
    assert isinstance(result, Failed)
    assert (await component.now()).strategy == two
    result = await later.perform(TakeOver(instead_of=two))
    now = await component.now()
    assert result == Done({"generation": now.generation})
    assert now.strategy == {"type": "OnDelete"}
    assert json.loads(now.annotations[FORMER_STRATEGY]) == component.plan.former_strategy


async def test_without_the_anchor_nothing_is_written(component: OnCluster) -> None:
    result = await performer(component).perform(TakeOver())
    assert isinstance(result, Failed)
    assert "anchored to nobody" in result.message
    assert (await component.now()).strategy_type == "RollingUpdate"


async def test_flips_put_each_template_in_and_name_the_new_generation(
    component: OnCluster,
) -> None:
    hand = await taken_over(component)
    into = await hand.perform(Flip(to=Position.TARGET))
    standing = await component.now()
    assert into == Done({"generation": standing.generation})
    assert standing.template == component.plan.target_template
    back = await hand.perform(Flip(to=Position.FORMER))
    assert back == Done({"generation": standing.generation + 1})
    assert (await component.now()).template == component.plan.former_template


async def test_a_flip_that_happened_already_is_done(component: OnCluster) -> None:
    hand = await taken_over(component)
    first = await hand.perform(Flip(to=Position.TARGET))
    assert await hand.perform(Flip(to=Position.TARGET)) == first


async def test_a_former_template_that_somebody_put_back_before_the_claim_is_not_taken_for_ours(
    component: OnCluster,
) -> None:
    hand = await taken_over(component)
    into = await hand.perform(Flip(to=Position.TARGET))
    assert isinstance(into, Done)
    known = into.detail["generation"]
    assert isinstance(known, int)
    path = [{"op": "replace", "path": "/spec/template", "value": component.plan.former_template}]
    await component.kube.patch_json(DAEMON_SETS, NAME, path, namespace=component.namespace)
    later = Performer(component.kube, RUN, component.plan, 2, lambda: None, known=known)
    await later.claim()
    assert await later.perform(Flip(to=Position.FORMER)) == Done({"generation": known})
    assert (await component.now()).generation == known + 1


async def test_a_flip_never_overwrites_a_third_template_and_names_who_wrote_it(
    cluster: Cluster, component: OnCluster
) -> None:
    hand = await taken_over(component)
    set_image(cluster, component, "somebody/else:1")
    result = await hand.perform(Flip(to=Position.TARGET))
    assert result == Failed(
        "conflict", f"daemonset/{component.namespace}/{NAME} was changed by kubectl-set"
    )
    assert (await component.now()).images == {"plugin": "somebody/else:1"}


def set_image(cluster: Cluster, component: OnCluster, image: str) -> None:
    kubectl = [str(binary("kubernetes", "kubectl")), "--kubeconfig", str(cluster.kubeconfig)]
    namespace = ["-n", component.namespace]
    command = [*kubectl, *namespace, "set", "image", f"daemonset/{NAME}", f"plugin={image}"]
    subprocess.run(command, check=True, capture_output=True)


async def test_the_target_does_not_go_in_under_a_strategy_that_would_carry_it_everywhere(
    component: OnCluster,
) -> None:
    hand = await taken_over(component)
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}
    await component.merge({"spec": {"updateStrategy": rolling}})
    for attempt in (hand, performer(component)):  # also one that has not written here before
        result = await attempt.perform(Flip(to=Position.TARGET))
        assert isinstance(result, Failed)
        assert result.reason == "conflict"
    assert (await component.now()).template == component.plan.former_template


async def test_the_target_does_not_go_in_after_a_foreign_change_of_the_spec(
    component: OnCluster,
) -> None:
    hand = await taken_over(component)
    await component.merge({"spec": {"minReadySeconds": 5}})
    result = await hand.perform(Flip(to=Position.TARGET))
    assert isinstance(result, Failed)
    assert (await component.now()).template == component.plan.former_template


async def test_the_former_template_goes_in_all_the_same_and_the_foreign_change_stays_visible(
    component: OnCluster,
) -> None:
    hand = await taken_over(component)
    into = await hand.perform(Flip(to=Position.TARGET))
    assert isinstance(into, Done)
    await component.merge({"spec": {"minReadySeconds": 5}})
    back = await hand.perform(Flip(to=Position.FORMER))
    now = await component.now()
    assert now.template == component.plan.former_template
    assert back == Done({"generation": into.detail["generation"] + 1})  # type: ignore[operator]
    assert now.generation == into.detail["generation"] + 2  # type: ignore[operator]


async def test_the_strategy_is_not_restored_over_a_third_template(
    cluster: Cluster, component: OnCluster
) -> None:
    hand = await taken_over(component)
    set_image(cluster, component, "somebody/else:1")
    for attempt in (hand, performer(component)):
        result = await attempt.perform(RestoreStrategy())
        assert isinstance(result, Failed)
    assert (await component.now()).strategy_type == "OnDelete"


async def test_a_replaced_holder_cannot_flip(component: OnCluster) -> None:
    hand = await taken_over(component)
    await performer(component, holder=2).claim()
    result = await hand.perform(Flip(to=Position.TARGET))
    assert isinstance(result, Failed)
    assert result.message.endswith(f"is anchored to bridgehead/{RUN}/2, not bridgehead/{RUN}/1")


async def test_a_template_stored_with_other_nulls_is_still_flipped(component: OnCluster) -> None:
    template = dict(component.plan.former_template)
    template["metadata"] = {**template["metadata"], "creationTimestamp": None}  # type: ignore[dict-item]
    plan = msgspec.structs.replace(component.plan, former_template=template)
    hand = await taken_over(OnCluster(component.kube, plan))
    assert isinstance(await hand.perform(Flip(to=Position.TARGET)), Done)


async def test_a_target_that_the_server_stores_otherwise_can_still_be_parked(
    component: OnCluster,
) -> None:
    found = child(component.plan.target_template, "spec")
    assert isinstance(found, Mapping)
    spec = dict(found)
    del spec["terminationGracePeriodSeconds"]
    short = {**component.plan.target_template, "spec": spec}
    plan = msgspec.structs.replace(component.plan, target_template=short)
    hand = await taken_over(OnCluster(component.kube, plan))
    assert isinstance(await hand.perform(Flip(to=Position.TARGET)), Done)
    assert (await component.now()).template != short
    assert isinstance(await hand.perform(Flip(to=Position.FORMER)), Done)
    assert (await component.now()).template == component.plan.former_template


async def test_the_strategy_comes_back_and_its_notes_go(component: OnCluster) -> None:
    hand = await taken_over(component)
    result = await hand.perform(RestoreStrategy())
    now = await component.now()
    assert result == Done({"generation": now.generation})
    assert now.strategy == component.plan.former_strategy
    assert FORMER_REVISION not in now.annotations
    assert FORMER_STRATEGY not in now.annotations
    assert now.anchor
    assert await hand.perform(RestoreStrategy()) == result


async def test_a_strategy_that_somebody_else_changed_is_not_restored(component: OnCluster) -> None:
    hand = await taken_over(component)
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "50%"}}
    await component.merge({"spec": {"updateStrategy": rolling}})
    result = await hand.perform(RestoreStrategy())
    assert isinstance(result, Failed)
    assert (await component.now()).strategy_type == "RollingUpdate"


async def test_letting_go_leaves_no_annotation_of_ours(component: OnCluster) -> None:
    before = (await component.now()).annotations
    hand = await taken_over(component)
    assert isinstance(await hand.perform(LetGo()), Done)
    assert (await component.now()).annotations == before
    assert isinstance(await hand.perform(LetGo()), Done)


async def test_letting_go_of_a_component_that_is_gone_is_done(component: OnCluster) -> None:
    hand = await claimed(component)
    await component.kube.delete(DAEMON_SETS, NAME, component.namespace)
    assert await hand.perform(LetGo()) == Done({"gone": True})


async def test_letting_go_leaves_another_run_alone(component: OnCluster) -> None:
    await performer(component, run="other").claim()
    assert isinstance(await performer(component).perform(LetGo()), Done)
    assert (await component.now()).anchor == "bridgehead/other/1"


def cordon(node: str, *, schedulable: bool = True) -> Cordon:
    return Cordon(
        node=node, purpose=Purpose.CHANGE, baseline=Baseline(offers={}), schedulable=schedulable
    )


async def annotations(kube: Kube, node: str) -> tuple[bool, dict[str, str]]:
    found = await kube.get(NODES, node)
    names = (HELD_BY, SCHEDULABLE_BEFORE)
    marks = {
        name: found.metadata.annotations[name]
        for name in names
        if name in found.metadata.annotations
    }
    return found.spec.unschedulable, marks


async def test_a_node_is_held_and_given_back(
    kube: Kube, component: OnCluster, lease_nodes: LeaseNodes
) -> None:
    node = (await lease_nodes(1))[0].name
    hand = performer(component)
    marks = {HELD_BY: RUN, SCHEDULABLE_BEFORE: "true"}
    for _ in range(2):  # the second time it is held already, and was not schedulable before
        assert isinstance(await hand.perform(cordon(node)), Done)
        assert await annotations(kube, node) == (True, marks)
    for _ in range(2):
        assert isinstance(await hand.perform(Uncordon(node=node)), Done)
        assert await annotations(kube, node) == (False, {})


async def test_a_node_that_was_cordoned_before_stays_cordoned(
    kube: Kube, component: OnCluster, lease_nodes: LeaseNodes
) -> None:
    node = (await lease_nodes(1))[0].name
    await kube.patch_merge(NODES, node, {"spec": {"unschedulable": True}})
    hand = performer(component)
    assert isinstance(await hand.perform(cordon(node)), Done)
    assert isinstance(await hand.perform(Uncordon(node=node)), Done)
    assert await annotations(kube, node) == (True, {})


async def test_a_node_that_was_uncordoned_since_the_decision_is_given_back_schedulable(
    kube: Kube, component: OnCluster, lease_nodes: LeaseNodes
) -> None:
    node = (await lease_nodes(1))[0].name
    hand = performer(component)
    assert isinstance(await hand.perform(cordon(node, schedulable=False)), Done)
    assert isinstance(await hand.perform(Uncordon(node=node)), Done)
    assert await annotations(kube, node) == (False, {})


async def test_a_node_that_a_person_wants_cordoned_stays_cordoned(
    kube: Kube, component: OnCluster, lease_nodes: LeaseNodes
) -> None:
    node = (await lease_nodes(1))[0].name
    hand = performer(component)
    await hand.perform(cordon(node))
    marked = {"metadata": {"annotations": {KEEP_CORDONED: "broken fan"}}}
    await kube.patch_merge(NODES, node, marked)
    assert isinstance(await hand.perform(Uncordon(node=node)), Done)
    assert await annotations(kube, node) == (True, {})


async def test_a_node_of_another_run_is_neither_taken_nor_given_back(
    kube: Kube, component: OnCluster, lease_nodes: LeaseNodes
) -> None:
    node = (await lease_nodes(1))[0].name
    await performer(component, run="other").perform(cordon(node))
    hand = performer(component)
    result = await hand.perform(cordon(node))
    assert result == Failed("held", f"node {node} is held by run other")
    assert isinstance(await hand.perform(Uncordon(node=node)), Done)
    assert await annotations(kube, node) == (True, {HELD_BY: "other", SCHEDULABLE_BEFORE: "true"})


async def test_a_node_that_is_gone_cannot_be_held_and_needs_nothing_back(
    component: OnCluster,
) -> None:
    hand = performer(component)
    result = await hand.perform(cordon("no-such-node"))
    assert isinstance(result, Failed)
    assert result.reason == "gone"
    assert await hand.perform(Uncordon(node="no-such-node")) == Done({"gone": True})


def pod(namespace: str, name: str, **labels: str) -> dict[str, Any]:
    container = {"name": "c", "image": "testbed.local/base:1"}
    return {
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {"containers": [container], "nodeSelector": {"no": "node"}},
    }


async def test_only_the_pod_of_that_uid_is_deleted(kube: Kube, component: OnCluster) -> None:
    namespace = component.namespace
    uid = (await kube.create(PODS, pod(namespace, "p")))["metadata"]["uid"]
    hand = performer(component)

    def delete(uid: str) -> DeletePod:
        return DeletePod(node="n", namespace=namespace, name="p", uid=uid)

    assert await hand.perform(delete("another")) == Done({"gone": True})
    assert (await kube.get(PODS, "p", namespace)).metadata.uid == uid
    assert await hand.perform(delete(uid)) == Done()
    assert await hand.perform(delete(uid)) == Done({"gone": True})


async def test_a_pull_pod_proves_that_the_image_is_there(
    component: OnCluster, lease_nodes: LeaseNodes, until: Until
) -> None:
    node = (await lease_nodes(1, taints=[{"key": "gpu", "effect": "NoExecute"}]))[0].name
    hand = performer(component)
    await hand.perform(cordon(node))
    created = await hand.perform(CreateOwnPod(node=node, role=Role.PULL))
    assert isinstance(created, Done)
    assert await hand.perform(CreateOwnPod(node=node, role=Role.PULL)) == created

    async def started() -> bool:
        states = [
            status
            for item in await component.pods_on(node)
            for status in item.status.container_statuses
        ]
        ended = [status.state.terminated for status in states if status.state.terminated]
        return (
            bool(ended)
            and "/.bridgehead-probe" in ended[0].message
            and bool(states[0].container_id)
        )

    await until(started)
    assert isinstance(await hand.perform(DeleteOwnPod(node=node, role=Role.PULL)), Done)

    async def gone() -> bool:
        return not await component.pods_on(node)

    await until(gone)
    assert await hand.perform(DeleteOwnPod(node=node, role=Role.PULL)) == Done({"gone": True})


async def test_a_pod_of_ours_that_is_still_ending_is_waited_for(
    kube: Kube, component: OnCluster
) -> None:
    hand = performer(component)
    made = await hand.perform(CreateOwnPod(node="nowhere", role=Role.PULL))
    assert isinstance(made, Done)
    name = str(made.detail["pod"])
    held = {"metadata": {"finalizers": ["bridgehead.dev/test"]}}
    await kube.patch_merge(PODS, name, held, namespace=component.namespace)
    assert await hand.perform(DeleteOwnPod(node="nowhere", role=Role.PULL)) == Done()
    again = await hand.perform(CreateOwnPod(node="nowhere", role=Role.PULL))
    assert isinstance(again, Failed)
    assert again.reason == "conflict"
    free = {"metadata": {"finalizers": None}}
    await kube.patch_merge(PODS, name, free, namespace=component.namespace)


async def test_a_pod_of_somebody_else_under_our_name_is_neither_used_nor_deleted(
    kube: Kube, component: OnCluster
) -> None:
    hand = performer(component)
    made = await hand.perform(CreateOwnPod(node="nowhere", role=Role.PULL))
    assert isinstance(made, Done)
    name = str(made.detail["pod"])
    await kube.delete(PODS, name, component.namespace, grace=0)
    await kube.create(PODS, pod(component.namespace, name))
    created = await hand.perform(CreateOwnPod(node="nowhere", role=Role.PULL))
    assert isinstance(created, Failed)
    deleted = await hand.perform(DeleteOwnPod(node="nowhere", role=Role.PULL))
    assert isinstance(deleted, Failed)
    assert await kube.get(PODS, name, component.namespace)


async def test_our_pods_pass_the_restricted_profile_and_its_refusals_are_answers(
    kube: Kube, component: OnCluster
) -> None:
    enforced = {"pod-security.kubernetes.io/enforce": "restricted"}
    await kube.patch_merge(NAMESPACES, component.namespace, {"metadata": {"labels": enforced}})
    hand = performer(component)
    for role in Role:
        assert isinstance(await hand.perform(CreateOwnPod(node="nowhere", role=role)), Done)


async def test_a_quota_that_refuses_our_pod_is_an_answer(kube: Kube, component: OnCluster) -> None:
    quota = {
        "metadata": {"name": "none", "namespace": component.namespace},
        "spec": {"hard": {"pods": "0"}},
    }
    await kube.create(RESOURCE_QUOTAS, quota)
    hand = performer(component)

    result = await hand.perform(CreateOwnPod(node="nowhere", role=Role.PULL))
    assert isinstance(result, Failed)
    assert result.reason == "refused"


async def test_a_missing_permission_is_raised_and_not_taken_for_a_refusal(
    cluster: Cluster, component: OnCluster
) -> None:
    config = load_config(cluster.user_kubeconfig("nobody"))
    async with await Kube.connect(config) as nobody:
        hand = Performer(nobody, RUN, component.plan, 1, lambda: None)
        for command in (TakeOver(), cordon("n"), CreateOwnPod(node="n", role=Role.PULL)):
            with pytest.raises(Forbidden):
                await hand.perform(command)


async def test_a_lost_lock_stops_every_effect(
    component: OnCluster, lease_nodes: LeaseNodes
) -> None:
    node = (await lease_nodes(1))[0].name
    await taken_over(component)
    hand = Performer(component.kube, RUN, component.plan, 1, lost)
    before = spec_of(await component.now())
    for command in (
        Flip(to=Position.TARGET),
        RestoreStrategy(),
        LetGo(),
        cordon(node),
        DeletePod(node=node, namespace=component.namespace, name="p", uid="u"),
        CreateOwnPod(node=node, role=Role.PULL),
    ):
        with pytest.raises(LostLockError):
            await hand.perform(command)
    assert spec_of(await component.now()) == before


def spec_of(component: Component) -> Component:
    """Without what its controller writes meanwhile."""
    return msgspec.structs.replace(
        component, resource_version="", observed_generation=0, desired=None, managers=()
    )


def lost() -> None:
    raise LostLockError("too late")


async def test_the_component_is_gone(component: OnCluster) -> None:
    hand = await claimed(component)
    await component.kube.delete(DAEMON_SETS, NAME, component.namespace)
    for command in (TakeOver(), Flip(to=Position.TARGET), RestoreStrategy()):
        result = await hand.perform(command)
        assert isinstance(result, Failed)
        assert result.reason == "gone"
    with pytest.raises(NotFound):
        await hand.claim()

"""What a diagnosis asks the API server: dry runs of missing pods, and reviews of rights."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from bridgehead.app.diagnose import diagnosed
from bridgehead.app.observed_recording import read_observed
from bridgehead.app.rehearse_stage import Stage, staged
from bridgehead.app.saving import save_observed
from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.diagnose.question import EVERYTHING
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import JsonObject
from bridgehead.kube.objects.base import PartialObject
from bridgehead.kube.resources import DAEMON_SETS, EVENTS, NAMESPACES, PODS, Resource
from bridgehead.twin.seeding.generic import NAMESPACE, PLUGIN, RESOURCE, generic_seed
from bridgehead.twin.seeding.recorded import seed_of
from bridgehead.twin.virtual.loop import run_virtual
from tests.app.small_twin import QUICK, break_image, on_a_twin
from tests.app.test_diagnose import look, said
from tests.app.test_rehearse_state import AT
from tests.cluster.use_cases import Nobody

HAMI = "registry.example/projecthami/hami:v2.4.0"
_RBAC = "rbac.authorization.k8s.io"


def told(observed: Observed) -> Diagnosis:
    return diagnosed(observed, EVERYTHING)


def answers(observed: Observed, kind: str) -> list[JsonObject]:
    return [item["status"] for item in observed.of_kind(kind)]  # type: ignore[misc]


async def without_a_pod(stage: Stage) -> None:
    """One pod of the plugin goes, and the events of its successor's failures are forgotten."""
    kube = stage.session.kube
    pods = await kube.list_raw(PODS, NAMESPACE)
    await kube.delete(PODS, pods.items[0]["metadata"]["name"], NAMESPACE)
    await asyncio.sleep(400)
    for event in (await kube.list_raw(EVENTS, NAMESPACE)).items:
        await kube.delete(EVENTS, event["metadata"]["name"], NAMESPACE)


async def refused_by_its_namespace(stage: Stage) -> Observed:
    labels = {"pod-security.kubernetes.io/enforce": "baseline"}
    await stage.session.kube.patch_merge(NAMESPACES, NAMESPACE, {"metadata": {"labels": labels}})
    await without_a_pod(stage)
    return await look(stage)


def test_pod_security_is_told_by_a_dry_run_once_the_events_are_gone() -> None:
    observed = on_a_twin(refused_by_its_namespace)
    assert not [item for item in observed.events if item.reason == "FailedCreate"]
    first = told(observed).causes[0]
    assert (first.rule, first.confidence) == ("pod-security-refuses", Confidence.HIGH)
    (proof,) = (item for item in first.evidence if item.source.startswith("dry run"))
    assert 'violates PodSecurity "baseline:latest"' in proof.text
    assert f"daemonset/{NAMESPACE}/{PLUGIN}" in first.explains


def test_a_priority_class_that_is_gone_is_told_by_a_dry_run() -> None:
    async def work(stage: Stage) -> Observed:
        path = "/spec/template/spec/priorityClassName"
        change = {"op": "replace", "path": path, "value": "gone"}
        await stage.session.kube.patch_json(DAEMON_SETS, PLUGIN, [change], namespace=NAMESPACE)
        await without_a_pod(stage)
        return await look(stage)

    first = told(on_a_twin(work)).causes[0]
    assert (first.rule, first.confidence) == ("pod-creation-refused", Confidence.HIGH)
    assert "there is no PriorityClass gone" in first.message
    assert first.evidence[0].source.startswith("dry run of a pod")


def test_a_dry_run_stores_nothing() -> None:
    async def work(stage: Stage) -> int:
        await refused_by_its_namespace(stage)
        before = stage.twin.store.version
        await look(stage)
        return stage.twin.store.version - before

    assert on_a_twin(work) == 0


def test_where_no_pod_is_missing_nothing_is_tried_and_nobody_is_asked_about() -> None:
    observed = on_a_twin(look)
    assert (answers(observed, "PodDryRun"), answers(observed, "AccessAnswer")) == ([], [])
    assert observed.has(Need.DRY_RUNS)
    assert observed.has(Need.ACCESS)


def on_hami(work: Callable[[Stage], Awaitable[Observed]]) -> Observed:
    """What is seen on a twin whose plugin offers what HAMi's does."""

    async def play() -> Observed:
        seed = generic_seed(3, at=AT)
        named = msgspec.json.encode(seed.objects).decode().replace(RESOURCE, "nvidia.com/gpu")
        objects = msgspec.json.decode(named)
        async with staged(seed_of(objects, at=AT), QUICK, chance=1, watcher=Nobody()) as stage:
            return await work(stage)

    return run_virtual(play(), start=AT)


async def mute(stage: Stage) -> Observed:
    """HAMi's version of the plugin never registers, and its log is quiet."""
    break_image(stage, "registers=never", HAMI)
    change = {"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": HAMI}
    kube = stage.session.kube
    await kube.patch_json(DAEMON_SETS, PLUGIN, [change], namespace=NAMESPACE)
    await asyncio.sleep(900)
    return await look(stage)


async def allow(stage: Stage) -> None:
    """Give the plugin's account what it needs."""
    metadata = {"name": "plugin"}
    rules = [{"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["*"]}]
    subjects = [{"kind": "ServiceAccount", "name": "default", "namespace": NAMESPACE}]
    role = {"apiGroup": _RBAC, "kind": "ClusterRole", **metadata}
    for kind, content in (
        ("ClusterRole", {"rules": rules}),
        ("ClusterRoleBinding", {"subjects": subjects, "roleRef": role}),
    ):
        resource = Resource(_RBAC, "v1", f"{kind.lower()}s", kind, False, PartialObject)
        about = {"apiVersion": f"{_RBAC}/v1", "kind": kind, "metadata": metadata}
        await stage.session.kube.create(resource, {**about, **content})


def test_a_right_that_the_family_needs_and_the_account_lacks_is_told() -> None:
    observed = on_hami(mute)
    asked = {(item["account"], item["allowed"]) for item in answers(observed, "AccessAnswer")}
    assert asked == {(f"{NAMESPACE}/default", False)}
    found = told(observed)
    first = found.causes[0]
    assert (first.rule, first.confidence) == ("plugin-lacks-permission", Confidence.MEDIUM)
    assert f"its service account {NAMESPACE}/default may not get nodes" in first.message
    assert f"access review of {NAMESPACE}/default" in {item.source for item in first.evidence}


def test_an_account_that_may_all_that_is_no_cause() -> None:
    async def work(stage: Stage) -> Observed:
        await allow(stage)
        return await mute(stage)

    observed = on_hami(work)
    assert {item["allowed"] for item in answers(observed, "AccessAnswer")} == {True}
    rules = [item.rule for item in told(observed).causes]
    assert "plugin-lacks-permission" not in rules
    assert rules


def test_answers_are_saved_and_read_back_with_the_same_diagnosis(tmp_path: Path) -> None:
    for name, observed in (("a", on_hami(mute)), ("b", on_a_twin(refused_by_its_namespace))):
        save_observed(observed, tmp_path / name)
        assert said(read_observed(tmp_path / name).observed) == said(observed)

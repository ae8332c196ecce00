"""A twin of a recorded cluster begins settled, and stays so while nobody does anything."""

import asyncio
from typing import Any

import pytest

from bridgehead.twin.objects import Object, at, fields, labels_of, name_of, uid_of
from bridgehead.twin.seeding.generic import IMAGE, NAMESPACE, PLUGIN, RESOURCE, generic_seed
from bridgehead.twin.seeding.planting import plant
from bridgehead.twin.seeding.recorded import seed_of
from bridgehead.twin.seeding.seed import Seed
from bridgehead.twin.twin import Twin
from tests.twin.settled import allocatable, objects, settled
from tests.twin.virtually import START, virtually


def _objects(count: int) -> list[Any]:
    """A made-up record, to be changed."""
    return [dict(item) for item in generic_seed(count, at=START).objects]


def _named(recorded: list[Any], kind: str, name: str) -> Any:
    return next(item for item in recorded if item["kind"] == kind and name_of(item) == name)


def _seed(recorded: list[Object]) -> Seed:
    return seed_of(recorded, at=START)


@virtually
async def test_nothing_happens_by_itself() -> None:
    async with settled(generic_seed(10, at=START)) as twin:
        before = objects(twin, "", "pods")
        await asyncio.sleep(3600)
        after = objects(twin, "", "pods")
        assert {name: uid_of(pod) for name, pod in before.items()} == {
            name: uid_of(pod) for name, pod in after.items()
        }
        assert {at(pod, "status", "phase") for pod in after.values()} == {"Running"}
        restarts = [
            status["restartCount"]
            for pod in after.values()
            for status in pod["status"]["containerStatuses"]
        ]
        assert set(restarts) == {0}
        daemon_set = objects(twin, "apps", "daemonsets")[PLUGIN]
        assert daemon_set["status"]["numberReady"] == 10
        assert daemon_set["status"]["updatedNumberScheduled"] == 10


@virtually
async def test_running_containers_tell_their_image_though_it_was_not_recorded() -> None:
    async with settled(generic_seed(2, at=START)) as twin:
        for pod in objects(twin, "", "pods").values():
            for status in pod["status"]["containerStatuses"]:
                assert "sha256:" in status["imageID"], name_of(pod)


@virtually
async def test_nodes_offer_what_they_offered() -> None:
    async with settled(generic_seed(10, at=START)) as twin:
        offered = {name: allocatable(twin, name, RESOURCE) for name in objects(twin, "", "nodes")}
        assert offered == {f"node-{n:04}": 4 if n in {8, 9} else 8 for n in range(10)}


@virtually
async def test_a_plugin_that_is_gone_for_good_takes_all_its_devices_along() -> None:
    async with settled(generic_seed(1, at=START)) as twin:
        twin.registry.delete(twin.kinds.named("apps", "daemonsets"), NAMESPACE, PLUGIN)
        await asyncio.sleep(900)  # longer than the kubelet waits for a plugin to come back
        status = objects(twin, "", "nodes")["node-0000"]["status"]
        assert (status["capacity"][RESOURCE], status["allocatable"][RESOURCE]) == ("0", "0")


@virtually
async def test_workloads_hold_their_devices_so_that_others_cannot_have_them() -> None:
    async with settled(generic_seed(1, at=START)) as twin:
        pods = twin.kinds.named("", "pods")
        asked = {RESOURCE: "5"}
        twin.registry.create(
            pods,
            {
                "metadata": {"name": "wants-five"},
                "spec": {
                    "containers": [
                        {
                            "name": "main",
                            "image": "x",
                            "resources": {"requests": asked, "limits": asked},
                        }
                    ]
                },
            },
            namespace="default",
        )
        await asyncio.sleep(30)
        found = objects(twin, "", "pods")["wants-five"]
        assert found["status"]["phase"] == "Pending"
        held = twin.nodes.hosts["node-0000"].checkpoint.in_use(RESOURCE)
        assert len(held) == 4


@virtually
async def test_a_job_that_loses_its_pod_makes_another() -> None:
    async with settled(generic_seed(1, at=START)) as twin:
        pods = twin.kinds.named("", "pods")
        twin.registry.delete(pods, "jobs", "train-node-0000-0")
        await asyncio.sleep(120)
        running = [
            pod
            for pod in objects(twin, "", "pods").values()
            if pod["metadata"]["namespace"] == "jobs" and pod["status"]["phase"] == "Running"
        ]
        assert len(running) == 1


@virtually
async def test_devices_that_were_unhealthy_stay_so_also_after_a_restart() -> None:
    recorded = _objects(2)
    node = _named(recorded, "Node", "node-0001")
    node["status"] = {**node["status"], "allocatable": {RESOURCE: "6"}}
    async with settled(_seed(recorded)) as twin:
        assert allocatable(twin, "node-0001", RESOURCE) == 6
        pods = twin.kinds.named("", "pods")
        twin.registry.delete(pods, NAMESPACE, f"{PLUGIN}-node-0001")
        await asyncio.sleep(120)
        assert allocatable(twin, "node-0001", RESOURCE) == 6
        assert allocatable(twin, "node-0000", RESOURCE) == 8


@virtually
async def test_a_node_that_was_not_ready_does_not_answer() -> None:
    recorded = _objects(2)
    node = _named(recorded, "Node", "node-0001")
    node["status"] = {**node["status"], "conditions": [{"type": "Ready", "status": "Unknown"}]}
    seed = _seed(recorded)
    assert seed.down == ("node-0001",)
    async with settled(seed) as twin:
        await asyncio.sleep(300)
        conditions = objects(twin, "", "nodes")["node-0001"]["status"]["conditions"]
        assert {item["type"]: item["status"] for item in conditions}["Ready"] == "Unknown"


@virtually
async def test_without_a_recorded_revision_pods_are_still_of_the_template_that_stands() -> None:
    recorded = [item for item in _objects(3) if item["kind"] != "ControllerRevision"]
    async with settled(_seed(recorded)) as twin:
        before = {uid_of(pod) for pod in objects(twin, "", "pods").values()}
        await asyncio.sleep(600)
        assert {uid_of(pod) for pod in objects(twin, "", "pods").values()} == before


@virtually
async def test_a_rollout_that_was_under_way_goes_on() -> None:
    recorded = _objects(3)
    pod = _named(recorded, "Pod", f"{PLUGIN}-node-0001")
    labels = {**pod["metadata"]["labels"], "controller-revision-hash": "older"}
    pod["metadata"] = {**pod["metadata"], "labels": labels}
    pod["spec"] = {**pod["spec"], "containers": [{"name": "plugin", "image": f"{IMAGE}-older"}]}
    async with settled(_seed(recorded)) as twin:
        await asyncio.sleep(300)
        mine = [pod for pod in objects(twin, "", "pods").values() if labels_of(pod).get("app")]
        hashes = {labels_of(pod)["controller-revision-hash"] for pod in mine}
        assert len(mine) == 3
        assert "older" not in hashes


def test_marks_of_runs_are_left_out_and_named() -> None:
    @virtually
    async def played() -> None:
        recorded = _objects(1)
        daemon_set = _named(recorded, "DaemonSet", PLUGIN)
        mark = {"bridgehead.dev/run": "bridgehead/up/1", "keep": "this"}
        daemon_set["metadata"] = {**daemon_set["metadata"], "annotations": mark}
        seed = _seed(recorded)
        assert any("marks of runs" in line and PLUGIN in line for line in seed.assumptions)
        async with settled(seed) as twin:
            found = objects(twin, "apps", "daemonsets")[PLUGIN]
            annotations = fields(found, "metadata", "annotations")
            assert "bridgehead.dev/run" not in annotations
            assert annotations["keep"] == "this"

    played()


@virtually
async def test_what_is_not_served_is_left_out_and_told() -> None:
    recorded = [
        *_objects(1),
        {"apiVersion": "example.com/v1", "kind": "Sprocket", "metadata": {"name": "one"}},
    ]
    seed = _seed(recorded)
    twin = Twin(start=START, fleet=None)
    assert plant(twin.registry, seed) == (
        "Sprocket/one: its kind is not served, so it was left out",
    )


@virtually
async def test_a_pod_whose_daemon_set_was_not_recorded_is_left_out_and_told() -> None:
    recorded = [item for item in _objects(1) if item["kind"] != "DaemonSet"]
    twin = Twin(start=START, fleet=None)
    (told,) = plant(twin.registry, _seed(recorded))
    assert told.endswith("was left out, as its DaemonSet is not there")


@virtually
async def test_other_recorded_objects_are_there_too() -> None:
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"namespace": "jobs", "name": "keep"},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"a": "b"}}},
    }
    async with settled(_seed([*_objects(1), budget])) as twin:
        assert "keep" in objects(twin, "policy", "poddisruptionbudgets")


def test_an_inventory_says_what_it_does_not_say() -> None:
    recorded = _objects(1)
    daemon_set = _named(recorded, "DaemonSet", PLUGIN)
    spec = daemon_set["spec"]["template"]["spec"]
    container = {**spec["containers"][0], "env": [{"name": "MODE", "value": ""}]}
    template = {"spec": {**spec, "containers": [container]}}
    daemon_set["spec"] = {**daemon_set["spec"], "template": template}
    assert any("environment variables" in line for line in _seed(recorded).assumptions)


@pytest.mark.parametrize("count", [0, 1, 25])
def test_a_made_up_cluster_has_as_many_nodes_as_asked_for(count: int) -> None:
    seed = generic_seed(count, at=START)
    assert len(seed.machines) == count

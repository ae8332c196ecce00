"""A pod's life on a node in time: starts, back-offs, ends, and what stands in between."""

import asyncio
import itertools
import math
from functools import partial

import pytest

from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Stored
from bridgehead.twin.nodes.images import Image, Overlay, Pull
from bridgehead.twin.nodes.stages import Stage
from bridgehead.twin.objects import with_field
from bridgehead.twin.store import Change
from tests.twin.nodes.cluster import HERE, NODE, Cluster, cluster, container, devices, images
from tests.twin.virtually import virtually


async def _starts(twin: Cluster, name: str, count: int) -> list[float]:
    """Seconds between the first so many starts of a pod's container."""
    moments: list[float] = []
    for number in range(count):
        await twin.until(partial(_started, twin, name, number), 4000)
        moments.append(twin.now)
    return [later - earlier for earlier, later in itertools.pairwise(moments)]


def _started(twin: Cluster, name: str, attempt: int, of: str = "main") -> bool:
    return int(twin.state(name, of).get("restartCount", -1)) >= attempt


@virtually
async def test_a_container_that_crashes_is_started_after_pauses_that_double_up_to_5_minutes() -> (
    None
):
    twin = await cluster(images({"exit": {"initFailure": "exit"}}))
    twin.create("crash", container("fake:exit"))
    pauses = await _starts(twin, "crash", 9)
    assert pauses[0] < 5
    for pause, least in zip(pauses[1:], (10, 20, 40, 80, 160, 300, 300), strict=True):
        assert least <= pause < least * 1.5 + 60


@virtually
async def test_a_container_that_ran_for_ten_minutes_is_started_at_once_again() -> None:
    twin = await cluster(images({"later": {"crashAfter": "11m"}}))
    twin.plugin("later")
    for attempt in range(1, 4):
        await twin.until(partial(_started, twin, "plugin", attempt, "plugin"))
        assert twin.waits_for("plugin", "plugin") != "CrashLoopBackOff"


@virtually
async def test_an_image_is_pulled_once_and_named_by_its_digest() -> None:
    twin = await cluster()
    twin.create("first", container("docker.io/library/busybox:1.37"))
    await twin.until(lambda: twin.pod_ready("first"))
    reasons = [reason for reason, _ in twin.events("first")]
    assert reasons == ["Pulling", "Pulled", "Created", "Started"]
    assert twin.state("first")["imageID"].startswith("docker.io/library/busybox@sha256:")
    twin.create("second", container("docker.io/library/busybox:1.37"))
    await twin.until(lambda: twin.pod_ready("second"))
    assert twin.events("second")[0][1] == (
        'Container image "docker.io/library/busybox:1.37" already present on machine '
        "and can be accessed by the pod"
    )
    await asyncio.sleep(2)
    listed = [name for image in twin.node()["status"]["images"] for name in image["names"]]
    assert "docker.io/library/busybox:1.37" in listed


@virtually
async def test_an_image_that_cannot_be_pulled_is_tried_again_after_pauses() -> None:
    catalogue = images()
    why = "rpc error: code = NotFound desc = not found"
    catalogue.add("registry.test/gone:*", Image(pull=Pull(error=why, delay=1)))
    twin = await cluster(catalogue)
    twin.create("pod", container("registry.test/gone:v1"))
    await twin.until(lambda: twin.waits_for("pod") == "ErrImagePull")
    assert twin.state("pod")["state"]["waiting"]["message"] == why
    await twin.until(lambda: twin.waits_for("pod") == "ImagePullBackOff")
    assert twin.state("pod")["state"]["waiting"]["message"] == (
        f'Back-off pulling image "registry.test/gone:v1": ErrImagePull: {why}'
    )
    assert ("Failed", f'Failed to pull image "registry.test/gone:v1": {why}') in twin.events("pod")
    with pytest.raises(ApiError, match="is waiting to start: trying and failing to pull image"):
        twin.log("pod")
    catalogue.add("registry.test/gone:*", Image())
    await twin.until(lambda: twin.pod_ready("pod"), 330)


@virtually
async def test_a_fault_makes_pulls_of_some_images_slow_on_some_nodes() -> None:
    catalogue = images()
    catalogue.lay(Overlay(image="*/slow:*", stages={"pull": Stage(seconds=120)}))
    twin = await cluster(catalogue)
    twin.create("slow", container("registry.test/slow:v1"))
    twin.create("fast", container("registry.test/fast:v1"))
    await twin.until(lambda: twin.pod_ready("fast"), 10)
    assert not twin.pod_ready("slow")
    await twin.until(lambda: twin.pod_ready("slow"), 125)


@virtually
async def test_init_containers_run_in_order_and_before_the_others() -> None:
    twin = await cluster()
    one = container("busybox", "one", command=["sh", "-c", "echo one; sleep 20"])
    two = container("busybox", "two", command=["sleep", "20"])
    twin.create("pod", container(), initContainers=[one, two])
    await twin.until(lambda: "running" in twin.state("pod", "one").get("state", {}))
    assert twin.waits_for("pod", "two") == "PodInitializing"
    assert twin.condition("pod", "Initialized")["message"] == (
        "containers with incomplete status: [one two]"
    )
    await twin.until(lambda: "running" in twin.state("pod", "two").get("state", {}))
    assert twin.state("pod", "one")["state"]["terminated"]["exitCode"] == 0
    assert twin.phase("pod") == "Pending"
    await twin.until(lambda: twin.pod_ready("pod"))
    assert twin.log("pod", "one") == "one\n"


@virtually
async def test_a_sidecar_runs_beside_the_others_and_ends_after_them() -> None:
    twin = await cluster()
    side = container("hold:v1", "side", restartPolicy="Always")
    main = container("busybox", command=["sh", "-c", "sleep 5; exit 3"])
    twin.create("pod", main, initContainers=[side], restartPolicy="Never")
    await twin.until(lambda: twin.pod_ready("pod"))
    assert twin.state("pod", "side")["ready"] is True
    await twin.until(lambda: twin.phase("pod") == "Failed")
    await twin.until(lambda: "terminated" in twin.state("pod", "side")["state"])
    assert ("Killing", "Stopping container side") in twin.events("pod")


@virtually
async def test_a_pod_that_is_to_end_ends_with_its_exit_code_and_stays() -> None:
    twin = await cluster()
    twin.create("good", container("busybox", command=["true"]), restartPolicy="Never")
    twin.create("bad", container("busybox", command=["sh", "-c", "exit 4"]), restartPolicy="Never")
    twin.create("once", container("busybox", command=["true"]), restartPolicy="OnFailure")
    await twin.until(lambda: twin.phase("good") == "Succeeded")
    await twin.until(lambda: twin.phase("bad") == "Failed")
    await twin.until(lambda: twin.phase("once") == "Succeeded")
    assert twin.state("bad")["state"]["terminated"]["exitCode"] == 4
    await asyncio.sleep(600)
    assert twin.state("bad")["restartCount"] == 0


@virtually
async def test_what_ignores_the_signal_is_killed_when_the_grace_is_over() -> None:
    twin = await cluster()
    twin.create("deaf", container("busybox", command=["sleep", "3600"]))
    await twin.until(lambda: twin.pod_ready("deaf"))
    before = twin.now
    twin.delete("deaf")
    await twin.until(lambda: "terminated" in twin.state("deaf").get("state", {}))
    assert twin.state("deaf")["state"]["terminated"]["exitCode"] == 137
    assert 5 <= twin.now - before < 7
    await twin.until(lambda: twin.pod("deaf") is None, 2)


@virtually
async def test_a_second_deletion_shortens_the_grace_of_the_first() -> None:
    twin = await cluster()
    deaf = container("busybox", command=["sleep", "3600"])
    twin.create("deaf", deaf, terminationGracePeriodSeconds=600)
    await twin.until(lambda: twin.pod_ready("deaf"))
    twin.delete("deaf")
    await asyncio.sleep(100)
    assert twin.pod("deaf") is not None
    twin.delete("deaf", grace=3)
    await twin.until(lambda: twin.pod("deaf") is None, 6)


@virtually
async def test_a_pod_that_is_deleted_by_force_ends_on_its_node_all_the_same() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    twin.delete("plugin", grace=0)
    assert twin.pod("plugin") is None
    await twin.until(lambda: twin.offers() == "4/0", 5)


@virtually
async def test_a_finalizer_keeps_a_pod_that_has_ended() -> None:
    twin = await cluster()
    twin.create("kept")
    await twin.until(lambda: twin.pod_ready("kept"))
    pod = with_field(twin.pod("kept") or {}, ("metadata", "finalizers"), ["test.dev/keep"])
    twin.twin.registry.update(twin.pods, pod)
    twin.delete("kept")
    await twin.until(lambda: twin.phase("kept") == "Succeeded")
    await asyncio.sleep(60)
    gone = with_field(twin.pod("kept") or {}, ("metadata", "finalizers"), None)
    twin.twin.registry.update(twin.pods, gone)
    assert twin.pod("kept") is None


@virtually
async def test_a_volume_that_is_not_there_keeps_a_pod_waiting_until_it_is() -> None:
    twin = await cluster()
    volumes = [{"name": "v", "configMap": {"name": "late"}}]
    twin.create("pod", container(volumeMounts=[{"name": "v", "mountPath": "/v"}]), volumes=volumes)
    words = 'MountVolume.SetUp failed for volume "v" : configmap "late" not found'
    await twin.until(lambda: ("FailedMount", words) in twin.events("pod"))
    maps = twin.twin.kinds.named("", "configmaps")
    body = {"metadata": {"name": "late"}}
    twin.twin.registry.create(maps, body, namespace="default")
    await twin.until(lambda: twin.pod_ready("pod"), 130)


@virtually
async def test_a_map_that_goes_once_a_container_is_made_is_not_missed() -> None:
    twin = await cluster()
    maps, registry = twin.twin.kinds.named("", "configmaps"), twin.twin.registry
    registry.create(maps, {"metadata": {"name": "m"}, "data": {"A": "b"}}, namespace="default")

    def told(change: Change) -> None:
        if change.object.get("reason") == "Created":
            twin.twin.clock.soon(lambda: registry.delete(maps, "default", "m"))

    twin.twin.store.subscribe(told, Stored("", "events"))
    twin.create("pod", container(envFrom=[{"configMapRef": {"name": "m"}}]))
    await twin.until(lambda: twin.pod_ready("pod"), 60)
    assert twin.twin.store.get(maps.stored, "default", "m") is None


@virtually
async def test_readiness_waits_for_the_probe_that_a_container_declares() -> None:
    catalogue = images()
    catalogue.add("registry.test/late:v1", Image(pull=HERE, ready_after=60))
    twin = await cluster(catalogue)
    probe = {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 5}
    twin.create("pod", container("registry.test/late:v1", readinessProbe=probe))
    await twin.until(lambda: twin.phase("pod") == "Running")
    before = twin.now
    assert twin.condition("pod", "Ready")["message"] == "containers with unready status: [main]"
    await twin.until(lambda: twin.pod_ready("pod"))
    assert 58 < twin.now - before < 67
    address = twin.status("pod")["podIP"]
    refused = f"dial tcp {address}:8080: connect: connection refused"
    told = f'Readiness probe failed: Get "http://{address}:8080/healthz": {refused}'
    assert ("Unhealthy", told) in twin.events("pod")


@virtually
async def test_a_container_whose_liveness_probe_fails_is_started_again() -> None:
    catalogue = images()
    catalogue.add("registry.test/dies:v1", Image(pull=HERE, dies_after=120))
    twin = await cluster(catalogue)
    probe = {"tcpSocket": {"port": 80}, "periodSeconds": 10, "failureThreshold": 3}
    twin.create("pod", container("registry.test/dies:v1", livenessProbe=probe))
    await twin.until(lambda: twin.state("pod").get("restartCount") == 1)
    assert 140 < twin.now < 180
    told = "Container main failed liveness probe, will be restarted"
    assert ("Killing", told) in twin.events("pod")


@virtually
async def test_a_startup_probe_that_never_succeeds_keeps_a_pod_from_being_ready() -> None:
    catalogue = images()
    catalogue.add("registry.test/never:v1", Image(pull=HERE, ready_after=math.inf))
    twin = await cluster(catalogue)
    probe = {"exec": {"command": ["/ready"]}, "periodSeconds": 1, "failureThreshold": 600}
    twin.create("pod", container("registry.test/never:v1", startupProbe=probe))
    await twin.until(lambda: twin.phase("pod") == "Running")
    assert twin.state("pod")["started"] is False
    assert not twin.pod_ready("pod")


@virtually
async def test_environment_comes_from_fields_maps_and_earlier_variables() -> None:
    twin = await cluster()
    maps = twin.twin.kinds.named("", "configmaps")
    body = {"metadata": {"name": "map"}, "data": {"number": "8"}}
    twin.twin.registry.create(maps, body, namespace="default")
    environment = [
        {"name": "NUMBER", "valueFrom": {"configMapKeyRef": {"name": "map", "key": "number"}}},
        {"name": "FAKE_INVENTORY", "value": "$(NUMBER)"},
        {"name": "FAKE_RESOURCE", "value": "a.test/b"},
    ]
    mounts = [{"name": "p", "mountPath": "/var/lib/kubelet/device-plugins"}]
    own = container("fake:v1", env=environment, volumeMounts=mounts)
    volumes = [{"name": "p", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}]
    twin.create("plugin", own, volumes=volumes)
    await twin.until(lambda: twin.offers("a.test/b") == "8/8")


@virtually
async def test_a_log_has_its_tail_its_times_and_its_beginning() -> None:
    twin = await cluster()
    talk = "echo a; sleep 10; echo b; sleep 10; echo c; sleep infinity"
    twin.create("pod", container("busybox", command=["sh", "-c", talk]))
    await twin.until(lambda: twin.phase("pod") == "Running" and "c" in twin.log("pod"))
    assert twin.log("pod") == "a\nb\nc\n"
    assert twin.log("pod", tail=1) == "c\n"
    assert twin.log("pod", since=twin.twin.clock.now() - 12) == "b\nc\n"
    stamped = twin.log("pod", timestamps=True, tail=1)
    assert stamped.startswith("2026-01-01T00:00:")
    assert stamped.endswith("Z c\n")
    with pytest.raises(ApiError, match='previous terminated container "main" in pod "pod" not'):
        twin.log("pod", previous=True)


@virtually
async def test_a_log_that_is_followed_goes_on_until_the_container_ends() -> None:
    twin = await cluster()
    talk = "echo a; sleep 10; echo b; sleep 10; exit 0"
    twin.create("pod", container("busybox", command=["sh", "-c", talk]), restartPolicy="Never")
    await twin.until(lambda: twin.phase("pod") == "Running")
    assert [chunk async for chunk in twin.follow("pod")] == [b"b\n"]


@virtually
async def test_a_pod_that_does_not_fit_beside_the_others_is_refused() -> None:
    twin = await cluster()
    large = {"requests": {"cpu": "10"}}
    twin.create("one", container(resources=large))
    await twin.until(lambda: twin.pod_ready("one"))
    twin.create("two", container(resources=large))
    await twin.until(lambda: twin.phase("two") == "Failed")
    status = twin.status("two")
    assert (status["reason"], status["message"]) == (
        "OutOfcpu",
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 10000, used: 10000, "
        "capacity: 16000",
    )


@virtually
async def test_an_allocation_that_hangs_holds_up_the_whole_node_until_its_plugin_dies() -> None:
    twin = await cluster(images({"hangs": {"allocateHang": True, "crashAfter": "200s"}}))
    twin.create("short", container("busybox", command=["sleep", "60"]))
    await twin.until(lambda: twin.pod_ready("short"))
    twin.plugin("hangs")
    await twin.until(lambda: twin.offers() == "4/4")
    twin.create("other")
    await twin.until(lambda: twin.pod_ready("other"))
    twin.create("asks", container(resources=devices(1)))
    await asyncio.sleep(1)
    twin.create("innocent")
    twin.delete("other")
    twin.delete("plugin")
    await asyncio.sleep(120)
    assert "containerStatuses" not in twin.status("asks")
    assert "containerStatuses" not in twin.status("innocent")
    assert "running" in twin.state("short")["state"]
    assert "running" in twin.state("other")["state"]
    assert "running" in twin.state("plugin", "plugin")["state"]
    await twin.until(lambda: twin.phase("asks") == "Failed", 100)
    assert twin.status("asks")["message"] == (
        "Pod was rejected: Allocate failed due to rpc error: code = Unavailable desc = error "
        "reading from server: EOF, which is unexpected"
    )
    await twin.until(lambda: twin.pod_ready("innocent"))
    await twin.until(lambda: twin.pod("other") is None and twin.pod("plugin") is None)
    await twin.until(lambda: twin.state("short")["restartCount"] >= 1)


@virtually
async def test_an_allocation_that_is_slow_delays_the_pod_by_that() -> None:
    twin = await cluster(images({"slow": {"allocateDelay": "30s"}}))
    twin.plugin("slow")
    await twin.until(lambda: twin.offers() == "4/4")
    before = twin.now
    twin.create("asks", container(resources=devices(1)))
    await twin.until(lambda: twin.pod_ready("asks"))
    assert 30 < twin.now - before < 34


@virtually
async def test_devices_are_free_again_once_their_holder_has_ended() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    twin.create("first", container(resources=devices(3)))
    await twin.until(lambda: twin.pod_ready("first"))
    twin.create("second", container(resources=devices(2)))
    await twin.until(lambda: twin.phase("second") == "Failed")
    twin.delete("first")
    await twin.until(lambda: twin.pod("first") is None)
    twin.create("third", container(resources=devices(4)))
    await twin.until(lambda: twin.pod_ready("third"))
    ids = twin.state("third")["allocatedResourcesStatus"][0]["resources"]
    assert {item["resourceID"] for item in ids} == {"fake-0", "fake-1", "fake-2", "fake-3"}


@virtually
async def test_the_health_of_devices_in_use_shows_in_the_status_of_their_pod() -> None:
    twin = await cluster(images({"sick": {"unhealthyAfter": "60s"}}))
    twin.plugin("sick")
    await twin.until(lambda: twin.offers() == "4/4")
    twin.create("holder", container(resources=devices(1)))
    await twin.until(lambda: twin.pod_ready("holder"))

    def health() -> str:
        told = twin.state("holder")["allocatedResourcesStatus"]
        return str(told[0]["resources"][0]["health"])

    assert health() == "Healthy"
    await twin.until(lambda: health() == "Unhealthy", 62)
    assert twin.pod_ready("holder")


@virtually
async def test_no_two_pods_of_a_node_have_one_address_however_many_came_before() -> None:
    twin = await cluster()
    host = twin.twin.nodes.hosts[NODE]
    lasting = host.make_sandbox({"metadata": {"uid": "lasting"}})
    for _ in range(600):
        assert host.make_sandbox({"metadata": {"uid": "passing"}}).ip != lasting.ip

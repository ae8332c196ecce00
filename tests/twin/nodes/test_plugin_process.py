"""What a device plugin does that is told to do it wrong: every knob that shows outside the list."""

import asyncio

import pytest

from bridgehead.twin.nodes.fleet import Machine
from bridgehead.twin.nodes.images import Image, Images, Overlay
from tests.twin.nodes.cluster import HERE, NODE, Cluster, cluster, container, devices, images
from tests.twin.virtually import virtually


async def _ready(twin: Cluster, tag: str) -> str:
    """Its log, a while after it has become Ready."""
    twin.plugin(tag)
    await twin.until(lambda: twin.pod_ready("plugin"))
    await asyncio.sleep(3)
    return twin.log("plugin", "plugin")


@virtually
async def test_one_that_registers_late_does_so_after_its_delay() -> None:
    twin = await cluster(images({"late": {"registers": "late", "registerDelay": "30s"}}))
    assert "registered" not in await _ready(twin, "late")
    assert twin.offers() == "absent"
    await twin.until(lambda: twin.offers() == "4/4", within=31)


@virtually
async def test_one_that_never_registers_is_ready_and_silent() -> None:
    twin = await cluster(images({"never": {"registers": "never"}}))
    log = await _ready(twin, "never")
    await asyncio.sleep(600)
    assert twin.log("plugin", "plugin") == log
    assert "serving" in log.splitlines()[-1]
    assert twin.offers() == "absent"


@virtually
async def test_one_with_fewer_devices_offers_fewer() -> None:
    twin = await cluster(images({"fewer": {"fewerDevices": 1}}))
    await _ready(twin, "fewer")
    assert twin.offers() == "3/3"


@virtually
async def test_one_with_an_empty_list_warns_and_offers_nothing() -> None:
    twin = await cluster(images({"none": {"devices": 0}}))
    assert "no devices in device pool" in await _ready(twin, "none")
    assert twin.offers() == "0/0"


REFUSALS = {
    "apiVersion": ("v1alpha1", 'requested API version "v1alpha1" is not supported by kubelet. '),
    "resourceSuffix": ("-bad!", 'the ResourceName "example.test/device-bad!" is invalid'),
    "optionsError": ("not today", "failed to get device plugin options: rpc error: code = "),
    "kubeletDir": ("/elsewhere", "dial unix /elsewhere/kubelet.sock: connect: no such file or "),
    "serveDir": ("/elsewhere", "failed to dial device plugin: context deadline exceeded"),
}


@pytest.mark.parametrize("knob", REFUSALS)
def test_one_that_the_kubelet_refuses_tries_again_every_second(knob: str) -> None:
    value, words = REFUSALS[knob]

    @virtually
    async def play() -> None:
        twin = await cluster(images({"bad": {knob: value}}))
        await _ready(twin, "bad")
        await asyncio.sleep(10)
        log = twin.log("plugin", "plugin").splitlines()
        refused = [line for line in log if "could not register device plugin for" in line]
        assert len(refused) > 10
        assert words in refused[0]
        assert twin.offers() == "absent"

    play()


@virtually
async def test_one_whose_driver_is_missing_crashes() -> None:
    twin = await cluster(images({"exit": {"initFailure": "exit", "initExitCode": 7}}))
    twin.plugin("exit")
    await twin.until(lambda: twin.waits_for("plugin", "plugin") == "CrashLoopBackOff")
    assert twin.state("plugin", "plugin")["lastState"]["terminated"]["exitCode"] == 7
    assert "failed to initialise: driver library not found" in twin.log("plugin", "plugin")


@virtually
async def test_one_whose_driver_is_missing_waits_for_ever_and_is_ready() -> None:
    twin = await cluster(images({"block": {"initFailure": "block"}}))
    assert "no devices found, waiting indefinitely" in await _ready(twin, "block")
    assert twin.offers() == "absent"


@virtually
async def test_one_whose_driver_is_missing_works_once_it_is_there() -> None:
    knobs = {"initFailure": "retry", "initFailureFile": "/var/lib/scenario/broken"}
    twin = await cluster(images({"retry": knobs}))
    twin.twin.nodes.create_file(NODE, "/var/lib/scenario/broken")
    assert await _ready(twin, "retry")
    assert twin.offers() == "absent"
    twin.twin.nodes.remove_file(NODE, "/var/lib/scenario/broken")
    await twin.until(lambda: twin.offers() == "4/4", within=3)


@virtually
async def test_one_that_crashes_later_takes_its_devices_away_and_comes_back() -> None:
    twin = await cluster(images({"crash": {"crashAfter": "60s", "crashExitCode": 5}}))
    await _ready(twin, "crash")
    await twin.until(lambda: twin.offers() == "4/0", within=61)
    await twin.until(lambda: twin.offers() == "4/4", within=5)
    status = twin.state("plugin", "plugin")
    assert status["restartCount"] == 1
    assert status["lastState"]["terminated"]["exitCode"] == 5


@virtually
async def test_one_that_stops_slowly_is_killed_when_its_grace_is_over() -> None:
    twin = await cluster(images({"slow": {"stopDelay": "60s"}}))
    await _ready(twin, "slow")
    twin.delete("plugin")
    before = twin.now
    await twin.until(lambda: twin.pod("plugin") is None)
    assert 5 < twin.now - before < 7


@virtually
async def test_one_that_is_bad_on_a_cohort_only_is_good_elsewhere() -> None:
    knobs = {"devices": 0, "onlyIfLabel": "cohort=old"}
    machines = (Machine(name=NODE, labels={"cohort": "old"}), Machine(name="node-2"))
    twin = await cluster(images({"bad": knobs}), machines=machines)
    _permit(twin)
    twin.plugin("bad")
    twin.plugin("bad", name="other", node="node-2")
    await twin.until(lambda: twin.offers() == "0/0")
    await twin.until(lambda: twin.offers(node="node-2") == "4/4")


@virtually
async def test_one_that_is_bad_where_a_file_lies_is_good_elsewhere() -> None:
    twin = await cluster(images({"bad": {"devices": 1, "onlyIfFile": "/var/lib/scenario/bad"}}))
    twin.twin.nodes.create_file(NODE, "/var/lib/scenario/bad")
    await _ready(twin, "bad")
    assert twin.offers() == "1/1"


@virtually
async def test_a_value_that_cannot_be_read_ends_it_with_2() -> None:
    twin = await cluster(images({"odd": {"registers": "soon"}}))
    twin.plugin("odd")
    await twin.until(lambda: twin.waits_for("plugin", "plugin") == "CrashLoopBackOff")
    assert twin.state("plugin", "plugin")["lastState"]["terminated"]["exitCode"] == 2
    assert 'invalid value "soon" of FAKE_REGISTERS' in twin.log("plugin", "plugin")


@virtually
async def test_lines_of_a_vendor_are_printed_word_for_word() -> None:
    knobs = {"logLines": ["E0101 Xid 79"], "logLinesAfter": "30s", "logFormat": "plain"}
    twin = await cluster(images({"v": knobs}))
    assert "Xid" not in await _ready(twin, "v")
    await asyncio.sleep(30)
    assert twin.log("plugin", "plugin").splitlines()[-1] == "E0101 Xid 79"


@virtually
async def test_a_plugin_of_a_known_family_offers_what_its_node_has() -> None:
    hardware = {"nvidia.com/gpu": 8, "nvidia.com/mig-1g.5gb": 7, "qat.intel.com/cy": 2}
    catalogue = Images()
    catalogue.add("*", Image(pull=HERE))
    twin = await cluster(catalogue, machines=(Machine(name=NODE, hardware=hardware),))
    mounts = [{"name": "p", "mountPath": "/var/lib/kubelet/device-plugins"}]
    volumes = [{"name": "p", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}]
    image = "nvcr.io/nvidia/k8s-device-plugin:v0.17.1"
    own = {"name": "main", "image": image, "volumeMounts": mounts}
    twin.create("plugin", own, volumes=volumes)
    await twin.until(lambda: twin.offers("nvidia.com/gpu") == "8/8")
    assert twin.offers("nvidia.com/mig-1g.5gb") == "7/7"
    assert twin.offers("qat.intel.com/cy") == "absent"


@virtually
async def test_a_plugin_that_starts_anew_may_find_only_devices_that_nobody_uses() -> None:
    knobs = {"allocateTakesDevice": True, "crashAfter": "60s"}
    twin = await cluster(images({"takes": knobs}))
    twin.plugin("takes")
    await twin.until(lambda: twin.offers() == "4/4")
    twin.create("holder", container(resources=devices(1)))
    await twin.until(lambda: twin.pod_ready("holder"))
    assert twin.offers() == "4/4"
    await twin.until(lambda: twin.offers() == "3/3", 65)


@virtually
async def test_a_fault_on_all_images_of_a_node_makes_no_plugin_of_a_workload() -> None:
    catalogue = images()
    catalogue.lay(Overlay(knobs={"unhealthyAfter": "0s", "unhealthyDevices": 1}))
    twin = await cluster(catalogue)
    twin.create("workload", container("registry.test/any:v1"))
    await twin.until(lambda: twin.pod_ready("workload"))
    assert twin.log("workload") == ""
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/3")


@virtually
async def test_a_plugin_of_no_known_family_offers_what_its_environment_names() -> None:
    hardware = {"nvidia.com/gpu": 8, "acme.test/a": 3, "acme.test/b": 5}
    twin = await cluster(machines=(Machine(name=NODE, hardware=hardware),))
    own = {
        "name": "main",
        "image": "acme.test/plugin:v1",
        "env": [{"name": "RESOURCE", "value": "acme.test/b"}],
        "volumeMounts": [{"name": "p", "mountPath": "/var/lib/kubelet/device-plugins"}],
    }
    volumes = [{"name": "p", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}]
    twin.create("plugin", own, volumes=volumes)
    await twin.until(lambda: twin.offers("acme.test/b") == "5/5")
    assert twin.offers("acme.test/a") == "absent"
    assert twin.offers("nvidia.com/gpu") == "absent"


@virtually
async def test_a_plugin_that_may_not_ask_the_api_server_says_so_and_exits() -> None:
    twin = await cluster(images({"asks": {"apiCall": "getNode"}}))
    twin.plugin("asks")
    await twin.until(lambda: twin.waits_for("plugin", "plugin") == "CrashLoopBackOff")
    assert (
        'failed to get node: nodes "node-1" is forbidden: User '
        '"system:serviceaccount:default:default" cannot get resource "nodes" in API group "" '
        "at the cluster scope" in twin.log("plugin", "plugin")
    )
    _permit(twin)
    await twin.until(lambda: twin.offers() == "4/4")


def _permit(twin: Cluster) -> None:
    """Let the default account read nodes."""
    bindings = twin.twin.kinds.named("rbac.authorization.k8s.io", "clusterrolebindings")
    subject = {"kind": "ServiceAccount", "namespace": "default", "name": "default"}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:node"}
    body = {"metadata": {"name": "reads"}, "subjects": [subject], "roleRef": role}
    twin.twin.registry.create(bindings, body)

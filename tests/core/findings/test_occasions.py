"""What gives a reason to ask a cluster for kinds that few clusters have."""

import pytest

from bridgehead.core.findings.manifest import Manifest
from bridgehead.core.findings.needs import OF_SOME_CLUSTERS, Need
from bridgehead.core.findings.occasions import occasions
from bridgehead.core.model.json import JsonObject

KUBEVIRT = {Need.KUBEVIRT, Need.VIRTUAL_MACHINES, Need.MACHINE_INSTANCES}
FPGA = {Need.FPGA_FUNCTIONS, Need.FPGA_REGIONS}


def daemon_set(image: str) -> JsonObject:
    pods: JsonObject = {"containers": [{"name": "p", "image": image}]}
    return {"kind": "DaemonSet", "spec": {"template": {"spec": pods}}}


def pod(resource: str) -> JsonObject:
    container: JsonObject = {"name": "c", "resources": {"limits": {resource: "1"}}}
    return {"kind": "Pod", "spec": {"containers": [container]}}


@pytest.mark.parametrize(
    ("item", "needs"),
    [
        ({"kind": "KubeVirt"}, KUBEVIRT),
        ({"kind": "HyperConverged"}, KUBEVIRT),
        ({"kind": "VirtualMachine"}, {Need.KUBEVIRT}),
        ({"kind": "VirtualMachineInstancetype"}, {Need.KUBEVIRT}),
        (daemon_set("quay.io/kubevirt/virt-handler:v1.5.0"), KUBEVIRT),
        (daemon_set("intel/intel-fpga-plugin:0.32.0"), FPGA),
        ({"kind": "AcceleratorFunction"}, FPGA),
        ({"kind": "FpgaDevicePlugin"}, FPGA),
        (pod("fpga.intel.com/nlb0"), FPGA),
        (pod("nvidia.com/gpu"), set()),
        (daemon_set("intel/intel-gpu-plugin:0.32.0"), set()),
        (daemon_set("nvcr.io/nvidia/k8s-device-plugin:v0.17.4"), set()),
    ],
)
def test_an_object_gives_a_reason(item: JsonObject, needs: set[Need]) -> None:
    found = occasions([Manifest(data=item)])
    assert found == needs
    assert found <= OF_SOME_CLUSTERS

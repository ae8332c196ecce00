"""``bridgehead lint`` against a real cluster that has kinds which few clusters have.

The definitions are put there for the test, without what would act on such objects.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bridgehead.cli.main import run
from testbed.api import ApiError
from testbed.cluster import Cluster

pytestmark = pytest.mark.cluster

Output = pytest.CaptureFixture[str]
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
KINDS = {
    ("kubevirt.io", "v1"): ("KubeVirt", "VirtualMachine"),
    ("fpga.intel.com", "v2"): ("AcceleratorFunction", "FpgaRegion"),
}
INTERFACE = "69528db6eb31577a8c3668f9faa081f6"

MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: vm-gpu, namespace: NAMESPACE}
spec:
  template:
    spec:
      domain:
        devices:
          gpus: [{name: gpu1, deviceName: nvidia.com/TU104GL_TESLA_T4}]
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: job, namespace: NAMESPACE}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example/job:1
          resources: {limits: {fpga.intel.com/NAME: 1}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: fpga}
webhooks: [{name: fpga.mutator.webhooks.intel.com}]
"""


def _definition(group: str, version: str, kind: str) -> dict[str, Any]:
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


@pytest.fixture
async def served(cluster: Cluster, namespace: str, until: Until) -> AsyncIterator[None]:
    """These kinds, as long as the test runs."""
    made = [
        _definition(group, version, kind)
        for (group, version), listed in KINDS.items()
        for kind in listed
    ]
    lists = [
        f"/apis/{group}/{version}/namespaces/{namespace}/{kind.lower()}s"
        for (group, version), listed in KINDS.items()
        for kind in listed
    ]
    names = [f"{DEFINITIONS}/{item['metadata']['name']}" for item in made]
    for item in made:
        cluster.api.create(DEFINITIONS, item)
    await until(lambda: _all(cluster, lists, there=True))
    yield
    for name in names:
        cluster.api.delete(name)
    await until(lambda: _all(cluster, names, there=False))


async def _all(cluster: Cluster, paths: list[str], *, there: bool) -> bool:
    return all([await asyncio.to_thread(_is, cluster, path) == there for path in paths])


def _is(cluster: Cluster, path: str) -> bool:
    try:
        cluster.api.get(path)
    except ApiError:
        return False
    return True


async def _linted(cluster: Cluster, file: Path, capsys: Output) -> dict[str, Any]:
    where = ("--kubeconfig", str(cluster.kubeconfig))
    await asyncio.to_thread(run, ["lint", str(file), *where, "-o", "json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (document["unread"], document["defects"]) == ([], [])
    return document


def _messages(document: dict[str, Any], rule: str) -> list[str]:
    return [item["message"] for item in document["findings"] if item["rule"] == rule]


def _permitting(namespace: str, name: str) -> dict[str, Any]:
    device = {"pciVendorSelector": "10DE:1EB8", "resourceName": name}
    section = {"permittedHostDevices": {"pciHostDevices": [device]}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": namespace},
        "spec": {"configuration": section},
    }


async def test_where_kubevirt_is_not_served_a_machine_is_a_doubt(
    cluster: Cluster, namespace: str, tmp_path: Path, capsys: Output
) -> None:
    file = tmp_path / "vm.yaml"
    file.write_text(MACHINE.replace("NAMESPACE", namespace), encoding="utf-8")
    document = await _linted(cluster, file, capsys)
    whys = [
        it["why"] for it in document["notKnown"] if it["rule"] == "machine-device-not-permitted"
    ]
    assert whys == ["which device names KubeVirt permits: there is no such object"]


@pytest.mark.usefixtures("served")
async def test_a_machine_is_judged_by_the_kubevirt_object_of_the_cluster(
    cluster: Cluster, namespace: str, tmp_path: Path, capsys: Output
) -> None:
    path = f"/apis/kubevirt.io/v1/namespaces/{namespace}/kubevirts"
    cluster.api.create(path, _permitting(namespace, "nvidia.com/TU104GL_T4"))
    file = tmp_path / "vm.yaml"
    file.write_text(MACHINE.replace("NAMESPACE", namespace), encoding="utf-8")
    (message,) = _messages(await _linted(cluster, file, capsys), "machine-device-not-permitted")
    assert "nvidia.com/TU104GL_TESLA_T4, which KubeVirt does not permit" in message
    assert "(it permits nvidia.com/TU104GL_T4)" in message


@pytest.mark.usefixtures("served")
async def test_what_is_permitted_is_judged_by_the_machines_of_the_cluster(
    cluster: Cluster, namespace: str, tmp_path: Path, capsys: Output
) -> None:
    path = f"/apis/kubevirt.io/v1/namespaces/{namespace}/virtualmachines"
    cluster.api.create(path, yaml.safe_load(MACHINE.replace("NAMESPACE", namespace)))
    file = tmp_path / "kubevirt.yaml"
    file.write_text(yaml.safe_dump(_permitting(namespace, "nvidia.com/TU104GL_T4")))
    (message,) = _messages(await _linted(cluster, file, capsys), "machine-device-not-permitted")
    assert f"for which VirtualMachine/{namespace}/vm-gpu ask" in message


@pytest.mark.usefixtures("served")
async def test_an_fpga_name_is_judged_by_the_mapping_objects_of_the_cluster(
    cluster: Cluster, namespace: str, tmp_path: Path, capsys: Output
) -> None:
    region = {
        "apiVersion": "fpga.intel.com/v2",
        "kind": "FpgaRegion",
        "metadata": {"name": "arria10.dcp1.2", "namespace": namespace},
        "spec": {"interfaceId": INTERFACE},
    }
    path = f"/apis/fpga.intel.com/v2/namespaces/{namespace}/fpgaregions"
    cluster.api.create(path, region)
    file = tmp_path / "job.yaml"
    job = JOB.replace("NAMESPACE", namespace)
    file.write_text(job.replace("/NAME", f"/region-{INTERFACE}"), encoding="utf-8")
    (message,) = _messages(await _linted(cluster, file, capsys), "fpga-mapping-mismatch")
    assert "(objects that lead to it: arria10.dcp1.2): the webhook refuses the pod" in message
    file.write_text(job.replace("/NAME", "/arria10.dcp1.2"), encoding="utf-8")
    assert _messages(await _linted(cluster, file, capsys), "fpga-mapping-mismatch") == []

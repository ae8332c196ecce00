"""``bridgehead lint`` against a real cluster: its objects, and manifests that are meant for it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from bridgehead.cli.exits import Exit
from bridgehead.cli.main import run
from testbed.cluster import Cluster
from tests.sources.plugin import SURGE

pytestmark = pytest.mark.cluster

Output = pytest.CaptureFixture[str]


def _plugin(namespace: str) -> dict[str, Any]:
    """Placed on no node: what is looked at is the object."""
    data: dict[str, Any] = yaml.safe_load(SURGE)
    data["metadata"]["namespace"] = namespace
    data["spec"]["template"]["spec"]["nodeSelector"] = {"no-such-label": "here"}
    data["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"] = 0
    return data


async def _findings(
    capsys: Output, *arguments: str, rule: str = "surge-on-device-plugin"
) -> list[dict[str, Any]]:
    code = await asyncio.to_thread(run, ["lint", *arguments, "-o", "json"])
    told = capsys.readouterr()
    assert code == Exit.FINDINGS, told.err
    document = json.loads(told.out)
    assert document["unread"] == []
    assert document["defects"] == []
    return [item for item in document["findings"] if item["rule"] == rule]


async def test_objects_of_a_cluster_are_looked_at(
    cluster: Cluster, namespace: str, capsys: Output
) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/daemonsets"
    cluster.api.create(path, _plugin(namespace))
    found = await _findings(capsys, "--kubeconfig", str(cluster.kubeconfig))
    (ours,) = (item for item in found if item["object"]["namespace"] == namespace)
    assert (ours["object"]["name"], ours["file"], ours["line"]) == ("plugin", "", 0)


async def test_manifests_are_judged_against_a_cluster(
    cluster: Cluster, namespace: str, tmp_path: Path, capsys: Output
) -> None:
    file = tmp_path / "plugin.yaml"
    file.write_text(yaml.safe_dump(_plugin(namespace)), encoding="utf-8")
    found = await _findings(capsys, str(file), "--kubeconfig", str(cluster.kubeconfig))
    assert [item["file"] for item in found] == [str(file)]


async def test_a_namespace_that_refuses_the_plugins_pods_says_so_in_a_dry_run(
    cluster: Cluster, namespace: str, tmp_path: Path, capsys: Output
) -> None:
    label = "/metadata/labels/pod-security.kubernetes.io~1enforce"
    patch = [{"op": "add", "path": label, "value": "baseline"}]
    cluster.api.patch(f"/api/v1/namespaces/{namespace}", patch)
    file = tmp_path / "plugin.yaml"
    file.write_text(yaml.safe_dump(_plugin(namespace)), encoding="utf-8")
    where = ("--kubeconfig", str(cluster.kubeconfig))
    (found,) = await _findings(capsys, str(file), *where, rule="namespace-refuses-pod")
    (proof,) = found["evidence"]
    assert (found["confidence"], proof["source"]) == ("high", "server dry run")
    assert 'violates PodSecurity "baseline:latest"' in proof["text"]
    assert cluster.api.get(f"/api/v1/namespaces/{namespace}/pods")["items"] == []

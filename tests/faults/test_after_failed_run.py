"""A rollout that stops on a sick node, and what its spec lets it repair then, by its own rules."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridgehead.core.model.node import HELD_BY
from testbed.fake_images import fake_images
from testbed.parts import binary
from testbed.registry import Registry
from tests.faults.test_recovered import ILL, STREAM_ENDED, WHOLE
from tests.faults.ward import Ward

pytestmark = pytest.mark.cluster

NEXT = "v0.17.2"
SPEC = """
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata: {{name: next-version}}
component: {{daemonSet: {{namespace: {ward.namespace}, name: {ward.name}}}}}
change: {{images: {{plugin: "{image}"}}}}
resources: ["{ward.resource}"]
cohort: [arch]
canary: {{nodes: [{ward.sick.name}]}}
verify: {{timeout: 75s, settle: 6s, statusPeriod: 1s, statusPeriodUnchecked: true}}
allow: {{recover: R1}}
"""


def begin(ward: Ward, folder: Path) -> "subprocess.Popen[bytes]":
    """A rollout of another image of the plugin, which begins with the sick node."""
    [made] = fake_images({NEXT: {}}, driver=binary("fakedriver", "fakedriver")).values()
    registry = ward.cluster.registry_address
    Registry(registry).push(f"registry.test/{ward.repository}:{NEXT}", made)
    spec = folder / "bridgehead.yaml"
    image = f"{registry}/{ward.repository}:{NEXT}"
    spec.write_text(SPEC.format(ward=ward, image=image))
    where = ("--kubeconfig", str(ward.cluster.kubeconfig), "--state-namespace", ward.namespace)
    with (folder / "told").open("w") as told:
        return subprocess.Popen(
            [sys.executable, "-m", "bridgehead", "rollout", "-f", str(spec), *where],
            env={**os.environ, "NO_COLOR": "1"},
            stdout=told,
            stderr=told,
        )


def fell_ill_anew(ward: Ward, former: str) -> bool:
    """Whether another pod of the sick node says that its list of devices has ended."""
    here = [pod for pod in ward.plugin_pods() if pod["spec"].get("nodeName") == ward.sick.name]
    new = [pod["metadata"] for pod in here if pod["metadata"]["uid"] != former]
    folders = [f"{ward.namespace}_{item['name']}_{item['uid']}" for item in new]
    logs = [ward.sick.host_path(f"/var/log/pods/{name}/plugin/0.log") for name in folders]
    return any(STREAM_ENDED.evidence in log.read_text() for log in logs if log.exists())


def test_a_node_that_fails_a_run_is_repaired_as_far_as_its_spec_allows(
    ward: Ward, tmp_path: Path
) -> None:
    ward.install({**STREAM_ENDED.knobs, "onlyIfFile": ILL})
    ward.until_offered()
    ward.sick.create_file(ILL)
    former = ward.pod(ward.sick)["metadata"]["uid"]
    rollout = begin(ward, tmp_path)
    try:
        ward.until(lambda: fell_ill_anew(ward, former), "sick node that the run restarts")
        ward.sick.remove_file(ILL)  # what made it ill is over; the process does not know
        code = rollout.wait(timeout=300)
    finally:
        rollout.kill()
    assert code == 4, (tmp_path / "told").read_text()

    told = (tmp_path / "told").read_text()
    name = ward.sick.name
    assert f"recovery on {name} (allow.recover: R1): R1 has helped" in told
    assert (ward.offers(ward.sick), ward.offers(ward.sound)) == (WHOLE, WHOLE)
    assert ward.pod(ward.sick)["metadata"]["uid"] != former
    entries = json.loads(ward.ask("journal", "-o", "json").stdout)["entries"]
    repairs = [item for item in entries if item["step"] == "recover"]
    assert [item["phase"] for item in repairs] == ["intent", "outcome", "note"]
    proof = " ".join(item["text"] for item in repairs[0]["evidence"])
    assert "stream-ended" in proof
    node = ward.shown(ward.sick)
    assert node["metadata"]["annotations"][HELD_BY]
    assert node["spec"]["unschedulable"] is True, "whether the run goes on is a person's to say"

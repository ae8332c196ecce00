"""What a node gets that joins while a DaemonSet waits for deletions."""

import pytest

from tests.facts.lab import Lab

pytestmark = pytest.mark.cluster


def test_a_joining_node_gets_the_template_that_stands(lab: Lab) -> None:
    sets = f"/apis/apps/v1/namespaces/{lab.namespace}/daemonsets"
    label = f"{lab.namespace}.example.com/joins"
    named = {"app": "x"}
    container = {"name": "c", "image": "registry.test/none:old", "imagePullPolicy": "Never"}
    lab.cluster.api.create(
        sets,
        {
            "metadata": {"name": "x"},
            "spec": {
                "selector": {"matchLabels": named},
                "updateStrategy": {"type": "OnDelete"},
                "template": {
                    "metadata": {"labels": named},
                    "spec": {"nodeSelector": {label: "yes"}, "containers": [container]},
                },
            },
        },
    )
    lab.cluster.api.patch(
        f"{sets}/x",
        [
            {
                "op": "replace",
                "path": "/spec/template/spec/containers/0/image",
                "value": "registry.test/none:new",
            }
        ],
    )

    lab.cluster.api.patch(
        f"/api/v1/nodes/{lab.node.name}", {"metadata": {"labels": {label: "yes"}}}
    )

    def images() -> list[str]:
        pods = lab.cluster.pods_on(lab.node.name)
        mine = [pod for pod in pods if pod["metadata"]["namespace"] == lab.namespace]
        return [pod["spec"]["containers"][0]["image"] for pod in mine]

    lab.until(lambda: images() == ["registry.test/none:new"])

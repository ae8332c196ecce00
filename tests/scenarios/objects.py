"""The objects that scenarios write in short: the fake plugin's DaemonSet, a pod with devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from testbed.api import Object

if TYPE_CHECKING:
    from tests.scenarios.scenario import PluginGiven, WorkloadGiven
    from tests.scenarios.stage import Stage

PLUGINS = "/var/lib/kubelet/device-plugins"


def plugin(stage: Stage, wanted: PluginGiven | None = None) -> Object:
    """The plugin's DaemonSet, written as a vendor's manifest is; as it is given unless said so."""
    given = wanted or stage.scenario.given.plugin
    assert given is not None
    folders = {"device-plugins": PLUGINS, "scenario": "/var/lib/scenario"}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "name": "plugin",
            "labels": {"app": "plugin", **given.labels},
            "annotations": stage.fill(given.annotations),
        },
        "spec": {
            "selector": {"matchLabels": {"app": "plugin"}},
            "template": {
                "metadata": {"labels": {"app": "plugin"}},
                "spec": {
                    "nodeSelector": {**stage.label, **given.node_selector},
                    "terminationGracePeriodSeconds": 5,
                    "containers": [
                        {
                            "name": "plugin",
                            "image": stage.image(given.image),
                            "env": [
                                {"name": "FAKE_RESOURCE", "value": stage.resource},
                                {"name": "FAKE_INVENTORY", "value": str(given.devices)},
                                {
                                    "name": "NODE_NAME",
                                    "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}},
                                },
                            ],
                            "volumeMounts": [
                                {"name": name, "mountPath": path} for name, path in folders.items()
                            ],
                        }
                    ],
                    "volumes": [
                        {"name": name, "hostPath": {"path": path, "type": "DirectoryOrCreate"}}
                        for name, path in folders.items()
                    ],
                },
            },
        },
    }


def replica_set(pod: Object) -> Object:
    """A controller of one such pod."""
    labels = {**pod["metadata"]["labels"], "of": pod["metadata"]["generateName"].strip("-")}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"generateName": pod["metadata"]["generateName"]},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod["spec"]},
        },
    }


def workload(stage: Stage, given: WorkloadGiven) -> Object:
    """A pod that asks for devices of one node, through the scheduler as any workload."""
    return {
        "metadata": {"generateName": f"holder-{given.node}-", "labels": {"app": "holder"}},
        "spec": {
            "nodeSelector": {"kubernetes.io/hostname": stage.nodes[given.node].name},
            "terminationGracePeriodSeconds": 1,
            "containers": [
                {
                    "name": "main",
                    "image": stage.image("hold:v1"),
                    "resources": {"limits": {stage.resource: str(given.devices)}},
                }
            ],
        },
    }

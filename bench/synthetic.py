"""Nodes and pods of the size that large clusters have: 12 KB a node, 5.9 KB a pod."""

from typing import Any

IMAGES = 50
VARIABLES = 85
"""Numbers of images and variables that fill an object up to its size."""


def node(index: int) -> dict[str, Any]:
    """A GPU node with labels of feature discovery, conditions and images."""
    labels = {
        f"feature.node.kubernetes.io/cpu-cpuid.FEATURE{number}": "true" for number in range(40)
    }
    labels |= {
        "kubernetes.io/hostname": f"node-{index}",
        "nvidia.com/gpu.product": f"ACCELERATOR-{index % 4}",
    }
    conditions = [
        {
            "type": kind,
            "status": "False" if kind != "Ready" else "True",
            "lastHeartbeatTime": "2026-11-30T10:00:00Z",
            "lastTransitionTime": "2026-11-29T10:00:00Z",
            "reason": f"Kubelet{kind}",
            "message": f"kubelet has reported {kind}",
        }
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    ]
    quantities = {
        "cpu": "192",
        "ephemeral-storage": "1855426871Ki",
        "memory": "2113393472Ki",
        "nvidia.com/gpu": "8",
        "pods": "250",
    }
    return {
        "metadata": metadata(f"node-{index}", index) | {"labels": labels},
        "spec": {
            "podCIDR": f"10.{index % 250}.0.0/24",
            "providerID": f"cloud:///zone/i-{index:017x}",
        },
        "status": {
            "capacity": quantities,
            "allocatable": quantities,
            "conditions": conditions,
            "addresses": [{"type": "InternalIP", "address": f"10.0.{index // 250}.{index % 250}"}],
            "nodeInfo": {
                "machineID": f"{index:032x}",
                "systemUUID": f"{index:032x}",
                "bootID": f"{index:032x}",
                "kubeProxyVersion": "",
                "kernelVersion": "6.8.0-1010",
                "osImage": "Ubuntu 24.04 LTS",
                "operatingSystem": "linux",
                "architecture": "amd64",
                "containerRuntimeVersion": "containerd://2.1.4",
                "kubeletVersion": "v1.37.2",
            },
            "images": [
                {
                    "names": [f"registry.example/team/image-{number}@sha256:{number:064x}"],
                    "sizeBytes": 123456789,
                }
                for number in range(IMAGES)
            ],
        },
    }


def pod(index: int) -> dict[str, Any]:
    """A pod of a Job with one container, a token volume and managed fields."""
    name = f"training-{index // 8}-worker-{index % 8}"
    gpu = {"cpu": "16", "memory": "128Gi", "nvidia.com/gpu": "1"}
    return {
        "metadata": metadata(name, index)
        | {
            "namespace": f"team-{index % 40}",
            "labels": {"app": "training", "job-name": f"training-{index // 8}"},
            "ownerReferences": [
                {
                    "apiVersion": "batch/v1",
                    "kind": "Job",
                    "name": f"training-{index // 8}",
                    "uid": f"{index // 8:036x}",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "nodeName": f"node-{index % 5000}",
            "serviceAccountName": "default",
            "containers": [
                {
                    "name": "worker",
                    "image": "registry.example/team/training:2026.11",
                    "resources": {"limits": gpu, "requests": gpu},
                    "env": [
                        {"name": f"SETTING_{number}", "value": f"value-{number}"}
                        for number in range(VARIABLES)
                    ],
                    "volumeMounts": [{"name": f"kube-api-access-{index}", "mountPath": "/var/run"}],
                }
            ],
            "volumes": [{"name": f"kube-api-access-{index}", "projected": {"defaultMode": 420}}],
        },
        "status": {
            "phase": "Running",
            "startTime": "2026-11-30T09:00:00Z",
            "containerStatuses": [
                {
                    "name": "worker",
                    "ready": True,
                    "restartCount": 0,
                    "image": "registry.example/team/training:2026.11",
                    "imageID": f"registry.example/team/training@sha256:{7:064x}",
                    "containerID": f"containerd://{index:064x}",
                    "state": {"running": {"startedAt": "2026-11-30T09:00:05Z"}},
                }
            ],
        },
    }


def metadata(name: str, index: int) -> dict[str, Any]:
    """Metadata with managed fields, which are a good part of every real object."""
    fields: dict[str, Any] = {f"f:field{number}": {".": {}, "f:value": {}} for number in range(30)}
    return {
        "name": name,
        "uid": f"{index:08x}-0000-4000-8000-000000000000",
        "resourceVersion": str(1_000_000 + index),
        "creationTimestamp": "2026-11-30T09:00:00Z",
        "managedFields": [
            {
                "manager": "kubelet",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2026-11-30T10:00:00Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:metadata": fields},
                "subresource": "status",
            }
        ],
    }

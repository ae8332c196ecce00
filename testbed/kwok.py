"""Simulated nodes beside the real ones: no kubelet, pods are Ready at once.

kwok touches only nodes with its annotation, and `kwok_stages.yaml` says how they and pods behave.
Nothing registers or allocates there: their devices are what a test writes into their status.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from testbed.api import Api
from testbed.parts import binary
from testbed.process import Process
from testbed.state import Addresses, State

_ANNOTATION = "kwok.x-k8s.io/node"


def kwok(state: State) -> Process:
    """The simulator's process."""
    host = Addresses(state.record().slot).host
    return Process(
        state,
        "kwok",
        (
            str(binary("kwok", "kwok")),
            f"--kubeconfig={state.folder / 'kubeconfig'}",
            f"--config={Path(__file__).with_name('kwok_stages.yaml')}",
            "--manage-all-nodes=false",
            f"--manage-nodes-with-annotation-selector={_ANNOTATION}=fake",
            "--node-lease-duration-seconds=40",
            f"--server-address={host}:10247",
            f"--node-ip={host}",
        ),
    )


def create_nodes(api: Api, count: int) -> list[str]:
    """Create simulated nodes `kwok-0001` and so on; they are tainted `kwok.x-k8s.io/node`."""
    names = [f"kwok-{number:04}" for number in range(1, count + 1)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: api.create("/api/v1/nodes", _node(name)), names))
    return names


def _node(name: str) -> dict[str, object]:
    size = {"cpu": "32", "memory": "256Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": {_ANNOTATION: "fake", "node.alpha.kubernetes.io/ttl": "0"},
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "type": "kwok",
            },
        },
        "spec": {"taints": [{"key": _ANNOTATION, "value": "fake", "effect": "NoSchedule"}]},
        "status": {"capacity": size, "allocatable": size},
    }

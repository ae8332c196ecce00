"""Nodes lent to one test at a time, among all pytest workers that share a cluster.

A lease is a file lock a node, so the kernel ends it with the process that holds it. All nodes of a
lease are taken together or not at all, and one taker at a time looks for nodes (the turnstile): two
cannot block each other half way, and a large request is not starved by small ones. A test takes one
lease; one that held nodes while asking for more could wait for itself.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from testbed.api import Object
from testbed.cluster import Cluster
from testbed.errors import TestbedError
from testbed.node import Node

_POOL = "node-"
"""Only nodes of this name are lent; a test that adds nodes of its own names them otherwise."""

_OWN_LABELS = ("kubernetes.io/", "beta.kubernetes.io/")
_OWN_ANNOTATIONS = ("node.alpha.kubernetes.io/", "volumes.kubernetes.io/")
_OWN_TAINTS = ("node.kubernetes.io/",)  # set and removed by Kubernetes itself

Labels = Mapping[str, str]


@contextmanager
def leased(
    cluster: Cluster,
    count: int,
    labels: Labels | Sequence[Labels] = (),
    taints: Sequence[Mapping[str, str]] = (),
    timeout: float = 900,
) -> Iterator[list[Node]]:
    """Hold `count` nodes: clean, Ready, with these labels and taints; restored afterwards.

    `labels` are for every node, or a sequence with the labels of each. Raises TestbedError when the
    cluster is too small or no nodes become free in time.
    """
    locks = _take(cluster, count, timeout)
    nodes = [cluster.nodes[name] for name in locks]
    try:
        each = [labels] * count if isinstance(labels, Mapping) else [*labels] or [{}] * count
        if len(each) != count:
            raise TestbedError(f"labels for {len(each)} nodes, but {count} nodes are leased")
        _restore(cluster, nodes)
        for node, own in zip(nodes, each, strict=True):
            patch = {"metadata": {"labels": dict(own)}, "spec": {"taints": [*taints] or None}}
            cluster.api.patch(f"/api/v1/nodes/{node.name}", patch)
        yield nodes
    finally:
        try:
            _restore(cluster, nodes)
        finally:
            for descriptor in locks.values():
                os.close(descriptor)


def _take(cluster: Cluster, count: int, timeout: float) -> dict[str, int]:
    pool = [name for name in cluster.nodes if name.startswith(_POOL)]
    if count > len(pool):
        raise TestbedError(f"{count} nodes wanted, but cluster {cluster.name!r} lends {len(pool)}")
    end = time.monotonic() + timeout
    turnstile = _open(cluster, "turnstile")
    try:
        while not _try_lock(turnstile):
            _pause(end)
        while True:
            taken: dict[str, int] = {}
            for name in pool:
                descriptor = _open(cluster, name)
                if len(taken) < count and _try_lock(descriptor):
                    taken[name] = descriptor
                else:
                    os.close(descriptor)
            if len(taken) == count:
                return taken
            for descriptor in taken.values():
                os.close(descriptor)
            _pause(end)
    finally:
        os.close(turnstile)


def _open(cluster: Cluster, name: str) -> int:
    path = cluster.state.folder / "leases" / name
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _pause(end: float) -> None:
    if time.monotonic() > end:
        raise TestbedError("no nodes became free in time: a test holds them for too long")
    time.sleep(0.1)


def _restore(cluster: Cluster, nodes: Sequence[Node]) -> None:
    """Bring nodes back to how they joined: running, connected, schedulable, without pods."""
    with ThreadPoolExecutor(len(nodes) or 1) as pool:
        list(pool.map(lambda node: _restore_one(cluster, node), nodes))
    cluster.wait_ready([node.name for node in nodes])


def _restore_one(cluster: Cluster, node: Node) -> None:
    node.repair()
    path = f"/api/v1/nodes/{node.name}"
    found = cluster.api.get(path)
    patch = restoring_patch(found)
    if patch:
        cluster.api.patch(path, patch)
    if _emptied(cluster, node):
        return
    for pod in cluster.pods_on(node.name):  # what a test forgot
        meta = pod["metadata"]
        cluster.api.delete(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}", grace=1)
    if not _emptied(cluster, node):
        names = sorted(
            f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
            for pod in cluster.pods_on(node.name)
        )
        raise TestbedError(
            f"{node.name} cannot be leased, something keeps putting pods there: {', '.join(names)}"
        )


def _emptied(cluster: Cluster, node: Node, timeout: float = 20) -> bool:
    end = time.monotonic() + timeout
    while cluster.pods_on(node.name):
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def restoring_patch(node: Object) -> Object:
    """The merge patch that removes what a test has put on a node; empty for a clean one."""
    metadata: Object = {}
    for field, own in (("labels", _OWN_LABELS), ("annotations", _OWN_ANNOTATIONS)):
        foreign = {key: None for key in node["metadata"].get(field, {}) if not key.startswith(own)}
        if foreign:
            metadata[field] = foreign
    spec: Object = {}
    taints = node["spec"].get("taints", [])
    kept = [taint for taint in taints if taint["key"].startswith(_OWN_TAINTS)]
    if node["spec"].get("unschedulable"):
        spec["unschedulable"] = None
    if kept != taints:
        spec["taints"] = kept
    return {key: value for key, value in (("metadata", metadata), ("spec", spec)) if value}

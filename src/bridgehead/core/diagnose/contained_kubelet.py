"""Nodes whose kubelet does not share the device-plugins directory with the host.

RKE 1 runs the kubelet in a container of its own and marks nodes with annotations
(rancher-archives/rke#1585); k3s used a directory of its own before 1.17.3 (k3s-io/k3s PR#1416).
"""

import re

from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.node import Node

_RKE = "rke.cattle.io/"
_K3S = re.compile(r"v1\.(\d+)\.(\d+)\S*[-+]k3s")
_SHARED_SINCE = (17, 3)


def contained_kubelet(node: Node) -> Evidence | None:
    """What shows that the node's kubelet is such a one; None where nothing does."""
    marks = sorted(key for key in (*node.annotations, *node.labels) if key.startswith(_RKE))
    if marks:
        return Evidence(f"annotations of node {node.name}", marks[0])
    version = _K3S.match(node.kubelet)
    if version and (int(version[1]), int(version[2])) < _SHARED_SINCE:
        return Evidence(f"nodeInfo of node {node.name}", f"kubeletVersion {node.kubelet}")
    return None

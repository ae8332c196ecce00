"""Marks by which others say that they are working on a node."""

from bridgehead.core.model.node import Node

_NVIDIA_UPGRADE = "nvidia.com/gpu-driver-upgrade-state"
_NVIDIA_IDLE = frozenset({"", "upgrade-done", "upgrade-failed", "unknown"})
# Source: k8s-operator-libs pkg/upgrade/consts.go; the states between are work in progress.
_KURED = "weave.works/kured-reboot-in-progress"
# Source: https://kured.dev/docs/configuration/ (--annotate-nodes)


def foreign_hold(node: Node, run: str = "") -> str:
    """Who but ``run`` holds the node, in words for people; empty where nobody is known to."""
    if node.held_by and node.held_by != run:
        return f"held by the bridgehead run {node.held_by}"
    state = node.labels.get(_NVIDIA_UPGRADE, "")
    if state not in _NVIDIA_IDLE:
        return f"the GPU Operator is upgrading its driver ({_NVIDIA_UPGRADE}={state})"
    if _KURED in node.annotations:
        return f"kured is rebooting it ({_KURED})"
    return ""

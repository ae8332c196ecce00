"""Taints that pods bear without being asked, and the taint that a new node bears.

Source: k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds and .../nodetaint.
"""

from bridgehead.twin.objects import Object

SECONDS = 300
"""How long a pod stays on a node that is not ready or cannot be reached."""

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"


def admit_tolerations(pod: Object) -> None:
    """Let a pod bear a bad node for five minutes, where it says nothing itself."""
    spec = pod["spec"]
    own = spec.get("tolerations") or []
    added = [
        {
            "key": taint,
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": SECONDS,
        }
        for taint in (NOT_READY, UNREACHABLE)
        if not any(
            (item.get("key") or taint) == taint
            and (item.get("effect") or "NoExecute") == "NoExecute"
            for item in own
        )
    ]
    if added:
        spec["tolerations"] = [*own, *added]


def admit_node(node: Object) -> None:
    """A new node takes no pods until somebody has seen it ready."""
    spec = node.setdefault("spec", {})
    taints = spec.get("taints") or []
    if not any(
        taint.get("key") == NOT_READY and taint.get("effect") == "NoSchedule" for taint in taints
    ):
        spec["taints"] = [*taints, {"key": NOT_READY, "effect": "NoSchedule"}]

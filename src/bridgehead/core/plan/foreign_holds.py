"""Marks by which others say that they are working on a node.

What is on the node itself is told here; objects elsewhere that name it are in ``Node.holds``
(``maintenance``). A node that is merely cordoned is nobody's: it is changed and stays cordoned.
"""

from collections.abc import Callable, Iterator

from bridgehead.core.model.node import Node

# k8s-operator-libs pkg/upgrade/consts.go: "nvidia.com/%s-driver-upgrade-state". The GPU Operator
# fills in gpu, the Network Operator ofed. A failed upgrade leaves the node cordoned for a person.
_NVIDIA_PREFIX, _NVIDIA_SUFFIX = "nvidia.com/", "-driver-upgrade-state"
_NVIDIA_IDLE = frozenset({"", "upgrade-done", "unknown"})
# kured cmd/main.go, with --annotate-nodes: set when a reboot is due, removed after it.
_KURED = "weave.works/kured-reboot-in-progress"
# flatcar-linux-update-operator pkg/constants/constants.go; Container Linux had the other prefix.
_FLATCAR = ("flatcar-linux-update.v1.flatcar-linux.net/", "container-linux-update.v1.coreos.com/")
_FLATCAR_STEPS = ("before-reboot", "reboot-ok", "reboot-in-progress", "after-reboot")
# machine-config-operator pkg/daemon/constants/constants.go
_MACHINE_CONFIG = "machineconfiguration.openshift.io/state"
_TAINTS = {
    # karpenter pkg/apis/v1/taints.go, and pkg/apis/v1beta1/taints.go for releases before 1.0
    "karpenter.sh/disrupted": "Karpenter is about to remove it",
    "karpenter.sh/disruption": "Karpenter is about to remove it",
    # autoscaler cluster-autoscaler/utils/taints/taints.go. DeletionCandidate... is a mere thought.
    "ToBeDeletedByClusterAutoscaler": "the cluster autoscaler is about to remove it",
    # node-maintenance-operator controllers/taint.go
    "medik8s.io/drain": "it is in maintenance",
    # https://kubernetes.io/docs/reference/labels-annotations-taints/
    "node.kubernetes.io/out-of-service": "it was declared out of service",
}


def foreign_hold(node: Node, run: str = "") -> str:
    """Who but ``run`` holds the node, in words for people; empty where nobody is known to."""
    if node.held_by and node.held_by != run:
        return f"held by the bridgehead run {node.held_by}"
    found = (words for check in _CHECKS for words in check(node))
    return next(found, "") or "; ".join(node.holds)


def _nvidia(node: Node) -> Iterator[str]:
    for name, state in sorted(node.labels.items()):
        if not (name.startswith(_NVIDIA_PREFIX) and name.endswith(_NVIDIA_SUFFIX)):
            continue
        if state in _NVIDIA_IDLE:
            continue
        gpu = name == f"{_NVIDIA_PREFIX}gpu{_NVIDIA_SUFFIX}"
        who = "the GPU Operator" if gpu else "an operator of NVIDIA's"
        does = "failed to upgrade" if state == "upgrade-failed" else "is upgrading"
        yield f"{who} {does} its driver ({name}={state})"


def _kured(node: Node) -> Iterator[str]:
    if _KURED in node.annotations:
        yield f"kured is rebooting it ({_KURED})"


def _flatcar(node: Node) -> Iterator[str]:
    """Steps before and after the reboot are labels, the others annotations."""
    for prefix in _FLATCAR:
        for step in _FLATCAR_STEPS:
            name = f"{prefix}{step}"
            if "true" in {node.annotations.get(name), node.labels.get(name)}:
                yield f"its update operator is rebooting it ({name}=true)"


def _machine_config(node: Node) -> Iterator[str]:
    if node.annotations.get(_MACHINE_CONFIG) == "Working":
        yield f"the Machine Config Operator is updating it ({_MACHINE_CONFIG}=Working)"


def _tainted(node: Node) -> Iterator[str]:
    for taint in node.taints:
        if taint.key in _TAINTS:
            yield f"{_TAINTS[taint.key]} (taint {taint.key})"


_CHECKS: tuple[Callable[[Node], Iterator[str]], ...] = (
    _nvidia,
    _kured,
    _flatcar,
    _machine_config,
    _tainted,
)

"""The gates of a device plugin's node, in the order in which causes come before effects."""

from bridgehead.core.verify.case import Case
from bridgehead.core.verify.device_gates import allocatable, healthy, refused_pods
from bridgehead.core.verify.log_gate import log
from bridgehead.core.verify.pod_gates import admitted, image, pod_ready
from bridgehead.core.verify.result import GateResult

GATES = (image, admitted, pod_ready, log, healthy, allocatable, refused_pods)
"""All but the probe, which has a pod of its own and comes when these have passed."""


def judge(case: Case) -> tuple[GateResult, ...]:
    """Every gate's answer for the node.

    What a gate waits for on a node that cannot be seen is not known to be missing.
    """
    results = tuple(gate(case) for gate in GATES)
    blind = case.blind
    return tuple(item.unknown(blind) if blind else item for item in results)

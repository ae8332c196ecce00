"""Why a pod fits nowhere, in one line.

Source: FitError in k8s.io/kubernetes/pkg/scheduler/framework/types.go (1.37).
"""

from collections import Counter
from collections.abc import Iterable

NO_NODES = "no nodes available to schedule pods"


def told(nodes: int, refusals: Iterable[Iterable[str]], others: str = "") -> str:
    """How many nodes refuse for which reason.

    ``refusals``: the reasons of each node that was asked. ``others``: the reason of all the rest.
    """
    counts: Counter[str] = Counter()
    asked = 0
    for reasons in refusals:
        asked += 1
        counts.update(reasons)
    if others and asked < nodes:
        counts[others] += nodes - asked
    parts = sorted(f"{count} {reason}" for reason, count in counts.items())
    listed = f" {', '.join(parts)}." if parts else ""
    return f"0/{nodes} nodes are available:{listed}"

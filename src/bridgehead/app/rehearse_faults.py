"""Which faults a rehearsal plays: those that were asked for, or all that the plan can have."""

from collections import Counter
from collections.abc import Iterator, Sequence

from bridgehead.core.model.snapshot import Snapshot
from bridgehead.core.plan.plan import Plan, StageKind
from bridgehead.twin.faults.catalogue import Places, catalogue
from bridgehead.twin.faults.fault import Fault


def all_faults(plan: Plan, snapshot: Snapshot) -> Iterator[Fault]:
    """The catalogue, on nodes and cohorts of this plan."""
    kernels = Counter(node.kernel for node in snapshot.nodes if node.name in plan.nodes)
    rarest = min(sorted(kernels), key=kernels.__getitem__) if len(kernels) > 1 else ""
    smallest = min(plan.cohorts, key=lambda cohort: (len(cohort.nodes), cohort.name))
    return catalogue(
        Places(
            canary=plan.nodes[0],
            late=_late(plan),
            cohort=smallest.name if len(plan.cohorts) > 1 else "",
            kernel=rarest,
        )
    )


def _late(plan: Plan) -> str:
    waves: Sequence[str] = [
        node for stage in plan.stages if stage.kind is StageKind.WAVE for node in stage.nodes
    ]
    return waves[-1] if waves else ""

"""What is done about pods that hold devices of a node about to change, and about its restart test.

A plugin's restart leaves running pods alone: they have their devices until they end (Kubernetes
1.37.2). So they are kept, unless the plugin is of a family whose restart shrinks a busy node.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.components.family import shrinks_when_busy
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.plan import Care
from bridgehead.core.plan.settings import RestartTest, RolloutSpec, Workloads

WAIT_TIMEOUT = 3600.0
"""Seconds that a node waits for the pods that hold its devices to end by themselves. They may run
for days: after an hour, a node that takes no new pods costs more than it is worth."""
EVICT_TIMEOUT = 900.0
"""Seconds for evictions: pods have their grace period, and budgets open when successors are up."""


def care_of(spec: RolloutSpec, template: JsonObject) -> Care:
    """As the spec says, else by the family of the plugin that stands."""
    default = Workloads.WAIT if shrinks_when_busy(template) else Workloads.KEEP
    match spec.workloads or default:
        case Workloads.KEEP:
            return Care()
        case Workloads.WAIT:
            return Care(Workloads.WAIT, spec.workloads_timeout or WAIT_TIMEOUT)
        case Workloads.EVICT:
            return Care(Workloads.EVICT, spec.workloads_timeout or EVICT_TIMEOUT)


def restart_tests(
    spec: RolloutSpec, template: JsonObject, canaries: Iterable[str], in_use: Mapping[str, int]
) -> tuple[str, ...]:
    """The canaries whose plugin is restarted first: all, or where a restart shrinks a busy node
    those of which no device is in use.
    """
    fragile = shrinks_when_busy(template)
    default = RestartTest.IF_IDLE if fragile else RestartTest.ALWAYS
    match spec.canary.restart_test or default:
        case RestartTest.ALWAYS:
            return tuple(canaries)
        case RestartTest.IF_IDLE:
            return tuple(name for name in canaries if not in_use.get(name))
        case RestartTest.NEVER:
            return ()

"""What a rollout will take if nothing goes wrong: an estimate, stated as one."""

from collections.abc import Mapping

from bridgehead.core.plan.plan import Cost, Stage, Timing
from bridgehead.core.verify.track import LOOK_DELAY

START = 10.0
"""Seconds for cordon, quiet, deletion and a new pod, before any node was seen to take longer."""

REQUESTS_ONCE = 20
"""Requests of one node's pass, however long it takes: cordon, deletion, probe and uncordon, with
the reads before them, the journal, and the pods of the node before deletion and probe.
"""
REQUESTS_A_PERIOD = 2
"""Reads of a node in flight in each status period: the node itself, and its plugin's log."""
REQUESTS_OF_A_RUN = 120
"""Requests of a run beside those for its nodes: permissions, plan, watches, lock, template."""


def node_seconds(timing: Timing) -> float:
    """Estimate for one node from cordon to verified."""
    return START + LOOK_DELAY * timing.status_period + timing.settle


def cost_of(stages: tuple[Stage, ...], timing: Timing, devices: Mapping[str, int]) -> Cost:
    """Duration in seconds, device-minutes without devices, and API requests.

    A stage goes as fast as its two limits allow: nodes in the gap at a time, and nodes that are on
    the target and not proven yet, which is for as long as a whole pass.
    """
    gap = START + LOOK_DELAY * timing.status_period
    duration = 0.0
    for stage in stages:
        count = len(stage.nodes)
        gaps = -(-count // stage.parallel) * gap + timing.settle
        passes = -(-count // stage.unproven) * node_seconds(timing)
        duration += max(gaps, passes) + stage.soak
    each = REQUESTS_ONCE + REQUESTS_A_PERIOD * node_seconds(timing) / timing.status_period
    nodes = [name for stage in stages for name in stage.nodes]
    lost = sum(devices.get(name, 0) for name in nodes) * gap / 60
    return Cost(
        duration=duration,
        device_minutes=round(lost, 1),
        requests=round(each * len(nodes)) + REQUESTS_OF_A_RUN,
    )

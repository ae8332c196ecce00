"""What a rollout will take if nothing goes wrong: an estimate, stated as one."""

from collections.abc import Mapping

from bridgehead.core.plan.plan import Cost, Stage, Timing
from bridgehead.core.verify.track import LOOK_DELAY

START = 10.0
"""Seconds for cordon, quiet, deletion and a new pod, before any node was seen to take longer."""

REQUESTS_PER_NODE = 14
"""Writes and reads of one node's pass: cordon, delete, uncordon, probe, log, events, journal."""


def node_seconds(timing: Timing) -> float:
    """Estimate for one node from cordon to verified."""
    return START + LOOK_DELAY * timing.status_period + timing.settle


def cost_of(stages: tuple[Stage, ...], timing: Timing, devices: Mapping[str, int]) -> Cost:
    """Duration in seconds, device-minutes without devices, and API requests."""
    gap = START + LOOK_DELAY * timing.status_period
    duration = 0.0
    for stage in stages:
        batches = -(-len(stage.nodes) // stage.parallel)
        duration += batches * gap + timing.settle + stage.soak
    nodes = [name for stage in stages for name in stage.nodes]
    lost = sum(devices.get(name, 0) for name in nodes) * gap / 60
    return Cost(
        duration=duration,
        device_minutes=round(lost, 1),
        requests=REQUESTS_PER_NODE * len(nodes) + 6 * len(stages),
    )

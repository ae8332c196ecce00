"""Points of a plan at which a person is to consent before it goes on."""

from collections.abc import Sequence

from bridgehead.core.plan.plan import Stage, StageKind

AFTER_CANARY = "afterCanary"
BEFORE_WAVE = "beforeWave:"
"""Followed by the wave's number, as its stage is called; empty waves keep their number."""


def stage_after(stages: Sequence[Stage], point: str) -> int | None:
    """Index of the stage that waits for the point; None where the plan has no such point.

    After the last stage comes the finish, which waits too where there are only canaries.
    """
    if point == AFTER_CANARY:
        return sum(stage.kind is StageKind.CANARY for stage in stages)
    name = f"wave {point.removeprefix(BEFORE_WAVE)}"
    waves = (index for index, stage in enumerate(stages) if stage.name == name)
    return next(waves, None) if point.startswith(BEFORE_WAVE) else None

"""What a spec says about when and with whose consent, held against the plan that came of it."""

from collections.abc import Iterator

from bridgehead.core.plan.cost import node_seconds
from bridgehead.core.plan.plan import Plan, Refusal
from bridgehead.core.plan.points import stage_after


def schedule_refusals(plan: Plan) -> tuple[Refusal, ...]:
    """Reasons why a plan could never be followed to its end as its spec asks."""
    return (*_points(plan), *_windows(plan))


def _points(plan: Plan) -> Iterator[Refusal]:
    """Consent to a wave that there is not would be awaited by nobody, and noticed by nobody."""
    waves = ", ".join(stage.name for stage in plan.stages)
    for point in plan.spec.approve:
        if stage_after(plan.stages, point) is None:
            yield Refusal(
                "point-missing",
                f"approve names {point}, and the plan has no such wave: its stages are {waves}",
                "waves that would be empty vanish: name another wave, or leave it out",
                str(plan.spec.component),
            )


def _windows(plan: Plan) -> Iterator[Refusal]:
    longest = max((60 * item.minutes for item in plan.spec.windows), default=None)
    needed = node_seconds(plan.timing)
    if longest is not None and longest < needed:
        yield Refusal(
            "window-too-short",
            f"the longest window is {longest} s and a node takes {needed:g} s: none would begin",
            "make a window longer",
            str(plan.spec.component),
        )

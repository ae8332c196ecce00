"""Where a plan waits for consent, and which consent counts.

An approval binds what the approver could see: the change, the kinds of nodes that it goes to, and
where the component's pods end up. New nodes of a known kind are shown, not refused.
"""

from datetime import datetime

from bridgehead.core.model.json import JsonObject, child, digest
from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.points import stage_after
from bridgehead.core.rollout.control import Approve
from bridgehead.core.rollout.run import Run

PLACEMENT = ("nodeSelector", "affinity", "tolerations")
"""Fields of a pod template that decide where its pods go."""


def points(plan: Plan) -> tuple[str, ...]:
    """The plan's points in the order in which the run comes to them, each once."""
    stops = {point: stage_after(plan.stages, point) for point in plan.spec.approve}
    known = [(index, point) for point, index in stops.items() if index is not None]
    return tuple(point for _, point in sorted(known))


def binding(plan: Plan) -> str:
    """Digest of what an approval binds beside the change: the cohorts and the ending placement."""
    content: JsonObject = {
        "cohorts": sorted(cohort.name for cohort in plan.cohorts),
        "placement": {name: child(plan.target_template, "spec", name) for name in PLACEMENT},
    }
    return digest(content)


def awaited(run: Run, now: float) -> str | None:
    """The point at which the run has to wait for consent; None where it may go on."""
    return next((point for point in open_points(run) if consent(run, point, now) is None), None)


def open_points(run: Run) -> tuple[str, ...]:
    """Points before the stage under way at which nobody's consent was put to use yet."""
    return tuple(
        point
        for point in points(run.plan)
        if point not in run.state.consented
        and stage_after(run.plan.stages, point) == run.state.stage
    )


def consent(run: Run, point: str, now: float) -> Approve | None:
    """The first approval of a point that counts now."""
    return next((item for item in _of(run, point) if not objection(run, item, now)), None)


def objections(run: Run, point: str, now: float) -> tuple[str, ...]:
    """Why the approvals that were given for a point do not count."""
    return tuple(
        f"that of {item.identity or 'somebody unknown'} does not count: {why}"
        for item in _of(run, point)
        if (why := objection(run, item, now))
    )


def _of(run: Run, point: str) -> list[Approve]:
    return [item for item in run.state.approvals if item.point == point]


def objection(run: Run, given: Approve, now: float) -> str:
    """What speaks against an approval; empty where it counts."""
    if given.change_digest != run.plan.change_digest:
        return "it is for another change"
    if given.binds != binding(run.plan):
        return "it is for other kinds of nodes, or another placement"
    if given.expires and not now < _seconds(given.expires):
        return f"it expired at {given.expires}"
    if not run.plan.spec.two_people:
        return ""
    if not given.identity or not run.limits.identity:
        return "twoPeople asks for two identities, and one of them is not known"
    if given.identity == run.limits.identity:
        return "twoPeople asks for another identity than the runner's"
    return ""


def _seconds(moment: str) -> float:
    """Seconds since the epoch; what cannot be read, or is of no zone, has expired."""
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        return 0.0
    return read.timestamp() if read.tzinfo is not None else 0.0

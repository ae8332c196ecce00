"""What bounds this process as a runner: its time, whether it waits, who it is, the time zones."""

from datetime import tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from bridgehead.app.session import Session
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.estimate import estimate
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.run import Run


class TooShort(msgspec.Struct, frozen=True):
    """Not even one node could be done in the time that was given; nothing was changed (exit 2)."""

    left: float
    """Seconds that are left of the given time."""
    needed: float
    """Seconds that the next node is expected to take."""


def bounds(session: Session, plan: Plan, user: str) -> Limits:
    """The limits that were asked for, with all that the core needs to know to keep to them."""
    return msgspec.structs.replace(session.limits, identity=user, zones=zones(plan))


def zones(plan: Plan) -> dict[str, tzinfo]:
    """The time zones of the plan's windows, as far as this machine knows them."""
    names = {window.timezone for window in plan.spec.windows}
    return {name: zone for name in names if (zone := _zone(name)) is not None}


def too_short(run: Run, now: float) -> TooShort | None:
    """Why the run need not be taken up: its runner could not begin a single node."""
    if run.limits.until is None:
        return None
    left, needed = run.limits.until - now, estimate(run)
    return TooShort(left, needed) if left < needed else None


def _zone(name: str) -> tzinfo | None:
    """None where this machine does not know the zone: windows in it count as closed."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return None

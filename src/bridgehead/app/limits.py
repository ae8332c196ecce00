"""What bounds this process as a runner: its time, whether it waits, who it is, the time zones."""

from collections.abc import Iterable
from datetime import tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from bridgehead.app.session import Session
from bridgehead.core.journal.entry import Draft
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.control import Abort, UnreadableRequestError, requests
from bridgehead.core.rollout.estimate import estimate
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.resuming import FAILED
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode, NodeStatus


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
    """Why the run need not be taken up: all that is left to do is to begin a node, for which the
    time is too short.

    A way back, a node in flight, the last soak and the finish are seen to whatever time is left.
    """
    if run.limits.until is None or not _begins_next(run):
        return None
    left, needed = run.limits.until - now, estimate(run)
    return TooShort(left, needed) if left < needed else None


def turned(run: Run, control: str, also: Iterable[Draft]) -> bool:
    """Whether the run goes back once it is taken up: it was asked to, or ``also`` is to say so.

    Where a line of what was asked cannot be read, it is the loop that stops for it, and says so.
    """
    if any((item.step, item.result) == ("turn", "back") for item in also):
        return True
    try:
        unheard = requests(control)[run.state.requests :]
    except UnreadableRequestError:
        return True
    return any(isinstance(item, Abort) for item in unheard)


def _begins_next(run: Run) -> bool:
    """Whether the run goes forward, and the next that it does with a node is to begin one."""
    if run.state.mode not in {Mode.PREFLIGHT, Mode.FORWARD}:
        return False
    if run.state.working or run.with_status(*FAILED):
        return False
    names = (*run.plan.nodes, *run.state.joined)
    return any(run.state.node(name).status is NodeStatus.PENDING for name in names)


def _zone(name: str) -> tzinfo | None:
    """None where this machine does not know the zone: windows in it count as closed."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: a folder of the database
        return None

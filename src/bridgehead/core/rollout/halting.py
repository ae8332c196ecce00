"""Why a run that could go on does not: a pause, a closed window, consent that is awaited, time.

None of it holds up a way back: what failed is taken back whatever the hour.
"""

import math
from datetime import datetime

import msgspec

from bridgehead.core.journal.entry import Draft
from bridgehead.core.plan.cost import START
from bridgehead.core.rollout.approvals import awaited, consent, objections, open_points
from bridgehead.core.rollout.control import who
from bridgehead.core.rollout.decision import Decision, note, wait
from bridgehead.core.rollout.estimate import estimate
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, NodeState, NodeStatus
from bridgehead.core.rollout.windows import Opening, opening

WAITING = 5
"""Exit of a run that the same command takes further, later."""


class Halt(msgspec.Struct, frozen=True):
    """What the run waits for, and whether a runner may stay for it."""

    why: str
    lasting: bool = False
    """Whether waiting would not help this runner: its own time is over."""


def halted(run: Run, now: float) -> Halt | None:
    """What stops the run as it is: nothing more may begin, and the former template is parked."""
    paused = run.state.paused
    if paused is not None:
        return Halt(f"paused by {who(paused)}{f': {paused.reason}' if paused.reason else ''}")
    seen = opening(run.plan.spec.windows, run.limits.zones, now)
    if not seen.open:
        return Halt(f"no window is open; {_next(run, seen)}")
    until = run.limits.until
    if until is not None and now >= until and not _finishing(run):
        return Halt("time used up; the same command goes on", lasting=True)
    return None


def consents(run: Run, now: float) -> tuple[Draft, ...]:
    """The approvals that are put to use now, so that they need not hold any longer."""
    given = ((point, consent(run, point, now)) for point in open_points(run))
    return tuple(
        note(
            "stage",
            "approved",
            detail={"point": point, "by": who(approval), "given": approval.time},
        )
        for point, approval in given
        if approval is not None
    )


def unapproved(run: Run, now: float) -> Halt | None:
    """The consent that is awaited before the stage that comes now."""
    point = awaited(run, now)
    if point is None:
        return None
    refused = "".join(f"; {item}" for item in objections(run, point, now))
    command = f"bridgehead approve {run.plan.spec.component}"
    return Halt(f"waits for approval {point}: {command}{refused}")


def too_late(run: Run, now: float) -> Halt | None:
    """Why no further node may begin, though those in flight may go on: it would not be done."""
    needed = estimate(run)
    takes = f"a node takes up to {needed:.0f} s"
    until = run.limits.until
    if until is not None and now + needed > until:
        return Halt(f"time used up, as {takes}; the same command goes on", lasting=True)
    seen = opening(run.plan.spec.windows, run.limits.zones, now)
    if seen.closes is not None and now + needed > seen.closes:
        return Halt(f"the window closes soon and {takes}; {_next(run, seen)}")
    return None


def called_off(run: Run, now: float) -> tuple[NodeState, ...]:
    """Nodes in flight that were begun in time, had to wait, and cannot be done any more."""
    seen = opening(run.plan.spec.windows, run.limits.zones, now)
    limits = (run.limits.until, seen.closes)
    left = min((item - now for item in limits if item is not None), default=math.inf)
    if left >= estimate(run) - START:
        return ()
    return tuple(item for item in run.state.working if item.work and item.work.deleted_at is None)


def stay_or_leave(run: Run, halt: Halt) -> Decision:
    """Nothing is in flight and the former template is parked: wait, or leave with exit 5."""
    if run.limits.waits and not halt.lasting:
        return wait(halt.why)
    return Decision(ending=Ending(exit=WAITING, summary=halt.why))


def _finishing(run: Run) -> bool:
    """Whether no node is left to be changed: that the target stands for good takes seconds."""
    pending = run.with_status(NodeStatus.PENDING)
    return run.stage is None and not pending and not run.state.working


def _next(run: Run, seen: Opening) -> str:
    if seen.unknown:
        return f"the time zones {', '.join(seen.unknown)} are not known on this machine"
    if seen.opens is None:
        return "none opens in the days to come"
    local = datetime.fromtimestamp(seen.opens, run.limits.zones[seen.place])
    return f"the next opens {local:%Y-%m-%d %H:%M} {seen.place}"

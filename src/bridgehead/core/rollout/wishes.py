"""What people have asked of a run and what it waits for, beside how it stands. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import text
from bridgehead.core.rollout.approvals import awaited, objection
from bridgehead.core.rollout.control import Approve, Pause, Request, who
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode, NodeStatus
from bridgehead.core.rollout.windows import opening

Used = Mapping[tuple[str, str], str]
"""When approvals were used, by their point and the time at which they were given."""

_NONE_USED: Used = {}


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """An approval that was given, noted or not."""

    point: str
    by: str
    """A claimed name is shown as that."""
    time: str
    expires: str
    objection: str
    """Why it does not count now; empty where it does, and where it was used."""
    used: str = ""
    """When the run went on because of it, which stays so whatever becomes of it later."""


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that people want of an open run."""

    paused: Pause | None = None
    awaited: str = ""
    """The point at which it waits for consent; empty where it does not."""
    approvals: tuple[Given, ...] = ()
    filed: tuple[Request, ...] = ()
    """Requests that no runner has noted yet."""
    unreadable: str = ""
    """Why requests cannot be read, if so."""
    window: str = ""
    """Whether a window is open, in words; empty where the plan has none."""
    left: int = 0
    """Nodes that have not had their turn."""


def used(entries: Iterable[Entry]) -> Used:
    """Which approvals a run went on with, by the records of its journal."""
    passed = (item for item in entries if (item.step, item.result) == ("stage", "approved"))
    return {(text(item.detail, "point"), text(item.detail, "given")): item.time for item in passed}


def wishes(
    run: Run,
    asked: Sequence[Request],
    now: float,
    unreadable: str = "",
    used: Used = _NONE_USED,
) -> Wishes:
    """The wishes for a run; ``asked`` are all requests in its record.

    ``run.limits`` holds who ran it last, whom approvals are judged against, and the time zones.
    """
    state = run.state
    filed = tuple(asked[state.requests :])
    given = (*state.approvals, *(item for item in filed if isinstance(item, Approve)))
    goes_on = state.mode in {Mode.FORWARD, Mode.HOLD}
    with_filed = msgspec.structs.replace(run, state=msgspec.structs.replace(state, approvals=given))
    names = dict.fromkeys((*run.plan.nodes, *state.joined))
    return Wishes(
        paused=state.paused,
        awaited=(awaited(with_filed, now) or "") if goes_on else "",
        approvals=tuple(
            Given(
                point=item.point,
                by=who(item),
                time=item.time,
                expires=item.expires,
                objection="" if _used(item, used) else objection(run, item, now),
                used=_used(item, used),
            )
            for item in given
        ),
        filed=filed,
        unreadable=unreadable,
        window=_window(run, now),
        left=sum(state.node(name).status is NodeStatus.PENDING for name in names),
    )


def _used(given: Approve, used: Used) -> str:
    return used.get((given.point, given.time), "")


def _window(run: Run, now: float) -> str:
    windows = run.plan.spec.windows
    if not windows:
        return ""
    seen = opening(windows, run.limits.zones, now)
    if seen.open:
        return f"open until {_utc(seen.closes)}" if seen.closes is not None else "open"
    if seen.opens is None:
        unknown = f": {', '.join(seen.unknown)} are not known here" if seen.unknown else ""
        return f"closed, and none opens in the days to come{unknown}"
    return f"closed until {_utc(seen.opens)}"


def _utc(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}"

"""Windows: the times of the week in which nodes may be changed, by the clocks of a place.

Zones are handed in: to look one up reads files. Where clocks are turned, a time of day may occur
twice or not at all; a window is then never longer than either reading makes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo

import msgspec

from bridgehead.core.plan.settings import EVERY_DAY, Window

DAY = 1440
"""Minutes."""
BEFORE, AHEAD = 2, 9
"""Days around now that can matter: a window may have opened yesterday, the next a week from now."""

Zones = Mapping[str, tzinfo]


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """Whether nodes may be changed now; times are seconds since the epoch."""

    open: bool
    closes: float | None = None
    """When that ends; None where it does not."""
    opens: float | None = None
    """When the next window opens, of those that can be read; None where that is not known."""
    place: str = ""
    """The time zone by whose clocks the next one opens."""
    unknown: tuple[str, ...] = ()
    """Time zones that are not known: their windows count as closed."""


def opening(windows: Sequence[Window], zones: Zones, now: float) -> Opening:
    """Whether a window is open; without any window it always is."""
    if not windows:
        return Opening(open=True)
    spans = sorted(_spans(windows, zones, now))
    closes = now
    for start, end, _ in spans:
        if start <= closes < end:
            closes = end
    ahead = next(((start, place) for start, _, place in spans if start > closes), None)
    return Opening(
        open=closes > now,
        closes=closes if closes > now else None,
        opens=ahead[0] if ahead else None,
        place=ahead[1] if ahead else "",
        unknown=tuple(sorted({item.timezone for item in windows} - set(zones))),
    )


def _spans(
    windows: Sequence[Window], zones: Zones, now: float
) -> Iterator[tuple[float, float, str]]:
    for window in windows:
        zone = zones.get(window.timezone)
        if zone is None:
            continue
        today = datetime.fromtimestamp(now, zone).date()
        for ahead in range(-BEFORE, AHEAD):
            day = today + timedelta(days=ahead)
            if EVERY_DAY[day.weekday()] in window.days:
                start = max(_readings(day, window.opens, zone))
                end = min(_readings(day, window.opens + window.minutes, zone))
                if start < end:
                    yield start, end, window.timezone


def _readings(day: date, minute: int, zone: tzinfo) -> tuple[float, float]:
    """Both moments that a time of day can mean; the same one where no clock is turned."""
    days, rest = divmod(minute, DAY)
    wall = datetime.combine(day + timedelta(days=days), time(rest // 60, rest % 60), zone)
    return wall.timestamp(), wall.replace(fold=1).timestamp()

"""Times of CronJobs.

Source: github.com/robfig/cron/v3/parser.go, ParseStandard.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bridgehead.twin.integers import int64

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


class _Bounds(NamedTuple):
    low: int
    high: int
    names: Mapping[str, int] = {}


_FIELDS = (
    _Bounds(0, 59),
    _Bounds(0, 23),
    _Bounds(1, 31),
    _Bounds(1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    _Bounds(0, 6, {name: number for number, name in enumerate(_DAYS)}),
)

_DESCRIPTORS = frozenset(
    {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}
)


class _ScheduleError(ValueError):
    """What is wrong with a schedule, in the parser's words."""


def schedule_complaint(schedule: str) -> str:
    """What is wrong with a schedule; empty for one that is fine."""
    if schedule.startswith("@"):
        fine = schedule in _DESCRIPTORS or schedule.startswith("@every ")
        return "" if fine else f"unrecognized descriptor: {schedule}"
    fields = schedule.split()
    if len(fields) != len(_FIELDS):
        return f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]"
    try:
        for field, bounds in zip(fields, _FIELDS, strict=True):
            for expression in field.split(","):
                _check(expression, bounds)
    except _ScheduleError as error:
        return str(error)
    return ""


def _check(expression: str, bounds: _Bounds) -> None:
    span, *steps = expression.split("/")
    ends = span.split("-")
    if ends[0] in {"*", "?"}:
        start, end = bounds.low, bounds.high
    else:
        start = _number(ends[0], bounds.names)
        if len(ends) > 2:
            raise _ScheduleError(f"too many hyphens: {expression}")
        end = _number(ends[-1], bounds.names)
    if len(steps) > 1:
        raise _ScheduleError(f"too many slashes: {expression}")
    step = _number(steps[0], {}) if steps else 1
    if steps and len(ends) == 1:
        end = bounds.high
    _check_span(expression, bounds, (start, end, step))


def _check_span(expression: str, bounds: _Bounds, span: Sequence[int]) -> None:
    start, end, step = span
    if start < bounds.low:
        raise _ScheduleError(
            f"beginning of range ({start}) below minimum ({bounds.low}): {expression}"
        )
    if end > bounds.high:
        raise _ScheduleError(f"end of range ({end}) above maximum ({bounds.high}): {expression}")
    if start > end:
        raise _ScheduleError(
            f"beginning of range ({start}) beyond end of range ({end}): {expression}"
        )
    if not step:
        raise _ScheduleError(f"step of range should be a positive number: {expression}")


def _number(text: str, names: Mapping[str, int]) -> int:
    if (known := names.get(text.lower())) is not None:
        return known
    if not text.isascii() or not text.isdigit():
        raise _ScheduleError(
            f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax'
        )
    if (found := int64(text)) is None:
        raise _ScheduleError(
            f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": value out of range'
        )
    return found

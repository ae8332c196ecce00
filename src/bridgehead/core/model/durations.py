"""Durations as people write them: ``30s``, ``10m``, ``1h30m``, ``500ms``.

The notation is Go's, which kubectl and Kubernetes objects use, without signs and with each unit
at most once, the largest first. A bare number has no meaning: nobody knows whether 30 is seconds.
"""

import re

_DURATION = re.compile(
    r"(?:(?P<h>[0-9]{1,6}(?:\.[0-9]{1,6})?)h)?(?:(?P<m>[0-9]{1,6}(?:\.[0-9]{1,6})?)m(?!s))?"
    r"(?:(?P<s>[0-9]{1,6}(?:\.[0-9]{1,6})?)s)?(?:(?P<ms>[0-9]{1,9})ms)?"
)
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


class DurationError(ValueError):
    """A text that is no duration; the message says what to write instead."""


def parse_duration(text: str) -> float:
    """The seconds that a duration stands for; raises DurationError."""
    if _NUMBER.fullmatch(text):
        raise DurationError(f"{text} has no unit: write {text}s for seconds or {text}m for minutes")
    parts = _DURATION.fullmatch(text)
    if parts is None or not text:
        raise DurationError(f"'{text}' is no duration: write it like 30s, 10m, 1h30m or 500ms")
    found = {unit: value for unit, value in parts.groupdict().items() if value is not None}
    return sum(float(value) * _SECONDS[unit] for unit, value in found.items())


def duration_text(seconds: float) -> str:
    """The shortest notation of a duration, to the millisecond; parse_duration reads it back."""
    milliseconds = round(seconds * 1000)
    hours, milliseconds = divmod(milliseconds, 3_600_000)
    minutes, milliseconds = divmod(milliseconds, 60_000)
    whole, milliseconds = divmod(milliseconds, 1000)
    parts = ((hours, "h"), (minutes, "m"), (whole, "s"), (milliseconds, "ms"))
    return "".join(f"{amount}{unit}" for amount, unit in parts if amount) or "0s"

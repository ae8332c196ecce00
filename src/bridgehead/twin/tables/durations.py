"""Ages and other spans of time as kubectl users read them: ``5m12s``, ``3d4h``.

Source: k8s.io/apimachinery/pkg/util/duration/duration.go (1.37).
"""

from bridgehead.twin.timestamps import seconds_of

_MINUTE, _HOUR, _DAY, _YEAR = 60, 3600, 86_400, 365 * 86_400

UNKNOWN = "<unknown>"


def human(seconds: float) -> str:
    """Two or three significant figures of a span; a small negative one is clock skew."""
    whole = int(seconds)
    if whole < -1:
        return "<invalid>"
    if whole < 0:
        return "0s"
    if whole < 2 * _MINUTE:
        return f"{whole}s"
    for limit, unit, name, part, part_name in (
        (10 * _MINUTE, _MINUTE, "m", 1, "s"),
        (3 * _HOUR, _MINUTE, "m", 0, ""),
        (8 * _HOUR, _HOUR, "h", _MINUTE, "m"),
        (2 * _DAY, _HOUR, "h", 0, ""),
        (8 * _DAY, _DAY, "d", _HOUR, "h"),
        (2 * _YEAR, _DAY, "d", 0, ""),
        (8 * _YEAR, _YEAR, "y", _DAY, "d"),
    ):
        if whole < limit:
            rest = whole % unit // part if part else 0
            return f"{whole // unit}{name}" + (f"{rest}{part_name}" if rest else "")
    return f"{whole // _YEAR}y"


def since(stamp: object, now: float) -> str:
    """How long ago a time of the API was; a missing one is unknown."""
    return human(now - seconds_of(stamp)) if isinstance(stamp, str) and stamp else UNKNOWN

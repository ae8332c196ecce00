"""Durations as Go writes them: ``500ms``, ``5s``, ``1m30s``."""

import re

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")


def seconds(text: str) -> float:
    """The seconds that a text means; a number without a unit is good for 0 only.

    Raises ValueError with the words of ``time.ParseDuration``.
    """
    sign = -1.0 if text.startswith("-") else 1.0
    body = text.lstrip("+-")
    if body == "0":
        return 0.0
    parts = list(_PART.finditer(body))
    if not parts or "".join(part.group() for part in parts) != body:
        if re.fullmatch(r"\d+(\.\d*)?", body):
            raise ValueError(f'time: missing unit in duration "{text}"')
        raise ValueError(f'time: invalid duration "{text}"')
    return sign * sum(float(part.group(1)) * _UNITS[part.group(2)] for part in parts)


def written(length: float) -> str:
    """Seconds as Go prints a duration, to the millisecond: ``10s``, ``2m40s``, ``1.204s``."""
    milliseconds = round(length * 1000)
    if milliseconds == 0:
        return "0s"
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    whole, thousandths = divmod(rest, 1000)
    fraction = f".{thousandths:03}".rstrip("0") if thousandths else ""
    tail = f"{whole}{fraction}s"
    if hours:
        return f"{hours}h{minutes}m{tail}"
    return f"{minutes}m{tail}" if minutes else tail

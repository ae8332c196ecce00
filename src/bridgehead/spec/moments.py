"""Values of a spec that say when: times of day, time zones, the points that wait for consent."""

import re
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from bridgehead.core.plan.points import AFTER_CANARY, BEFORE_WAVE
from bridgehead.spec.fields import as_text, unfit, wrong

_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])|(24):(00)")


def _minutes(value: object) -> int:
    text = as_text(value, 'a time of day such as "22:00"')
    found = _TIME.fullmatch(text)
    if found is None:
        raise wrong(f'\'{text}\' is no time of day: write it like "04:00", up to "24:00"')
    hours, rest = text.split(":")
    return 60 * int(hours) + int(rest)


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _zone(value: object) -> str:
    """A name of the IANA database, which comes with Python's ``tzdata`` where a system has none."""
    name = as_text(value, "a time zone such as Europe/Berlin")
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise wrong(
            f"'{name}' is no time zone that is known here: write it like Europe/Berlin, or UTC"
        ) from None
    return name


def _point(value: object) -> str:
    if value == AFTER_CANARY:
        return AFTER_CANARY
    number = value["beforeWave"] if isinstance(value, dict) and [*value] == ["beforeWave"] else None
    if not isinstance(number, int) or isinstance(number, bool):
        raise unfit("afterCanary, or beforeWave: with the number of a wave")
    if number < 1:
        raise wrong(f"waves count from 1: there is no wave {number}")
    return f"{BEFORE_WAVE}{number}"


def _point_keys(point: str) -> str | dict[str, int]:
    number = point.removeprefix(BEFORE_WAVE)
    return {"beforeWave": int(number)} if number != point else point


TimeOfDay = Annotated[
    int,
    PlainValidator(_minutes),
    PlainSerializer(_clock),
    WithJsonSchema(
        {
            "type": "string",
            "title": "time of day",
            "pattern": "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
        }
    ),
]
TimeZone = Annotated[
    str, PlainValidator(_zone), WithJsonSchema({"type": "string", "title": "time zone"})
]
Point = Annotated[
    str,
    PlainValidator(_point),
    PlainSerializer(_point_keys),
    WithJsonSchema(
        {
            "title": "`afterCanary` or `beforeWave: N`",
            "anyOf": [
                {"const": AFTER_CANARY},
                {
                    "type": "object",
                    "properties": {"beforeWave": {"type": "integer", "minimum": 1}},
                    "required": ["beforeWave"],
                    "additionalProperties": False,
                },
            ],
        }
    ),
]

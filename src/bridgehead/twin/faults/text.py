"""Faults as people type them: ``image=fake:v2,node=gpu-1,devices=0``, ``api.error=503@10%``."""

import difflib
import re
from collections.abc import Callable
from typing import Any

import msgspec

from bridgehead.core.model.durations import DurationError, parse_duration
from bridgehead.twin.faults.fault import Fault, NodeTrouble, Share, Where
from bridgehead.twin.nodes.driver.knobs import TABLE

_NEXT = re.compile(r",(?=[A-Za-z][A-Za-z.]*(?:=|,|$))")
"""A comma before another key: values may hold commas too."""
_SHARE = re.compile(r"(?:(?P<status>[1-5][0-9]{2})@)?(?P<percent>[0-9]{1,3}(?:\.[0-9]+)?)%")

MISMATCH = "kernel module not found for the running kernel"
"""What a driver says on a kernel that it was not built for."""

NOT_FOUND = "failed to resolve image: not found"
"""What a runtime says of an image that its registry does not have."""

DRIFTED = "driver library not found"
"""What a plugin says on a node whose files were changed since its predecessor started."""


class FaultError(ValueError):
    """A text that names no fault; the message says what is wrong with it."""


def parse_fault(text: str) -> Fault:
    """The fault that a text stands for. Raises FaultError."""
    parts = [part for part in _NEXT.split(text.strip()) if part]
    if not parts:
        raise FaultError("an empty fault; write one like devices=0 or node=gpu-1,node.lost")
    fault = Fault(text=text.strip())
    given = set()
    for part in parts:
        key, separator, value = part.partition("=")
        if key in given:
            raise FaultError(f"{key} is given twice")
        given.add(key)
        fault = _with(fault, key, value if separator else None)
    if not (fault.of_version or fault.nodes or fault.api):
        raise FaultError(f"{text}: it says where, and not what; add for example devices=0")
    return fault


def _with(fault: Fault, key: str, value: str | None) -> Fault:
    if key in Where.__struct_fields__:
        where = msgspec.structs.replace(fault.where, **{key: _needed(key, value)})
        return msgspec.structs.replace(fault, where=where)
    if key in TABLE:
        return msgspec.structs.replace(fault, knobs={**fault.knobs, key: _knob(key, value)})
    if key in _OTHERS:
        return _OTHERS[key](fault, value)
    known = (*Where.__struct_fields__, *_OTHERS, *(n for n, knob in TABLE.items() if knob.fault))
    near = difflib.get_close_matches(key, known, 1)
    hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"
    raise FaultError(f"{key} is no fault{hint}")


def _needed(key: str, value: str | None) -> str:
    if not value:
        raise FaultError(f"{key} needs a value: {key}=...")
    return value


def _knob(key: str, value: str | None) -> str:
    """As text, which is how a plugin's environment has it; a switch may be given by name alone."""
    knob = TABLE[key]
    text = "true" if value is None and knob.initial == "false" else _needed(key, value)
    try:
        read = knob.read(text)
    except ValueError as error:
        raise FaultError(_words(key, text, str(error))) from None
    if isinstance(read, int | float) and read < 0:
        raise FaultError(f"{key}={text}: less than none")
    return text


def _words(key: str, text: str, error: str) -> str:
    """Why a knob's value cannot be read: the plugin itself says it with a programmer's words."""
    if error.startswith("strconv.Atoi"):
        return f"{key}={text}: '{text}' is no whole number"
    if error.startswith("strconv.ParseBool"):
        return f"{key}={text}: write true or false"
    if TABLE[key].initial == "[]":
        return f'{key}={text}: write a JSON list, like {key}=["a","b"]'
    if error.startswith("time: "):
        try:
            parse_duration(text)
        except DurationError as reason:
            return f"{key}: {reason}"
    return f"{key}={text}: {error}"


def _moment(key: str, value: str) -> float:
    try:
        return parse_duration(value)
    except DurationError as error:
        raise FaultError(f"{key}: {error}") from None


def _seconds(key: str, value: str | None) -> float:
    seconds = _moment(key, _needed(key, value))
    if not seconds:
        raise FaultError(f"{key}={value}: it must be longer than nothing")
    return seconds


def _share(key: str, value: str | None, status: int) -> Share:
    found = _SHARE.fullmatch(_needed(key, value))
    if found is None or float(found["percent"]) > 100:
        raise FaultError(f"{key}={value}: write it like {key}={f'{status}@' if status else ''}10%")
    return Share(int(found["status"] or status), float(found["percent"]) / 100)


def _version(**fields: Callable[[str | None], Any]) -> Callable[[Fault, str | None], Fault]:
    def put(fault: Fault, value: str | None) -> Fault:
        read = {name: reader(value) for name, reader in fields.items()}
        return msgspec.structs.replace(fault, **read)

    return put


def _node(trouble: NodeTrouble) -> Callable[[Fault, str | None], Fault]:
    def put(fault: Fault, value: str | None) -> Fault:
        if value:
            raise FaultError(f"node.{trouble.value} has no value; name nodes with node=...")
        return msgspec.structs.replace(fault, nodes=(*fault.nodes, trouble))

    return put


def _api(**fields: Callable[[str | None], Any]) -> Callable[[Fault, str | None], Fault]:
    def put(fault: Fault, value: str | None) -> Fault:
        read = {name: reader(value) for name, reader in fields.items()}
        return msgspec.structs.replace(fault, api=msgspec.structs.replace(fault.api, **read))

    return put


def _away(value: str | None) -> tuple[float, float]:
    """``60s``, or ``60s@5m``: so long, and so long after the start (a minute)."""
    lasts, at, begins = _needed("api.away", value).partition("@")
    return _seconds("api.away", lasts), _moment("api.away", begins) if at else 60.0


def _mismatch(fault: Fault, value: str | None) -> Fault:
    """The version was not built for a kernel: it does not find its driver there."""
    where = msgspec.structs.replace(fault.where, kernel=value or fault.where.kernel)
    knobs = {"initFailure": "exit", "initFailureMessage": MISMATCH, **fault.knobs}
    return msgspec.structs.replace(fault, where=where, knobs=knobs)


_OTHERS: dict[str, Callable[[Fault, str | None], Fault]] = {
    "pull": _version(pull=lambda value: value or NOT_FOUND),
    "pull.delay": _version(pull_delay=lambda value: _seconds("pull.delay", value)),
    "start.delay": _version(start_delay=lambda value: _seconds("start.delay", value)),
    "kernel.mismatch": _mismatch,
    **{f"node.{trouble.value}": _node(trouble) for trouble in NodeTrouble},
    "api.latency": _api(latency=lambda value: _seconds("api.latency", value)),
    "api.error": _api(error=lambda value: _share("api.error", value, 503)),
    "api.away": _api(away=_away),
    "api.conflict": _api(conflict=lambda value: _share("api.conflict", value, 0).share),
    "watch.break": _api(watch_break=lambda value: _seconds("watch.break", value)),
    "watch.gone": _api(
        watch_break=lambda value: _seconds("watch.gone", value), watch_gone=lambda _value: True
    ),
}
"""What is neither a place nor a knob; ``ApiTrouble`` and ``NodeTrouble`` say what each means."""

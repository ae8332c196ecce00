"""Log lines of a device plugin, in the shape of the library that it logs with.

Source: testbed/go/fakedriver/logging.go.
"""

import json
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import msgspec

Level = Literal["info", "warning", "error"]


class Line(NamedTuple):
    """A line that a plugin may write: where in its source, how grave, and what."""

    place: str
    """File and line of the source, which klog tells."""
    level: Level
    text: str
    """With ``{}`` for each value."""


STARTING = Line("run.go:22", "info", "starting device plugin, version {}")
UNREADABLE = Line("run.go:18", "error", "{}")
NOT_JUDGED = Line("run.go:31", "error", "{}")
NOT_STARTED = Line("run.go:45", "error", "{}")
NOT_DISCOVERED = Line("run.go:57", "error", "failed to discover devices: {}")
INSTANCE_ENDED = Line("run.go:71", "error", "{}")
CRASHED = Line("run.go:74", "error", "{}")
STOPPING = Line("run.go:78", "info", "received signal, shutting down")
BLOCKED = Line("start.go:47", "error", "{}")
BLOCKED_FOR_EVER = Line("start.go:48", "warning", "no devices found, waiting indefinitely")
RETRYING = Line("start.go:52", "error", "{}, retrying")
NO_DEVICES = Line("instances.go:38", "warning", "no devices in device pool for '{}'")
SERVING = Line("serve.go:43", "info", "serving '{}' on {}")
REGISTERED = Line("register.go:62", "info", "registered device plugin for '{}' with kubelet")
NOT_REGISTERED = Line("register.go:59", "error", "could not register device plugin for '{}': {}")
KUBELET_CAME = Line(
    "register.go:102", "info", "kubelet.sock created, restarting device plugin for '{}'"
)
NO_OPTIONS = Line("plugin.go:31", "error", "failed to answer options of '{}': {}")
CLOSED_AT_ONCE = Line("plugin.go:54", "info", "device stream of '{}' closed")
CLOSED = Line("plugin.go:70", "info", "device stream of '{}' closed")
NOT_ALLOCATED = Line("plugin.go:87", "error", "failed to allocate devices of '{}': {}")
ALLOCATED = Line("plugin.go:116", "info", "allocated devices of '{}': {}")
NOT_CHOSEN = Line("plugin.go:123", "error", "failed to choose devices of '{}': {}")
NOT_PREPARED = Line("plugin.go:141", "error", "failed to prepare devices of '{}': {}")
HEALTHY = Line("health.go:52", "info", "'{}' device marked healthy: {}")
UNHEALTHY = Line("health.go:63", "warning", "'{}' device marked unhealthy: {}")


def shaped(style: str, line: Line, values: tuple[object, ...], now: float) -> str:
    """A line as a library writes it at a moment, in seconds since the epoch."""
    message, level = line.text.format(*values), line.level
    moment = datetime.fromtimestamp(now, UTC)
    match style:
        case "json":
            fraction = f"{moment.microsecond:06}".rstrip("0")
            stamp = moment.strftime("%Y-%m-%dT%H:%M:%S") + (f".{fraction}" if fraction else "")
            body = {"level": level, "msg": message, "ts": f"{stamp}Z"}
            return _escaped(msgspec.json.encode(body, order="sorted").decode())
        case "logrus":
            stamp = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
            quoted = json.dumps(message, ensure_ascii=False)
            return f'time="{stamp}" level={level} msg={quoted}'
        case "klog":
            stamp = moment.strftime("%m%d %H:%M:%S.%f")
            return f"{level[0].upper()}{stamp}       1 {line.place}] {message}"
        case _:
            return moment.strftime("%Y/%m/%d %H:%M:%S ") + message


def _escaped(encoded: str) -> str:
    """Go's encoder writes three characters so that they are safe in HTML."""
    for char in "<>&":
        encoded = encoded.replace(char, f"\\u{ord(char):04x}")
    return encoded

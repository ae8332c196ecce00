"""The knobs of a device plugin: what it is, and what it does wrong.

Names, types and defaults are those of ``testbed/knobs.yaml``, which a test compares with the table
below. The twin obeys all of them that it can show; the others it reads and does nothing about.

Source: testbed/go/fakedriver/knobs.go and parse.go.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from bridgehead.twin.nodes.driver import durations

Value = Any
"""Of a knob: text, number, truth, list, or None for "not set"; durations are seconds."""


class Knob(NamedTuple):
    """One knob: its environment variable and how its value is read."""

    name: str
    env: str
    read: Callable[[str], Value]
    initial: str
    fault: bool
    """Whether it is obeyed only where the conditions ``onlyIfFile`` and ``onlyIfLabel`` hold."""


class InvalidKnobError(Exception):
    """A value that cannot be read; the process ends with exit code 2."""


def _text(value: str) -> str:
    return value


def _integer(value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise ValueError(f'strconv.Atoi: parsing "{value}": invalid syntax') from None


def _flag(value: str) -> bool:
    if value in {"1", "t", "T", "TRUE", "true", "True"}:
        return True
    if value in {"0", "f", "F", "FALSE", "false", "False"}:
        return False
    raise ValueError(f'strconv.ParseBool: parsing "{value}": invalid syntax')


def _list(value: str) -> list[Any]:
    try:
        return msgspec.json.decode(value.encode(), type=list[Any])
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None


def _choice(*allowed: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return value

    return read


def _optional(read: Callable[[str], Value]) -> Callable[[str], Value]:
    return lambda value: None if value == "" else read(value)


_SPAN = durations.seconds

_SETTINGS: tuple[tuple[str, str, Callable[[str], Value], str], ...] = (
    ("resource", "FAKE_RESOURCE", _text, "example.com/fake"),
    ("inventory", "FAKE_INVENTORY", _integer, "4"),
    ("idPrefix", "FAKE_ID_PREFIX", _text, "fake"),
    ("version", "FAKE_VERSION", _text, "dev"),
    ("nodeName", "NODE_NAME", _text, ""),
    ("socketDir", "FAKE_SOCKET_DIR", _text, "/var/lib/kubelet/device-plugins"),
    ("socketName", "FAKE_SOCKET_NAME", _choice("fixed", "unique"), "fixed"),
    ("discoverDir", "FAKE_DISCOVER_DIR", _text, ""),
    ("logFormat", "FAKE_LOG_FORMAT", _choice("klog", "json", "logrus", "plain"), "klog"),
    ("onlyIfFile", "FAKE_ONLY_IF_FILE", _text, ""),
    ("onlyIfLabel", "FAKE_ONLY_IF_LABEL", _text, ""),
)

_FAULTS: tuple[tuple[str, str, Callable[[str], Value], str], ...] = (
    ("devices", "FAKE_DEVICE_COUNT", _optional(_integer), ""),
    ("fewerDevices", "FAKE_FEWER_DEVICES", _integer, "0"),
    ("idLength", "FAKE_ID_LENGTH", _integer, "0"),
    ("discover", "FAKE_DISCOVER", _choice("once", "live"), "once"),
    ("numaNodes", "FAKE_NUMA_NODES", _list, "[]"),
    ("unhealthyAfter", "FAKE_UNHEALTHY_AFTER", _optional(_SPAN), ""),
    ("unhealthyDevices", "FAKE_UNHEALTHY_DEVICES", _optional(_integer), ""),
    ("unhealthyFor", "FAKE_UNHEALTHY_FOR", _optional(_SPAN), ""),
    ("unhealthyRepeats", "FAKE_UNHEALTHY_REPEATS", _flag, "false"),
    ("resourceSuffix", "FAKE_RESOURCE_SUFFIX", _text, ""),
    ("extraResources", "FAKE_EXTRA_RESOURCES", _list, "[]"),
    ("secondInstance", "FAKE_SECOND_INSTANCE", _optional(_integer), ""),
    ("secondInstanceAfter", "FAKE_SECOND_INSTANCE_AFTER", _SPAN, "0s"),
    ("registers", "FAKE_REGISTERS", _choice("normally", "late", "never"), "normally"),
    ("registerDelay", "FAKE_REGISTER_DELAY", _SPAN, "20s"),
    ("apiVersion", "FAKE_API_VERSION", _text, "v1beta1"),
    ("serveDir", "FAKE_SERVE_DIR", _text, ""),
    ("kubeletDir", "FAKE_KUBELET_DIR", _text, ""),
    ("optionsError", "FAKE_OPTIONS_ERROR", _text, ""),
    ("endStreamAfter", "FAKE_END_STREAM_AFTER", _optional(_SPAN), ""),
    (
        "onKubeletRestart",
        "FAKE_ON_KUBELET_RESTART",
        _choice("register", "ignore", "exit"),
        "register",
    ),
    ("socketAtStart", "FAKE_SOCKET_AT_START", _choice("remove", "keep"), "remove"),
    ("socketAtExit", "FAKE_SOCKET_AT_EXIT", _choice("remove", "keep"), "remove"),
    ("allocateError", "FAKE_ALLOCATE_ERROR", _text, ""),
    ("allocateHang", "FAKE_ALLOCATE_HANG", _flag, "false"),
    ("allocateDelay", "FAKE_ALLOCATE_DELAY", _SPAN, "0s"),
    ("allocateTakesDevice", "FAKE_ALLOCATE_TAKES_DEVICE", _flag, "false"),
    ("preferredAllocation", "FAKE_PREFERRED_ALLOCATION", _flag, "false"),
    ("preferredError", "FAKE_PREFERRED_ERROR", _text, ""),
    ("preStartError", "FAKE_PRE_START_ERROR", _text, ""),
    ("cdiKind", "FAKE_CDI_KIND", _text, ""),
    ("initFailure", "FAKE_INIT_FAILURE", _choice("none", "exit", "block", "retry"), "none"),
    ("initFailureFile", "FAKE_INIT_FAILURE_FILE", _text, ""),
    ("initFailureMessage", "FAKE_INIT_FAILURE_MESSAGE", _text, "driver library not found"),
    ("initExitCode", "FAKE_INIT_EXIT_CODE", _integer, "1"),
    ("apiCall", "FAKE_API_CALL", _choice("none", "listNodes", "listPods", "getNode"), "none"),
    ("crashAfter", "FAKE_CRASH_AFTER", _optional(_SPAN), ""),
    ("crashExitCode", "FAKE_CRASH_EXIT_CODE", _integer, "1"),
    ("crashMessage", "FAKE_CRASH_MESSAGE", _text, "device monitor stopped unexpectedly"),
    ("stopDelay", "FAKE_STOP_DELAY", _SPAN, "0s"),
    ("memoryGrowthMiB", "FAKE_MEMORY_GROWTH_MIB", _integer, "0"),
    ("memoryLimitMiB", "FAKE_MEMORY_LIMIT_MIB", _integer, "256"),
    ("runAsUser", "FAKE_RUN_AS_USER", _integer, "0"),
    ("logLines", "FAKE_LOG_LINES", _list, "[]"),
    ("logLinesAfter", "FAKE_LOG_LINES_AFTER", _SPAN, "0s"),
)

TABLE: Mapping[str, Knob] = {
    name: Knob(name, env, read, initial, fault)
    for fault, rows in ((False, _SETTINGS), (True, _FAULTS))
    for name, env, read, initial in rows
}
"""All knobs by name."""


class Knobs:
    """The knobs of one process, by name: ``knobs["devices"]``."""

    def __init__(self, values: Mapping[str, Value], given: frozenset[str]) -> None:
        self._values = values
        self.given = given
        """Names of those that somebody has set."""

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    @classmethod
    def read(cls, environment: Mapping[str, str], *, with_faults: bool) -> "Knobs":
        """From a process's environment; without faults each of them has its harmless default.

        An empty variable counts as unset. Raises InvalidKnobError.
        """
        values: dict[str, Value] = {}
        given = set()
        for knob in TABLE.values():
            text = knob.initial
            if (own := environment.get(knob.env)) and (with_faults or not knob.fault):
                text = own
                given.add(knob.name)
            try:
                values[knob.name] = knob.read(text)
            except ValueError as error:
                raise InvalidKnobError(f'invalid value "{text}" of {knob.env}: {error}') from None
        return cls(values, frozenset(given))


def environment(knobs: Mapping[str, Value]) -> dict[str, str]:
    """Knobs by name as environment variables, the way the image builder writes them.

    Raises KeyError for a name that no knob has.
    """
    result = {}
    for name, value in knobs.items():
        if value is not None:
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            result[TABLE[name].env] = text
    return result

"""Lines of logs that tell what keeps devices away, with their number and word for word.

The patterns of the plugin's family and those that all plugins share are found under their keys
(``core.components.signs``), and beside them some lines that are no faults. A line counts until a
later line of the same log takes it back: plugins try again, and what failed at the first attempt
says nothing once an attempt has succeeded.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from bridgehead.core.components import generic
from bridgehead.core.components.family import FAMILIES
from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, LogPattern
from bridgehead.core.diagnose.needles import needles_of
from bridgehead.core.findings.observed import Log
from bridgehead.core.journal.entry import Evidence


class Quote(msgspec.Struct, frozen=True):
    """The last line of its sort that nothing takes back: in which log, where, and how many there
    are. ``at`` is when it was written, in seconds since the epoch; None where that is not known."""

    key: str
    source: str
    text: str
    line: int
    times: int = 1
    at: float | None = None
    cause: str = ""

    @property
    def evidence(self) -> Evidence:
        """As a cause quotes it."""
        return Evidence(f"{self.source}:{self.line}", self.text)


MARKS = (
    LogPattern(REGISTERED, "the plugin has registered", key="registered"),
    LogPattern(
        r"kubelet\.sock created|kubelet (was |has )?restarted",
        "the plugin has noticed a kubelet restart",
        key="kubelet-back",
    ),
    LogPattern(
        r"device stream of '[^']+' closed|ListAndWatch\b.*\b(ended|closed?|EOF|broken)",
        "the stream of devices to the kubelet has ended",
        REGISTERED,
        key="stream-ended",
    ),
    LogPattern(
        r"\bdevices? (found|discovered): ?\S+|\bdiscovered device\b",
        "discovery lists a device",
        key="device-listed",
    ),
    LogPattern(
        r"missing RDMA device spec|no Rdma Devices|RDMA modules loaded\?",
        "devices are there and lack what the selector asks for",
        key="selector-missed",
    ),
    LogPattern(
        r"\b(card|device|board|fpga|shell)\b.*\breset\b(?! by peer)"
        r"|\breset (of |the )?(a |all )?(card|device|board|fpga)",
        "a card was reset",
        key="card-reset",
    ),
    LogPattern(
        "|".join(
            rf"/(?!var/lib/kubelet)\S+ .*\b{gone}\b"
            for gone in ("removed", "deleted", "recreated", "re-created", "disappeared")
        )
        + r"|/(?!var/lib/kubelet)\S+ does not exist",
        "the path of a device has gone",
        key="path-gone",
    ),
    LogPattern(
        r"failed to dial device plugin"
        r"|dial unix (?!\S*kubelet\.sock)\S+\.sock: connect: no such file",
        "the kubelet does not find the plugin's socket",
        REGISTERED,
        key="dial-back-failed",
    ),
)
"""Lines that are no faults of a family and tell something all the same."""

KUBELET = (
    LogPattern(
        r"ListAndWatch ended unexpectedly", "the stream of devices has ended", key="stream-ended"
    ),
    LogPattern(
        r"failed to dial device plugin|error.*dial.*device plugin",
        "the kubelet does not find the plugin's socket",
        key="dial-back-failed",
    ),
    LogPattern(
        r"failed to get device plugin options|GetDevicePluginOptions",
        "the plugin fails to tell its options",
        key="options-refused",
    ),
    LogPattern(
        r"requested API version .* not supported",
        "plugin and kubelet speak other versions of the plugin API",
        key="plugin-api-versions-differ",
    ),
    LogPattern(
        r"the ResourceName .* is invalid", "the name is refused", key="resource-name-refused"
    ),
    LogPattern(
        r"(registration|device plugin).*serve.*(fail|error|closed)|failed to serve device plugin",
        "the registration server has ended",
        key="server-ended",
    ),
)
"""Lines of the kubelet's own log."""


def patterns_of(family: Family) -> tuple[LogPattern, ...]:
    """What is looked for in the log of a plugin of this family.

    An image of no known family may still be a vendor's plugin under a name of one's own, so the
    words of all of them count there.
    """
    own = family.faults
    if family.name == generic.FAMILY.name:
        own = tuple(fault for each in FAMILIES for fault in each.faults)
    return tuple(dict.fromkeys((*MARKS, *own, *generic.FAULTS)))


def quotes_in(
    logs: Iterable[tuple[str, Log]], patterns: tuple[LogPattern, ...]
) -> Mapping[str, Quote]:
    """The telling lines of logs, by their key; the logs in the order of time."""
    found: dict[str, Quote] = {}
    for source, log in logs:
        lowered = [line.lower() for line in log.lines]
        whole = "\n".join(lowered)
        asked = [
            item
            for item in _compiled(patterns)
            if item.pattern.key in found or item.may_be_in(whole)
        ]
        for index, line in enumerate(log.lines if asked else ()):
            low = lowered[index]
            for item in asked:
                key = item.pattern.key
                if key in found and item.cures(line, low):
                    del found[key]
                if item.matches(line, low):
                    at = log.times[index] if index < len(log.times) else None
                    times = found[key].times + 1 if key in found else 1
                    number = log.number_of(index)
                    found[key] = Quote(key, source, line, number, times, at, item.pattern.cause)
    return found


def lines_in(
    logs: Iterable[tuple[str, Log]], patterns: tuple[LogPattern, ...], key: str
) -> tuple[Quote, ...]:
    """Every line that shows one sign, in order, not the last one alone; what takes a sign back
    takes back all lines before it."""
    found: list[Quote] = []
    asked = [item for item in _compiled(patterns) if item.pattern.key == key]
    for source, log in logs:
        for index, line in enumerate(log.lines):
            low = line.lower()
            if found and any(item.cures(line, low) for item in asked):
                found.clear()
            shown = next((item for item in asked if item.matches(line, low)), None)
            if shown is not None:
                at = log.times[index] if index < len(log.times) else None
                number = log.number_of(index)
                found.append(Quote(key, source, line, number, at=at, cause=shown.pattern.cause))
    return tuple(found)


class _Sought(msgspec.Struct, frozen=True):
    """A pattern ready to be looked for, with the words that a line must have for it."""

    pattern: LogPattern
    regex: re.Pattern[str]
    needles: tuple[str, ...]
    cure: re.Pattern[str] | None
    cure_needles: tuple[str, ...]

    def may_be_in(self, low: str) -> bool:
        return not self.needles or any(needle in low for needle in self.needles)

    def matches(self, line: str, low: str) -> bool:
        return self.may_be_in(low) and self.regex.search(line) is not None

    def cures(self, line: str, low: str) -> bool:
        if self.cure is None:
            return False
        if self.cure_needles and not any(needle in low for needle in self.cure_needles):
            return False
        return self.cure.search(line) is not None


@lru_cache(maxsize=32)
def _compiled(patterns: tuple[LogPattern, ...]) -> tuple[_Sought, ...]:
    return tuple(
        _Sought(
            item,
            re.compile(item.regex, re.IGNORECASE),
            needles_of(item.regex),
            re.compile(item.cured_by, re.IGNORECASE) if item.cured_by else None,
            needles_of(item.cured_by),
        )
        for item in patterns
        if item.key
    )


_NAME = re.compile(r"['\"]([a-z0-9][a-z0-9.-]*/[A-Za-z0-9][\w.-]*)['\"]")
_SPEAKS = re.compile(r"regist|serving|device pool|device plugin|resource", re.IGNORECASE)


def names_in(logs: Iterable[Log]) -> tuple[str, ...]:
    """Resource names that a plugin's log gives in quotation marks, sorted."""
    lines = (line for log in logs for line in log.lines if _SPEAKS.search(line))
    return tuple(sorted({name for line in lines for name in _NAME.findall(line)}))

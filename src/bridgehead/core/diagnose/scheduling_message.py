"""What the scheduler says of a pod that fits nowhere, taken apart.

    0/5 nodes are available: 1 node(s) had untolerated taint {gpu: yes}, 4 Insufficient x/y.
    preemption: 0/5 nodes are available: ...

A node is counted under its first failing check; where that is its room, under everything that it
is short of, so that counts may add up to more than the nodes. Kubernetes 1.30 names the taint, 1.37
does not. Sources: FitError.Error in pkg/scheduler/framework/types.go, fit.go and the reasons
of the other plugins, Kubernetes 1.30.14 and 1.37.2; the messages of 1.37.2 as a cluster wrote them.
"""

import re
from enum import Enum

import msgspec

_WHOLE = re.compile(r"0/(?P<nodes>\d+) nodes are available: ?(?P<rest>.*)", re.DOTALL)
# What plugins after the filters add; all but preemption are words of dynamicresources.
_AFTER = re.compile(
    r"(?:^|\. ?|, )(?=(?:pod group )?preemption: |no new claims to |still not schedulable"
    r"|deallocation (?:of|and) )"
)
_COUNTED = re.compile(r"(?P<count>\d+) (?P<reason>.+)", re.DOTALL)
_BETWEEN = re.compile(r", (?=\d+ )")
_INSUFFICIENT = re.compile(r"Insufficient (?P<resource>\S+)")
_TAINT = re.compile(r"(?:untolerated taint|had taint) \{(?P<key>[^:}]+): ?(?P<value>[^}]*)\}")


class Check(Enum):
    """The check of the scheduler that a node fails; in the order in which they are made."""

    CORDON = "cordoned"
    TAINT = "taint"
    SELECTION = "node selector or affinity"
    PORTS = "host ports"
    ROOM = "room"
    VOLUMES = "volumes"
    OTHER_PODS = "other pods"
    CLAIMS = "resource claims"
    OTHER = "another check"


_WORDS = (
    ("were unschedulable", Check.CORDON),
    ("untolerated taint", Check.TAINT),
    ("had taint", Check.TAINT),
    ("node affinity/selector", Check.SELECTION),
    ("scheduler-enforced node affinity", Check.SELECTION),
    ("requested node name", Check.SELECTION),
    ("[NodeAffinity]", Check.SELECTION),
    ("free ports", Check.PORTS),
    ("Insufficient ", Check.ROOM),
    ("Too many pods", Check.ROOM),
    ("volume", Check.VOLUMES),
    ("available disk", Check.VOLUMES),
    ("pvc(s)", Check.VOLUMES),
    ("PersistentVolume", Check.VOLUMES),
    ("free storage", Check.VOLUMES),
    ("topology spread", Check.OTHER_PODS),
    ("affinity rules", Check.OTHER_PODS),
    ("claim", Check.CLAIMS),
)


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """So many nodes fail one check; ``resource`` and ``taint`` where the text names them."""

    count: int
    reason: str
    check: Check
    resource: str = ""
    taint: str = ""


class SchedulingMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A whole message: ``before`` what a plugin said before nodes were looked at, ``after`` what
    became of preemption and of claims."""

    nodes: int
    kept: tuple[Kept, ...] = ()
    before: str = ""
    after: str = ""

    def short_of(self, resource: str) -> int:
        """Nodes that lack room for the resource, as far as their other checks were passed."""
        return sum(item.count for item in self.kept if item.resource == resource)

    def by(self, check: Check) -> int:
        """Nodes counted under a check."""
        return sum(item.count for item in self.kept if item.check is check)


def parse_scheduling_message(text: str) -> SchedulingMessage | None:
    """The message of a FailedScheduling event or PodScheduled condition; None for another text."""
    whole = _WHOLE.match(text.strip())
    if whole is None:
        return None
    rest = whole["rest"]
    after = _AFTER.search(rest)
    body = (rest[: after.start()] if after else rest).strip().removesuffix(".")
    parts = [_COUNTED.fullmatch(part) for part in _BETWEEN.split(body)] if body else []
    counted = [part for part in parts if part is not None]
    if len(counted) < len(parts):
        counted, before = [], body
    else:
        before = ""
    return SchedulingMessage(
        nodes=int(whole["nodes"]),
        kept=tuple(_kept(int(part["count"]), part["reason"]) for part in counted),
        before=before,
        after=rest[after.end() :].strip() if after else "",
    )


def _kept(count: int, reason: str) -> Kept:
    check = next((check for word, check in _WORDS if word in reason), Check.OTHER)
    short, taint = _INSUFFICIENT.match(reason), _TAINT.search(reason)
    written = "=".join(filter(None, (taint["key"], taint["value"]))) if taint else ""
    return Kept(
        count=count,
        reason=reason,
        check=check,
        resource=short["resource"] if short else "",
        taint=written,
    )

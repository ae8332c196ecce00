"""When a node and its kubelet began, as events and conditions tell.

Around such a start all devices of a node go and come back: no value in the minute after it is a
verdict (kubernetes#114422).
"""

from collections.abc import Iterable, Mapping

import msgspec

from bridgehead.core.findings.observed import Event
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonObject, children, text
from bridgehead.core.model.times import epoch


class Start(msgspec.Struct, frozen=True):
    """A start of a kubelet, and what tells of it."""

    at: float
    evidence: Evidence
    sure: bool = True
    """False where the time is that of a condition, which changes for other reasons too."""


def starts_of(events: Iterable[Event], nodes: Iterable[JsonObject]) -> Mapping[str, Start]:
    """The last start of each node's kubelet; nodes without any trace of one are left out.

    Events are kept for an hour; after that the Ready condition's last change is the latest time at
    which the kubelet can have been away for long, and a weaker sign.
    """
    found: dict[str, Start] = {}
    for item in nodes:
        name = text(item, "metadata", "name")
        for condition in children(item, "status", "conditions"):
            at = epoch(text(condition, "lastTransitionTime"))
            if at is None or text(condition, "type") != "Ready":
                continue
            if text(condition, "status") == "True":
                said = f"Ready since {text(condition, 'lastTransitionTime')}"
                found[name] = Start(at, Evidence(f"condition Ready of node {name}", said), False)
    for event in events:
        if event.kind != "Node" or not event.last or not _is_start(event):
            continue
        before = found.get(event.name)
        if before is None or not before.sure or event.last > before.at:
            found[event.name] = Start(event.last, Evidence(event.source, event.message))
    return found


def _is_start(event: Event) -> bool:
    """The kubelet says that it starts, or sees that its node has booted."""
    return event.reason == "Rebooted" or (
        event.reason == "Starting" and "kubelet" in event.message.lower()
    )

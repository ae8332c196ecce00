"""Proof for a gate's answer: the log line or event that shows it, quoted."""

from functools import lru_cache

from bridgehead.core.components.family import KnownFault, known_fault
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.pod import Container, Pod
from bridgehead.core.verify.view import Expected, NodeView


@lru_cache(maxsize=256)
def fault_in(family: str, log: str, *, counts: bool = True) -> KnownFault | None:
    """The known fault in a log; remembered, as the same log is judged at every look at its node."""
    return known_fault(family, log, counts=counts)


def proof(view: NodeView, expected: Expected) -> tuple[Evidence, ...]:
    """What best explains a node that is not as it should be, strongest first, at most three."""
    pod = view.successor(expected.deleted)
    found = [*_log(view, expected, pod), *_events(view), *_states(pod)]
    return tuple(found[:3])


def _log(view: NodeView, expected: Expected, pod: Pod | None) -> list[Evidence]:
    """The line of a known fault, else the last line: plugins say why they stop as they stop."""
    if not view.log or not view.log.strip():
        return []
    source = f"log of pod {pod.ref}" if pod else "log"
    fault = fault_in(expected.family, view.log)
    line = fault.line if fault else view.last_words or view.log.strip().splitlines()[-1]
    return [Evidence(source, line.strip())]


def _events(view: NodeView) -> list[Evidence]:
    warnings = [event for event in view.events if event.type == "Warning"]
    latest = max(warnings, key=lambda event: event.at, default=None)
    return [Evidence(f"event {latest.reason}", latest.message)] if latest else []


def _states(pod: Pod | None) -> list[Evidence]:
    if pod is None:
        return []
    return [
        Evidence(f"container {item.name} of pod {pod.ref}", described)
        for item in pod.containers
        if (described := _described(item))
    ]


def _described(item: Container) -> str:
    if item.last_exit_code is not None:
        detail = f": {item.last_message}" if item.last_message else ""
        return f"ended with exit code {item.last_exit_code} ({item.last_reason}){detail}"
    if item.state in {"waiting", "terminated"} and item.reason:
        return f"{item.reason}: {item.message}" if item.message else item.reason
    return ""

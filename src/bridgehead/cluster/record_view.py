"""What a runner sees of its own run's record: what people ask of it, and whether it is as it was.

The record is what every later runner rests on, and the place where people write requests. A runner
that sees it changed in any other way says so instead of going on by what only itself still knows.
"""

import msgspec

from bridgehead.cluster.errors import UnreadableRunError
from bridgehead.cluster.record import Record, record_object, record_of
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.control import (
    Request,
    UnreadableRequestError,
    readable,
    requests,
)
from bridgehead.kube.objects.cluster import ConfigMap


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """The record at one moment."""

    control: tuple[Request, ...]
    """All requests, or those last read where they cannot be read any more."""
    trouble: str = ""
    """What is wrong with it, in words; empty while it is as it was."""
    unread: str = ""
    """Which line among the requests cannot be read; the others are read all the same."""


class RecordView:
    """Compares each state of the record with what the runner has loaded, and with the one before.

    ``control`` may only grow: a request that was read and is gone has been taken away.
    """

    def __init__(self, record: Record, namespace: str, noted: int = 0) -> None:
        """``noted`` is how many requests the run's journal holds already."""
        self._noted = noted
        self._loaded = _as_read(record)
        self._name = f"the record of run {record.run} (configmap {namespace}/{record.run})"
        self._expected: dict[str, str] = record_object(record, namespace)["data"]
        self._control = "" if _unread(record.control) else record.control
        self._requests: tuple[Request, ...] = ()

    def look(self, found: ConfigMap) -> Seen:
        """The record as it is now."""
        trouble = self._edited(found) or self._asked(found.data.get("control", ""))
        unread = _unread(found.data.get("control", ""))
        where = f"{self._name}: {unread}" if unread else ""
        return Seen(control=self._requests, trouble=trouble, unread=where)

    def gone(self) -> Seen:
        """There is no record any more."""
        return Seen(control=self._requests, trouble=f"{self._name} was deleted")

    def _edited(self, found: ConfigMap) -> str:
        try:
            read = record_of(found)
        except UnreadableRunError as error:
            return f"{self._name} was edited: {error}"
        keys = [
            name
            for name, value in self._expected.items()
            if name != "control" and found.data.get(name) != value
        ]
        if read.plan != self._loaded.plan:
            keys.append("the plan")
        return f"{self._name} was edited: {', '.join(keys)} changed" if keys else ""

    def _asked(self, control: str) -> str:
        asked = readable(control)
        if not control.startswith(self._control) or len(asked) < self._noted:
            return f"{self._name} was edited: requests that were there before are gone or changed"
        self._requests = asked
        if not _unread(control):  # who takes the unreadable line out again takes no request away
            self._control = control
        return ""


def _unread(control: str) -> str:
    try:
        requests(control)
    except UnreadableRequestError as error:
        return str(error)
    return ""


def _as_read(record: Record) -> Record:
    """The record as it reads back: whoever made the plan may have used other types of sequences."""
    plan = msgspec.json.decode(msgspec.json.encode(record.plan), type=Plan)
    return msgspec.structs.replace(record, plan=plan)

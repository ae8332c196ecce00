"""What a run did to a cluster, read from lines: the audit log's, and those of a watch of its pods.

The audit log says who wrote what; the watch says in which order pods went and came.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

from testbed.api import Object

_REVIEWS = "selfsubject"


@dataclass(frozen=True)
class Write:
    """A request that may change the cluster, as the API server answered it."""

    at: float
    """When it arrived, in seconds since the epoch."""
    user: str
    verb: str
    resource: str
    namespace: str
    name: str
    code: int
    asks: bool
    """Whether it is a dry-run or a review: the API server answers and stores nothing."""
    body: Any = None
    """What was sent, where the audit log keeps it."""

    @property
    def stored(self) -> bool:
        """Whether it changed the cluster."""
        return self.code < 300 and not self.asks


@dataclass(frozen=True)
class PodSeen:
    """One state of a pod."""

    name: str
    uid: str
    role: str
    """Its label ``app``: ``plugin`` or ``holder``; empty for others."""
    node: str
    ready: bool
    leaving: bool
    """Whether somebody has deleted it, or it is gone."""
    restarts: int


def writes(lines: Iterable[str], users: Collection[str]) -> list[Write]:
    """The writes of these users, in the order in which they arrived."""
    marks = [json.dumps(user) for user in users]
    events = (json.loads(line) for line in lines if any(mark in line for mark in marks))
    found = [_write(event) for event in events if event["user"]["username"] in users]
    return sorted(found, key=lambda write: write.at)


def _write(event: Object) -> Write:
    target = event["objectRef"]
    query = parse_qs(urlsplit(event["requestURI"]).query)
    return Write(
        at=datetime.fromisoformat(event["requestReceivedTimestamp"]).timestamp(),
        user=event["user"]["username"],
        verb=event["verb"],
        resource=target["resource"],
        namespace=target.get("namespace", ""),
        name=target.get("name", ""),
        code=event["responseStatus"]["code"],
        asks="dryRun" in query or target["resource"].startswith(_REVIEWS),
        body=event.get("requestObject"),
    )


def pods(events: Iterable[Object]) -> list[PodSeen]:
    """The states of pods in the order in which they came to be."""
    return [_pod(event["type"], event["object"]) for event in events]


def _pod(kind: str, item: Object) -> PodSeen:
    metadata, status = item["metadata"], item.get("status", {})
    conditions = {found["type"]: found["status"] for found in status.get("conditions", [])}
    return PodSeen(
        name=metadata["name"],
        uid=metadata["uid"],
        role=metadata.get("labels", {}).get("app", ""),
        node=item["spec"].get("nodeName", ""),
        ready=conditions.get("Ready") == "True",
        leaving=kind == "DELETED" or "deletionTimestamp" in metadata,
        restarts=sum(found["restartCount"] for found in status.get("containerStatuses", [])),
    )

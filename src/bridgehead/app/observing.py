"""API objects and logs, however they were come by, become what rules see."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from bridgehead.app.recorded import snapshot_of
from bridgehead.core.findings.needs import KINDS, Need
from bridgehead.core.findings.observed import (
    Log,
    LogId,
    NodeEvidence,
    Observed,
    Reading,
    event_of,
)
from bridgehead.core.findings.verdicts import RunVerdicts
from bridgehead.core.model.json import JsonObject, child, children, text, texts
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.model.times import epoch
from bridgehead.sources.embedded import embedded_in


def observed_from(
    objects: Sequence[JsonObject],
    *,
    at: float,
    server: str = "",
    logs: Mapping[LogId, Log] | None = None,
    complete: Iterable[str] = (),
    unread: Sequence[Unread] = (),
    more_pods: Sequence[Pod] = (),
) -> Observed:
    """Everything that rules see. ``complete`` are the kinds of which all objects are given.

    ``logs`` is None where none were read, which is not the same as none being there. ``more_pods``
    are pods of which only the noun is kept.
    """
    by_kind: dict[str, list[JsonObject]] = {}
    for item in objects:
        by_kind.setdefault(text(item, "kind"), []).append(item)
    for items in by_kind.values():
        items.sort(key=_names)
    snapshot = snapshot_of(objects, at=at, server=server)
    return Observed(
        snapshot=_in_order(snapshot, more_pods),
        objects={kind: tuple(items) for kind, items in sorted(by_kind.items())},
        events=tuple(event_of(item) for item in by_kind.get("Event", ())),
        logs=dict(logs or {}),
        evidence={
            found.node: found for item in by_kind.get("NodeEvidence", ()) for found in [_node(item)]
        },
        history=tuple(_readings(by_kind.get("DeviceHistory", ()))),
        verdicts=_verdicts(by_kind.get("RunVerdicts", ())),
        met=_met(frozenset(complete), logs is not None),
        unread=(*unread, *snapshot.unread),
        documents={
            (*_names(item), key): found.value
            for item in by_kind.get("ConfigMap", ())
            for key, found in sorted(embedded_in(item).items())
            if not found.problem
        },
    )


def _in_order(snapshot: Snapshot, more_pods: Sequence[Pod]) -> Snapshot:
    """The same whatever the order in which it was read."""
    return msgspec.structs.replace(
        snapshot,
        nodes=tuple(sorted(snapshot.nodes, key=lambda item: item.name)),
        pods=tuple(sorted((*snapshot.pods, *more_pods), key=lambda item: item.ref)),
        components=tuple(sorted(snapshot.components, key=lambda item: item.ref)),
        revisions=tuple(sorted(snapshot.revisions, key=lambda item: item[0])),
    )


def _met(complete: frozenset[str], with_logs: bool) -> frozenset[Need]:
    found = {need for need, kinds in KINDS.items() if any(kind in complete for kind in kinds)}
    return frozenset(found | {Need.LOGS} if with_logs else found)


def _names(item: JsonObject) -> tuple[str, str]:
    return text(item, "metadata", "namespace"), text(item, "metadata", "name")


def _readings(items: Iterable[JsonObject]) -> Iterable[Reading]:
    """``DeviceHistory``: readings of {time, node, resource, capacity, allocatable}."""
    for item in items:
        for entry in children(item, "readings"):
            at = epoch(text(entry, "time"))
            if at is not None:
                yield Reading(
                    at=at,
                    node=text(entry, "node"),
                    resource=text(entry, "resource"),
                    capacity=_count(entry, "capacity"),
                    allocatable=_count(entry, "allocatable"),
                )


def _verdicts(items: Sequence[JsonObject]) -> RunVerdicts:
    """``RunVerdicts``: the fields of ``core.findings.verdicts.RunVerdicts``; of one run."""
    found = items[0] if items else {}
    failed = child(found, "failed")
    gates = failed if isinstance(failed, dict) else {}
    back = found.get("formerBack")
    return RunVerdicts(
        component=text(found, "component"),
        failed={node: text(gates, node) for node in gates},
        former_back=frozenset(map(str, back)) if isinstance(back, list) else frozenset(),
    )


def _count(entry: JsonObject, name: str) -> int | None:
    value = entry.get(name)
    return value if isinstance(value, int) else None


def _node(item: JsonObject) -> NodeEvidence:
    """``NodeEvidence``: the fields of ``core.findings.observed.NodeEvidence`` below ``status``."""
    status = child(item, "status") or {}
    checkpoint = child(status, "checkpoint")
    log = _texts(status, "kubeletLog")
    return NodeEvidence(
        node=text(item, "metadata", "name"),
        at=epoch(text(status, "at")) or 0.0,
        sockets=_texts(status, "sockets"),
        registry=_texts(status, "registry"),
        checkpoint=checkpoint if isinstance(checkpoint, Mapping) else None,
        cdi=texts(status, "cdi") if child(status, "cdi") is not None else None,
        devices=_texts(status, "devices"),
        modules=_texts(status, "modules"),
        kubelet_log=None if log is None else Log(log),
    )


def _texts(status: object, name: str) -> tuple[str, ...] | None:
    found = status.get(name) if isinstance(status, Mapping) else None
    if not isinstance(found, Sequence) or isinstance(found, str):
        return None
    return tuple(str(item) for item in found)


def with_logs(observed: Observed, logs: Mapping[LogId, Log], unread: Iterable[Unread]) -> Observed:
    """The same with its logs, and what of them could not be read."""
    return msgspec.structs.replace(
        observed,
        logs=dict(logs),
        met=observed.met | {Need.LOGS},
        unread=(*observed.unread, *unread),
    )

"""What must hold of every run, however often it was interrupted. Pure: lines in, complaints out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bridgehead.core.journal.entry import Entry, Phase
from bridgehead.core.model.json import text
from tests.chaos.lines import PodSeen, Write

CHANGED = frozenset({"daemonsets", "nodes", "pods"})
"""What a run changes, beside its own state."""
AGAIN = frozenset({"unchanged", "disturbed"})
"""Findings after which a node's turn comes once more."""


@dataclass(frozen=True)
class Bounds:
    """What a run may touch, and how much of it at a time."""

    namespaces: frozenset[str]
    """Those of the component and of the run's state."""
    nodes: Mapping[str, str]
    """The cohort of each node; a cohort may have one node in the gap at a time."""
    parallel: int


def broken(
    bounds: Bounds, done: Sequence[Write], seen: Sequence[PodSeen], entries: Sequence[Entry]
) -> list[str]:
    """Everything that did not hold; empty where all is well."""
    return [
        *outside(bounds, done),
        *crowded(bounds, done, seen),
        *deleted_twice(done, seen),
        *repeated(done, seen, entries),
        *left_cordoned(done),
        *lost_holders(seen),
    ]


def outside(bounds: Bounds, done: Iterable[Write]) -> Iterator[str]:
    """Writes to anything that is not of this run."""
    for write in done:
        if not write.stored:
            continue
        ours = write.name in bounds.nodes if write.resource == "nodes" else None
        if ours is None:
            ours = write.namespace in bounds.namespaces
        if not ours:
            where = f"{write.namespace}/{write.name}" if write.namespace else write.name
            yield f"{write.user} wrote outside the run: {write.verb} {write.resource} {where}"


def crowded(bounds: Bounds, done: Iterable[Write], seen: Iterable[PodSeen]) -> Iterator[str]:
    """Moments with more nodes in the gap than allowed, in all or of a cohort.

    A node is in the gap from the deletion of its plugin pod by the run until another one is Ready.
    """
    ours = {write.name for write in done if _is_deletion(write)}
    gap: dict[str, str] = {}
    for pod in seen:
        if pod.role != "plugin":
            continue
        if pod.leaving and pod.name in ours and pod.node not in gap:
            # The states of a pod that is on its way out go on for a while.
            gap[pod.node] = pod.uid
            ours.discard(pod.name)
            cohorts = {bounds.nodes.get(node, node) for node in gap}
            if len(gap) > min(bounds.parallel, len(cohorts)):
                yield f"{len(gap)} nodes in the gap at a time ({', '.join(sorted(gap))})"
        elif pod.leaving:
            ours.discard(pod.name)
        elif pod.ready and gap.get(pod.node, pod.uid) != pod.uid:
            del gap[pod.node]
    for node in sorted(gap):
        yield f"the plugin of {node} did not come back"


def deleted_twice(done: Iterable[Write], seen: Iterable[PodSeen]) -> Iterator[str]:
    """Pods for which more than one deletion was accepted."""
    uids: dict[str, set[str]] = {}
    for pod in seen:
        uids.setdefault(pod.name, set()).add(pod.uid)
    counts = Counter(write.name for write in done if _is_deletion(write))
    for name, count in sorted(counts.items()):
        # Pods of our own have the same name in each pass of a node.
        if count > len(uids.get(name, {""})):
            yield f"{len(uids.get(name, ()))} pods {name} were deleted {count} times"


def repeated(
    done: Iterable[Write], seen: Iterable[PodSeen], entries: Iterable[Entry]
) -> Iterator[str]:
    """Nodes whose plugin pod was deleted more than once for the same purpose.

    Once more is right only after the journal says that the node came out of it unchanged, or that
    somebody else undid it. A deletion that no intent announced is wrong at any time.
    """
    entries = tuple(entries)
    purposes = _purposes(entries)
    uids = {pod.name: pod.uid for pod in seen if pod.role == "plugin"}
    counts: Counter[tuple[str, str]] = Counter()
    for write in done:
        if not _is_deletion(write) or write.name not in uids:
            continue
        announced = purposes.get(uids[write.name])
        if announced is None:
            yield f"no record announces the deletion of {write.name}"
        else:
            counts[announced] += 1
    again = Counter(entry.node for entry in entries if entry.result in AGAIN)
    for (node, purpose), count in sorted(counts.items()):
        if count > 1 + again[node]:
            yield f"the plugin pod of {node} was deleted {count} times for: {purpose}"


def _purposes(entries: Iterable[Entry]) -> dict[str, tuple[str, str]]:
    """Node and purpose of each deletion that was announced, by the pod's uid."""
    current: dict[str, str] = {}
    found: dict[str, tuple[str, str]] = {}
    for entry in entries:
        if entry.phase is not Phase.INTENT:
            continue
        if entry.step == "cordon":
            current[entry.node] = text(entry.detail, "purpose")
        elif entry.step == "delete-pod":
            uid = text(entry.detail, "uid")
            found.setdefault(uid, (entry.node, current.get(entry.node, "")))
    return found


def left_cordoned(done: Iterable[Write]) -> Iterator[str]:
    """Nodes that were cordoned and not given back, or given back without having been cordoned."""
    cordoned: set[str] = set()
    for write in done:
        if write.resource != "nodes" or not write.stored:
            continue
        wanted = (write.body or {}).get("spec", {}).get("unschedulable")
        if wanted is True:
            cordoned.add(write.name)
        elif wanted is False and write.name not in cordoned:
            yield f"{write.user} uncordoned {write.name}, which this run had not cordoned"
        elif wanted is False:
            cordoned.discard(write.name)
    for node in sorted(cordoned):
        yield f"{node} was cordoned and never uncordoned"


def lost_holders(seen: Iterable[PodSeen]) -> Iterator[str]:
    """Workloads that hold devices and were deleted or restarted."""
    told: set[str] = set()
    for pod in seen:
        if pod.role == "holder" and (pod.leaving or pod.restarts) and pod.name not in told:
            told.add(pod.name)
            yield f"workload {pod.name} {'was deleted' if pod.leaving else 'restarted'}"


def sent(done: Iterable[Write], user: str) -> list[Write]:
    """What a user sent to change the component, nodes and pods, whatever came of it."""
    return [
        write
        for write in done
        if write.user == user and write.resource in CHANGED and not write.asks
    ]


def _is_deletion(write: Write) -> bool:
    return (write.verb, write.resource) == ("delete", "pods") and write.stored

"""What nodes offered before: of a recorded state, and as the last runs of plugins noted it."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from bridgehead.app.recorded import read_recorded
from bridgehead.cluster.errors import ClusterError
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import Entry, stamp
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.problem import Problem
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.rollout.transition import UnknownRecordError, fold
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden

API_VERSION = "bridgehead.dev/v1"


class Baseline(msgspec.Struct, frozen=True):
    """Earlier readings, what is wrong with their files, and what of nodes is not in them."""

    history: JsonObject
    problems: tuple[Problem, ...] = ()
    unread: tuple[Unread, ...] = ()


def baseline_of(path: Path) -> Baseline:
    """A saved inventory or recorded state as earlier readings. Raises what reading it raises.

    Of all that is not in it only nodes matter: they say what was offered.
    """
    state = read_recorded(path)
    lacking = (item for item in state.snapshot.unread if item.what.partition(" ")[0] == "nodes")
    return Baseline(
        history_in(state.snapshot, path.name),
        state.problems,
        tuple(Unread(f"baseline: {item.what}", item.why) for item in lacking),
    )


def history_of(path: Path) -> JsonObject:
    """The readings alone."""
    return baseline_of(path).history


def history_in(snapshot: Snapshot, name: str) -> JsonObject:
    """The readings of one moment."""
    offers = {node.name: node.offers for node in snapshot.nodes}
    return _history(name, [(snapshot.at, offers)])


async def history_of_last_runs(
    kube: Kube, state_namespace: str, component: str = ""
) -> tuple[JsonObject, ...]:
    """What the last run of the component, or of each, measured of its nodes before it touched them.

    A run that cannot be read, or may not be, tells nothing: there is history without it, too.
    """
    store = RunStore(kube, state_namespace)
    try:
        last = {item.component: item.run for item in await store.list_runs()}
    except Forbidden:
        return ()
    found: list[JsonObject] = []
    for ref, name in sorted(last.items()):
        if component in ("", ref):
            with suppress(ClusterError, Forbidden, UnknownRecordError):
                found.append(_of_run(name, await store.entries(name)))
    return tuple(found)


def _of_run(name: str, entries: Sequence[Entry]) -> JsonObject:
    """Baselines at the times of their records."""
    state = fold(entries)
    first = {entry.node: entry.at for entry in reversed(entries) if entry.node}
    return _history(
        name,
        [
            (first[node.name], {node.name: node.baseline.offers})
            for node in state.nodes.values()
            if node.baseline is not None and node.name in first
        ],
    )


def _history(
    name: str, moments: Iterable[tuple[float, Mapping[str, Mapping[str, Offer]]]]
) -> JsonObject:
    readings: list[JsonObject] = [
        {
            "time": stamp(at),
            "node": node,
            "resource": resource,
            "capacity": offer.capacity,
            "allocatable": offer.allocatable,
        }
        for at, nodes in moments
        for node, offers in sorted(nodes.items())
        for resource, offer in sorted(offers.items())
    ]
    return {
        "apiVersion": API_VERSION,
        "kind": "DeviceHistory",
        "metadata": {"name": name},
        "readings": readings,
    }

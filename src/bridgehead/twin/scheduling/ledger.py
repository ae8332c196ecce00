"""What is on each node, kept up with every write: nobody counts all pods for one pod.

Source of what counts: k8s.io/kubernetes/pkg/scheduler/backend/cache (1.37).
"""

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

import msgspec

from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object, fields, items, name_of, namespace_of, text
from bridgehead.twin.pods import PODS, is_finished
from bridgehead.twin.scheduling.demand import CPU, MEMORY, Demand, amounts, demand_of
from bridgehead.twin.store import Change, Key, Store

NODES = Stored("", "nodes")


class Seat(msgspec.Struct, frozen=True):
    """A pod on a node."""

    pod: Object
    demand: Demand

    @property
    def priority(self) -> int:
        """The larger, the more important."""
        return priority_of(self.pod)

    @property
    def shuns(self) -> bool:
        """Whether it keeps other pods off."""
        return bool(required(self.pod, "podAntiAffinity"))


class Account(msgspec.Struct):
    """One node: what it has and what is taken."""

    name: str
    node: Object | None = None
    """None while the node itself is not there, though pods name it."""
    allocatable: dict[str, int] = {}
    seats: dict[Key, Seat] = {}
    requested: dict[str, int] = {}
    assumed: dict[str, int] = {}
    """Of processor and memory with something for containers that ask for nothing."""
    ports: Counter[tuple[str, str, int]] = msgspec.field(default_factory=Counter)
    nominated: dict[Key, Seat] = {}
    """Pods that wait for room on it which was made for them."""

    def sit(self, key: Key, seat: Seat) -> None:
        """Count a pod."""
        self.seats[key] = seat
        self._count(seat.demand, 1)

    def leave(self, key: Key) -> None:
        """Count a pod no longer."""
        self._count(self.seats.pop(key).demand, -1)

    def without(self, gone: set[Key]) -> "Account":
        """The same node as it would be without some pods."""
        other = Account(self.name, self.node, self.allocatable, nominated=self.nominated)
        for key, seat in self.seats.items():
            if key not in gone:
                other.sit(key, seat)
        return other

    def _count(self, demand: Demand, sign: int) -> None:
        for name, amount in demand.requests.items():
            self.requested[name] = self.requested.get(name, 0) + sign * amount
        for name in (CPU, MEMORY):
            self.assumed[name] = self.assumed.get(name, 0) + sign * demand.assumed[name]
        for port in demand.ports:
            self.ports[port] += sign


class Ledger:
    """The accounts of all nodes."""

    def __init__(self, store: Store) -> None:
        self.accounts: dict[str, Account] = {}
        self.changes = 0
        """How often an account has changed since the beginning."""
        self._changed: OrderedDict[str, int] = OrderedDict()
        """By node, which of the changes was its last one; the latest at the end."""
        self._seats: dict[Key, str] = {}
        self._nominated: dict[Key, str] = {}
        self._store = store
        self.nodes = 0
        """How many nodes there are."""
        self.shunners = 0
        """How many pods keep others off by anti-affinity."""

    def start(self) -> None:
        """Count what is there; from now on ``follow`` every change."""
        for node in self._store.select(NODES):
            self._put_node(name_of(node), node)
        for pod in self._store.select(PODS):
            self._put_pod(_key(pod), pod)

    def follow(self, change: Change) -> list[str]:
        """Take a change in, of nodes and pods (others do not matter).

        Comes back with the nodes that may take more now than before.
        """
        present = None if change.type == "DELETED" else change.object
        freed: list[str] = []
        if change.kind.stored == NODES:
            freed = self._put_node(name_of(change.object), present)
        elif change.kind.stored == PODS:
            freed = self._put_pod(_key(change.object), present)
        return freed

    def live(self) -> Iterator[Account]:
        """The nodes that are there, by name."""
        for name in sorted(self.accounts):
            if self.accounts[name].node is not None:
                yield self.accounts[name]

    def changed_since(self, changes: int) -> list[str]:
        """The nodes whose accounts have changed since there were so many ``changes``."""
        latest = reversed(self._changed.items())
        return [name for name, _ in takewhile(lambda item: item[1] > changes, latest)]

    def where(self, key: Key) -> str:
        """The node on which a pod is counted; empty for none."""
        return self._seats.get(key, "")

    def _mark(self, name: str) -> None:
        self.changes += 1
        self._changed[name] = self.changes
        self._changed.move_to_end(name)

    def _put_node(self, name: str, node: Object | None) -> list[str]:
        account = self.accounts.setdefault(name, Account(name))
        same = _as_before(account.node, node)
        self.nodes += (node is not None) - (account.node is not None)
        account.node = node
        if same:  # a heartbeat
            return []
        account.allocatable = amounts(fields(node, "status", "allocatable"))
        if node is None and not account.seats and not account.nominated:
            del self.accounts[name]
        self._mark(name)
        return [name] if node is not None else []

    def _put_pod(self, key: Key, pod: Object | None) -> list[str]:
        there = self._seats.get(key, "")
        before = self.accounts[there].seats[key] if there else None
        node = text(pod, "spec", "nodeName")
        if pod is not None and is_finished(pod):
            node = ""
        freed = self._nominate(key, pod)
        if before is not None and pod is not None and there == node and _same(before.pod, pod):
            self.accounts[node].seats[key] = Seat(pod, before.demand)
            return freed
        if before is not None:
            del self._seats[key]
            self.accounts[there].leave(key)
            self.shunners -= before.shuns
            self._mark(there)
            freed.append(there)
        if pod is not None and node:
            seat = Seat(pod, demand_of(pod))
            self.accounts.setdefault(node, Account(node)).sit(key, seat)
            self.shunners += seat.shuns
            self._seats[key] = node
            self._mark(node)
        return freed

    def _nominate(self, key: Key, pod: Object | None) -> list[str]:
        wanted = "" if text(pod, "spec", "nodeName") else text(pod, "status", "nominatedNodeName")
        there = self._nominated.get(key, "")
        if there == wanted:
            return []
        if there:
            del self._nominated[key]
            self.accounts[there].nominated.pop(key)
            self._mark(there)
        if wanted and pod is not None:
            account = self.accounts.setdefault(wanted, Account(wanted))
            account.nominated[key] = Seat(pod, demand_of(pod))
            self._nominated[key] = wanted
            self._mark(wanted)
        return [there] if there else []


def priority_of(pod: Object) -> int:
    """``spec.priority``; 0 where there is none."""
    found = fields(pod, "spec").get("priority")
    return found if isinstance(found, int) else 0


def required(pod: Object, which: str) -> Sequence[Mapping[str, Any]]:
    """The terms that must hold, of ``podAffinity`` or ``podAntiAffinity``."""
    return items(pod, "spec", "affinity", which, "requiredDuringSchedulingIgnoredDuringExecution")


def _key(obj: Object) -> Key:
    return namespace_of(obj), name_of(obj)


def _same(old: Object, new: Object) -> bool:
    return _equal(old, new, "spec") and _equal(old["metadata"], new["metadata"], "labels")


def _as_before(old: Object | None, new: Object | None) -> bool:
    """Whether nothing of a node changed that decides what it takes."""
    if old is None or new is None:
        return old is new
    return (
        _equal(old, new, "spec")
        and _equal(old["metadata"], new["metadata"], "labels")
        and _equal(fields(old, "status"), fields(new, "status"), "allocatable")
    )


def _equal(old: Mapping[str, Any], new: Mapping[str, Any], key: str) -> bool:
    was, now = old.get(key), new.get(key)
    return was is now or bool(was == now)

"""Pods that want others near them, or far away: inter-pod affinity and anti-affinity.

Required terms only. Source: k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity
(1.37).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object, fields, namespace_of
from bridgehead.twin.scheduling.filters import Applicant, Refusal
from bridgehead.twin.scheduling.ledger import Account, Ledger, required
from bridgehead.twin.selection import selects
from bridgehead.twin.store import Store

_NAMESPACES = Stored("", "namespaces")
_AFFINITY = Refusal(("node(s) didn't match pod affinity rules",), True)
_ANTI_AFFINITY = Refusal(("node(s) didn't match pod anti-affinity rules",), False)
_EXISTING = Refusal(("node(s) didn't satisfy existing pods anti-affinity rules",), False)

_Domain = tuple[str, str]
"""A topology key and one of its values."""


class Neighbours:
    """What the pods that run now mean for one pod; made anew for each, where any has rules."""

    def __init__(self, pod: Applicant, ledger: Ledger, store: Store) -> None:
        self._store = store
        self._wants = required(pod.pod, "podAffinity")
        self._shuns = required(pod.pod, "podAntiAffinity")
        self._near: list[set[_Domain]] = [set() for _ in self._wants]
        self._far: set[_Domain] = set()
        self._kept_off: set[_Domain] = set()
        self._first_of_its_kind = all(self._meets(term, pod.pod, pod.pod) for term in self._wants)
        self.matter = bool(self._wants or self._shuns or ledger.shunners)
        """Whether there is any rule at all, of this pod or of one that runs."""
        if not self.matter:
            return
        for account in ledger.live():
            for seat in account.seats.values():
                self._see(pod.pod, seat.pod, account)

    def refusal(self, account: Account) -> Refusal | None:
        """Why a node does not take the pod; None: it does."""
        own = set(_domains(self._wants, account))
        if len(own) < len({term["topologyKey"] for term in self._wants}):
            return _AFFINITY
        unmet = [
            term
            for term, near in zip(self._wants, self._near, strict=True)
            if not near.intersection(_domains([term], account))
        ]
        nobody = not any(self._near)
        if unmet and not (nobody and self._first_of_its_kind):
            return _AFFINITY
        if self._far.intersection(_domains(self._shuns, account)):
            return _ANTI_AFFINITY
        labels = fields(account.node, "metadata", "labels")
        if any(labels.get(key) == value for key, value in self._kept_off):
            return _EXISTING
        return None

    def _see(self, pod: Object, other: Object, account: Account) -> None:
        for term, near in zip(self._wants, self._near, strict=True):
            if self._meets(term, pod, other):
                near.update(_domains([term], account))
        for term in self._shuns:
            if self._meets(term, pod, other):
                self._far.update(_domains([term], account))
        for term in required(other, "podAntiAffinity"):
            if self._meets(term, other, pod):
                self._kept_off.update(_domains([term], account))

    def _meets(self, term: Mapping[str, Any], owner: Object, other: Object) -> bool:
        """Whether a term of one pod is about another one."""
        namespace = namespace_of(other)
        named = term.get("namespaces") or ()
        by_label = term.get("namespaceSelector")
        if named or by_label is not None:
            space = self._store.get(_NAMESPACES, "", namespace)
            labels = fields(space, "metadata", "labels")
            if namespace not in named and not selects(by_label, labels):
                return False
        elif namespace != namespace_of(owner):
            return False
        return selects(term.get("labelSelector"), fields(other, "metadata", "labels"))


def _domains(terms: Sequence[Mapping[str, Any]], account: Account) -> Iterator[_Domain]:
    labels = fields(account.node, "metadata", "labels")
    for term in terms:
        if (value := labels.get(term["topologyKey"])) is not None:
            yield term["topologyKey"], value

"""Which of the nodes that take a pod is best; among equals the first by name.

The largest share of processor and memory left, nodes with a soft taint later, preferred ones
earlier. A real scheduler adds more plugins and draws lots among equals; here one run is like the
next. Source: k8s.io/kubernetes/pkg/scheduler/framework/plugins/{noderesources,tainttoleration,
nodeaffinity} (1.37).
"""

import heapq
from collections import OrderedDict

import msgspec

from bridgehead.twin.objects import at, fields, items
from bridgehead.twin.scheduling.demand import CPU, MEMORY
from bridgehead.twin.scheduling.filters import Applicant, refusal
from bridgehead.twin.scheduling.ledger import Account, Ledger
from bridgehead.twin.scheduling.taints import DISCOURAGES, untolerated
from bridgehead.twin.selection import term_selects

_TAINT_WEIGHT = 3
_AFFINITY_WEIGHT = 2
_STALE = 64
"""Judgements that no longer hold and may stay in the heap, beside one for each node."""
_KINDS_REMEMBERED = 64
"""Kinds of pods (equal demands) whose candidates are kept."""


def score(pod: Applicant, account: Account) -> float:
    """How good a node is for a pod: the more, the better."""
    shares = [
        100.0 * max(0, has - account.assumed.get(name, 0) - pod.demand.assumed[name]) / has
        for name in (CPU, MEMORY)
        if (has := account.allocatable.get(name, 0))
    ]
    left = sum(shares) / len(shares) if shares else 0.0
    node = account.node or {}
    soft = untolerated(node, items(pod.spec, "tolerations"), DISCOURAGES)
    preferred = items(
        pod.spec, "affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution"
    )
    liked: int = sum(
        term["weight"] for term in preferred if term_selects(term.get("preference") or {}, node)
    )
    return left - _TAINT_WEIGHT * 100.0 * soft + _AFFINITY_WEIGHT * liked


class _Candidates:
    """The nodes that take one kind of pod, best first; kept up where accounts change."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seen = ledger.changes
        self._versions: dict[str, int] = {}
        self._heap: list[tuple[float, str, int]] = []
        self._new = True

    def best(self, pod: Applicant) -> str:
        """The best node for a pod of this kind; empty for none."""
        if self._new:
            self._new = False
            stale = [account.name for account in self._ledger.live()]
        else:
            stale = self._ledger.changed_since(self._seen)
        self._seen = self._ledger.changes
        for name in stale:
            self._judge(pod, name)
        if len(self._heap) > 2 * len(self._versions) + _STALE:
            self._heap = [item for item in self._heap if self._versions[item[1]] == item[2]]
            heapq.heapify(self._heap)
        while self._heap:
            _, name, version = self._heap[0]
            if self._versions.get(name) == version:
                return name
            heapq.heappop(self._heap)
        return ""

    def _judge(self, pod: Applicant, name: str) -> None:
        version = self._versions.get(name, 0) + 1
        self._versions[name] = version
        account = self._ledger.accounts.get(name)
        if account is None or account.node is None or refusal(pod, account) is not None:
            return
        heapq.heappush(self._heap, (-score(pod, account), name, version))


class Ranking:
    """The best node for a pod, without a look at every node where pods of its kind came before."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._kinds: OrderedDict[bytes, _Candidates] = OrderedDict()

    def best(self, pod: Applicant) -> str:
        """The best node by its own account alone (not by its neighbours); empty for none."""
        kind = _kind_of(pod)
        found = self._kinds.get(kind)
        if found is None:
            found = self._kinds[kind] = _Candidates(self._ledger)
            if len(self._kinds) > _KINDS_REMEMBERED:
                self._kinds.popitem(last=False)
        self._kinds.move_to_end(kind)
        return found.best(pod)


def _kind_of(pod: Applicant) -> bytes:
    """What decides where a pod can go; equal for pods of one controller."""
    return msgspec.json.encode(
        [
            sorted(pod.demand.requests.items()),
            sorted(pod.demand.assumed.items()),
            sorted(pod.demand.ports),
            pod.priority,
            at(pod.spec, "nodeSelector"),
            fields(pod.spec, "affinity", "nodeAffinity"),
            items(pod.spec, "tolerations"),
        ],
        order="deterministic",
    )

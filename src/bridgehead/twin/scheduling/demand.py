"""What a pod asks of a node.

Source: k8s.io/component-helpers/resource/helpers.go, k8s.io/kubernetes/pkg/scheduler/util (1.37).
"""

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING
from functools import lru_cache
from typing import Any

import msgspec

from bridgehead.twin.objects import Object, fields, items
from bridgehead.twin.schema.quantities import value_of

CPU = "cpu"
MEMORY = "memory"
_ASSUMED = {CPU: 100, MEMORY: 200 * 1024 * 1024}
"""What a container without requests counts for when nodes are ranked."""

EVERYWHERE = "0.0.0.0"  # noqa: S104 - nothing is opened there
"""The address of a port that is taken on all addresses of a node."""

Amounts = Mapping[str, int]
"""By resource: thousandths of a processor, bytes, pieces."""


class Demand(msgspec.Struct, frozen=True):
    """A pod's requests."""

    requests: Amounts
    """Without resources of which nothing is asked."""
    assumed: Amounts
    """Of processor and memory with something for each container that asks for nothing."""
    ports: frozenset[tuple[str, str, int]]
    """Ports of the node: address, protocol, number."""


def demand_of(pod: Object) -> Demand:
    """What a pod asks for: its containers together, or the largest step of its start."""
    spec = fields(pod, "spec")
    requests, assumed = _total(spec, {}), _total(spec, _ASSUMED)
    return Demand(
        {name: amount for name, amount in requests.items() if amount > 0},
        {name: assumed[name] for name in _ASSUMED},
        frozenset(_ports(spec)),
    )


def amounts(listed: Mapping[str, Any]) -> dict[str, int]:
    """A ``ResourceList`` in whole units."""
    return {name: _whole(name, str(amount)) for name, amount in listed.items()}


@lru_cache(maxsize=4096)
def _whole(name: str, amount: str) -> int:
    value = value_of(amount) * (1000 if name == CPU else 1)
    return int(value.to_integral_value(ROUND_CEILING))


def _total(spec: Mapping[str, Any], assumed: Amounts) -> dict[str, int]:
    total = dict.fromkeys(assumed, 0)
    for container in items(spec, "containers"):
        _add(total, _requests(container, assumed))
    peak: dict[str, int] = {}
    beside: dict[str, int] = {}
    """Sidecars that have started so far run beside whatever starts next."""
    for container in items(spec, "initContainers"):
        own = _requests(container, assumed)
        if container.get("restartPolicy") == "Always":
            _add(total, own)
            _add(beside, own)
            own = {}
        for name in {**own, **beside}:
            peak[name] = max(peak.get(name, 0), own.get(name, 0) + beside.get(name, 0))
    for name, amount in peak.items():
        total[name] = max(total.get(name, 0), amount)
    total |= amounts(fields(spec, "resources", "requests"))
    _add(total, amounts(fields(spec, "overhead")))
    return total


def _requests(container: Mapping[str, Any], assumed: Amounts) -> dict[str, int]:
    return {**assumed, **amounts(fields(container, "resources", "requests"))}


def _add(total: dict[str, int], more: Amounts) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def _ports(spec: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    containers = [
        *items(spec, "containers"),
        *(each for each in items(spec, "initContainers") if each.get("restartPolicy") == "Always"),
    ]
    for container in containers:
        for port in items(container, "ports"):
            if number := port.get("hostPort"):
                yield port.get("hostIP") or EVERYWHERE, port.get("protocol") or "TCP", number

"""What a pod is given in all: its class of service, and the sum of its requests or limits.

Source: k8s.io/component-helpers/resource/helpers.go (PodRequests, PodLimits) and
k8s.io/component-helpers/node/qos (1.37).
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

from bridgehead.twin.objects import Object, fields, items
from bridgehead.twin.schema.quantities import PATTERN, canonical, value_of

Side = Literal["requests", "limits"]
MEASURED = ("cpu", "memory")
"""What a cgroup knows."""


def qos_class(pod: Object) -> str:
    """``Guaranteed``, ``Burstable`` or ``BestEffort``, by processor and memory."""
    containers = [*items(pod, "spec", "containers"), *items(pod, "spec", "initContainers")]
    given = [
        {side: fields(item, "resources", side) for side in ("requests", "limits")}
        for item in containers
    ]
    if not any(side.get(name) for item in given for side in item.values() for name in MEASURED):
        return "BestEffort"
    for item in given:
        for name in MEASURED:
            limit, request = item["limits"].get(name), item["requests"].get(name)
            if not limit or (request and value_of(request) != value_of(limit)):
                return "Burstable"
    return "Guaranteed"


def total(pod: Object, side: Side) -> dict[str, str]:
    """The sum over containers, or the largest step of its start where that is more."""
    sums: dict[str, str] = {}
    beside: dict[str, str] = {}
    peak: dict[str, str] = {}
    for container in items(pod, "spec", "containers"):
        _add(sums, fields(container, "resources", side))
    for container in items(pod, "spec", "initContainers"):
        own = dict(fields(container, "resources", side))
        if container.get("restartPolicy") == "Always":
            _add(sums, own)
            _add(beside, own)
            own = beside
        else:
            _add(own, beside)
        _raise(peak, own)
    _raise(sums, peak)
    sums |= fields(pod, "spec", "resources", side)
    _add(sums, fields(pod, "spec", "overhead"))
    return sums


def _add(sums: dict[str, str], more: Mapping[str, Any]) -> None:
    for name, amount in more.items():
        sums[name] = _sum(sums[name], str(amount)) if name in sums else str(amount)


def _raise(sums: dict[str, str], other: Mapping[str, str]) -> None:
    for name, amount in other.items():
        if name not in sums or value_of(amount) > value_of(sums[name]):
            sums[name] = amount


def _sum(one: str, other: str) -> str:
    """In the family of suffixes of the first amount, as ``Quantity.Add`` keeps it."""
    whole: Decimal = value_of(one) + value_of(other)
    match = PATTERN.match(one)
    binary = match is not None and (match[2] or "").endswith("i")
    if binary and whole == whole.to_integral_value() and whole % 1024 == 0:
        return canonical(f"{int(whole) // 1024}Ki")
    if whole == whole.to_integral_value():
        return canonical(str(int(whole)))
    return canonical(f"{(whole * 1000).to_integral_value()}m")

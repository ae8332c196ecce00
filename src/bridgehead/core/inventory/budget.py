"""How many pods of a DaemonSet its update strategy lets be away at a time.

A percentage is taken of the nodes that want a pod, rounded up, for both fields. Source:
https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/daemon-set-v1/
"""

import math

import msgspec

from bridgehead.core.model.json import JsonObject, child, text


class Budget(msgspec.Struct, frozen=True):
    """``maxUnavailable`` and ``maxSurge`` as numbers or percentages, with the defaults filled in.

    A value that is neither is None: the server refuses it.
    """

    unavailable: int | str | None
    surge: int | str | None

    def at_once(self, nodes: int) -> int | None:
        """How many of so many nodes may be without a pod at a time."""
        return _of(self.unavailable, nodes)


def budget_of(strategy: JsonObject) -> Budget | None:
    """The budget of a DaemonSet's update strategy; None under ``OnDelete``, which knows none."""
    if (text(strategy, "type") or "RollingUpdate") != "RollingUpdate":
        return None
    unavailable = child(strategy, "rollingUpdate", "maxUnavailable")
    surge = child(strategy, "rollingUpdate", "maxSurge")
    return Budget(
        _valid(1 if unavailable is None else unavailable), _valid(0 if surge is None else surge)
    )


def is_zero(value: int | str | None) -> bool:
    """Whether the value is a zero, in either form."""
    return value in (0, "0%")


def _valid(value: object) -> int | str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if value >= 0 else None
    if isinstance(value, str) and value.endswith("%") and value[:-1].isdecimal():
        return f"{int(value[:-1])}%"
    return None


def _of(value: int | str | None, nodes: int) -> int | None:
    if isinstance(value, str):
        return math.ceil(int(value[:-1]) * nodes / 100)
    return value

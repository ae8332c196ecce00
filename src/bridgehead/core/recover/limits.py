"""The figures of recovery, in one place. Of two limits the stricter one wins."""

from math import ceil

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds and counts. The defaults are what the documentation promises."""

    settling: float = 60.0
    """After a plugin's or a kubelet's start no verdict is taken from what the node shows."""
    unsettled: float = 300.0
    """For so long a capacity without healthy devices may be a plugin that is just being replaced:
    the kubelet keeps the capacity of a plugin that has gone for five minutes."""
    a_node_restarts_after: float = 3600.0
    """R1: at most one restart a node in so many seconds."""
    pods_at_once: int = 50
    """R3: pods that are deleted by one recovery."""
    quiet: float = 60.0
    """R3: the newest refusal on a node that takes pods lies so far back: no more are refused."""
    prunes_after: float = 300.0
    """R3: at most one on a node in so many seconds."""
    dead_for: float = 600.0
    """R5: how long a name must have shown 0/0."""
    removes_after: float = 3600.0
    """R5: at most one on a node in so many seconds."""
    steady: float = 30.0
    """Two equal looks that count lie this far apart."""


LIMITS = Limits()


def floor_of(device_nodes: int) -> int:
    """R4: how many nodes must stay healthy and open for pods, of so many that have devices."""
    return max(1, ceil(device_nodes / 2))


def most_cordoned(device_nodes: int) -> int:
    """R4: how many nodes recovery may keep out of scheduling at a time: a fifth, or one."""
    return max(1, device_nodes // 5)

"""What a rolling update does next: which old pods go, and which nodes get a second one.

Source: rollingUpdate in k8s.io/kubernetes/pkg/controller/daemon/update.go (1.37). The real one
goes through the nodes in an order that differs each time, this one by name.
"""

import msgspec

from bridgehead.twin.controllers.daemonsets.standing import Rules
from bridgehead.twin.controllers.daemonsets.table import Part, Table


class Step(msgspec.Struct, frozen=True):
    """One step."""

    go: tuple[str, ...]
    """Names of pods."""
    come: tuple[str, ...] = ()
    """Names of nodes."""


def next_step(rules: Rules, table: Table) -> Step:
    """Within the bounds of the strategy; nothing where all pods are of the present template."""
    surge, unavailable = rules.bounds(table.total("desired"))
    if surge:
        return _surging(table, surge)
    room = max(0, unavailable - table.total("busy"))
    serving = [*_pods(table, Part.SERVING, room), *_pods(table, Part.SERVING_UNFIT, room)]
    broken = [*_pods(table, Part.BROKEN), *_pods(table, Part.BROKEN_UNFIT)]
    return Step((*broken, *serving[:room]))


def _surging(table: Table, surge: int) -> Step:
    spare = max(0, table.total("serves") - table.total("desired"))
    room = max(0, surge - table.total("busy"))
    go = [*_pods(table, Part.REPLACED), *_pods(table, Part.BROKEN_UNFIT)]
    go += _pods(table, Part.SERVING_UNFIT, spare)
    come = [*table.part(Part.BROKEN), *table.part(Part.SERVING, room)]
    return Step(tuple(go), tuple(name for name, _ in come))


def _pods(table: Table, part: Part, most: int | None = None) -> list[str]:
    return [found.outdated for _, found in table.part(part, most)]

"""What a rolling update does next: which old pods go, and which nodes get a second one.

Source: rollingUpdate in k8s.io/kubernetes/pkg/controller/daemon/update.go (1.37). The real one
goes through the nodes in an order that differs each time, this one by name.
"""

import msgspec

from bridgehead.twin.controllers.daemonsets.standing import Rules
from bridgehead.twin.controllers.daemonsets.table import Table


class Step(msgspec.Struct, frozen=True):
    """One step."""

    go: tuple[str, ...]
    """Names of pods."""
    come: tuple[str, ...] = ()
    """Names of nodes."""


def next_step(rules: Rules, table: Table) -> Step:
    """Within the bounds of the strategy; nothing where all pods are of the present template."""
    old = table.outdated()
    if not old:
        return Step(())
    surge, unavailable = rules.bounds(table.total("desired"))
    if surge:
        return _surging(table, surge)
    alone = [each for _, each in old if not each.covered]
    broken = [each.outdated for each in alone if not each.serving]
    serving = [each.outdated for each in alone if each.serving]
    room = max(0, unavailable - table.total("busy"))
    return Step((*broken, *serving[:room]))


def _surging(table: Table, surge: int) -> Step:
    old = table.outdated()
    go = [each.outdated for _, each in old if each.replaced]
    alone = [(name, each) for name, each in old if not each.covered]
    go += [each.outdated for _, each in alone if not each.serving and not each.wanted]
    at_once = [name for name, each in alone if not each.serving and each.wanted]
    candidates = [name for name, each in alone if each.serving and each.wanted]
    unfit = [each.outdated for _, each in alone if each.serving and not each.wanted]
    spare = max(0, table.total("serves") - table.total("desired"))
    room = max(0, surge - table.total("busy"))
    return Step((*go, *unfit[:spare]), (*at_once, *candidates[:room]))

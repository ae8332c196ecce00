"""Puts faults onto the nodes of a twin: what versions do there, and what happens to machines."""

import glob
from collections.abc import Callable, Collection, Iterator
from fnmatch import fnmatchcase
from functools import partial

from bridgehead.core.model.node import HELD_BY
from bridgehead.twin.faults.fault import Fault, NodeTrouble, Where
from bridgehead.twin.faults.text import DRIFTED
from bridgehead.twin.nodes.fleet import Machine
from bridgehead.twin.nodes.images import Overlay, Pull
from bridgehead.twin.nodes.stages import Stage
from bridgehead.twin.objects import fields, name_of
from bridgehead.twin.store import Change
from bridgehead.twin.twin import Twin

Members = Callable[[str], Collection[str]]
"""Names of the nodes of a cohort, by its name or a part of it."""

LATER = 5.0
"""Seconds from when a node is taken up for a change to what happens to it."""


def overlays(fault: Fault, new: Collection[str], members: Members) -> Iterator[Overlay]:
    """What a fault lays over the images; ``new`` are those of the version that is rolled out."""
    if not fault.of_version:
        return
    where = partial(_holds, fault.where, members(fault.where.cohort) if fault.where.cohort else ())
    pull = None
    if fault.pull or fault.pull_delay is not None:
        pull = Pull(error=fault.pull, delay=fault.pull_delay)
    stages = {"start": Stage(fault.start_delay)} if fault.start_delay else {}
    for image in _images(fault.where, new):
        yield Overlay(image=image, where=where, knobs=fault.knobs, pull=pull, stages=stages)


def _images(where: Where, new: Collection[str]) -> list[str]:
    """Patterns of references; one without a slash may stand at any registry."""
    if not where.image:
        return [glob.escape(image) for image in sorted(new)]
    return [where.image] if "/" in where.image else [where.image, f"*/{where.image}"]


def _holds(where: Where, cohort: Collection[str], machine: Machine) -> bool:
    return (
        (not where.node or fnmatchcase(machine.name, where.node))
        and (not where.cohort or machine.name in cohort)
        and (not where.kernel or fnmatchcase(machine.kernel, where.kernel))
    )


class NodeTroubles:
    """What happens to machines while a run is at them."""

    def __init__(self, twin: Twin, fault: Fault, members: Members) -> None:
        self._twin = twin
        self._fault = fault
        self._cohort = members(fault.where.cohort) if fault.where.cohort else ()
        self._met: set[str] = set()
        self.struck: list[str] = []
        """Nodes that are not what they were, through no doing of any version."""

    def begin(self) -> None:
        """Let files drift now, and everything else happen when a node is taken up."""
        if not self._fault.nodes:
            return
        self._twin.store.subscribe(self._changed)
        if NodeTrouble.DRIFT in self._fault.nodes:
            for machine in self._twin.fleet.machines.values():
                if self._covers(machine):
                    self._drift(machine.name)

    def _covers(self, machine: Machine) -> bool:
        return _holds(self._fault.where, self._cohort, machine)

    def _drift(self, name: str) -> None:
        knobs = {"initFailure": "exit", "initFailureMessage": DRIFTED}
        drifted = Overlay(where=lambda machine: machine.name == name, knobs=knobs)
        self._twin.fleet.images.lay(drifted)
        self.struck.append(name)

    def _changed(self, change: Change) -> None:
        """A run has taken a node up: it carries the run's mark."""
        if change.kind.plural != "nodes" or change.kind.group:
            return
        name = name_of(change.object)
        machine = self._twin.fleet.machines.get(name)
        if machine is None or name in self._met or not self._covers(machine):
            return
        if HELD_BY not in fields(change.object, "metadata", "annotations"):
            return
        if self._met and not self._is_named:
            return
        self._met.add(name)
        self._twin.clock.after(LATER, lambda: self._strike(name))

    @property
    def _is_named(self) -> bool:
        """Whether somebody said which nodes; else it is the first that is taken up."""
        return bool(self._fault.where.node or self._fault.where.cohort or self._fault.where.kernel)

    def _strike(self, name: str) -> None:
        nodes = self._twin.nodes
        for trouble in self._fault.nodes:
            match trouble:
                case NodeTrouble.LOST:
                    nodes.stop(name)
                    self.struck.append(name)
                case NodeTrouble.KUBELET_RESTART:
                    nodes.restart_kubelet(name)
                case NodeTrouble.REBOOT:
                    nodes.reboot(name)
                case NodeTrouble.DRIFT:
                    pass

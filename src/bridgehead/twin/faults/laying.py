"""Puts faults onto the nodes of a twin: what versions do there, and what happens to machines."""

import glob
from collections.abc import Callable, Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial

from bridgehead.core.model.node import HELD_BY
from bridgehead.twin.faults.fault import Fault, NodeTrouble, Where
from bridgehead.twin.faults.text import DRIFTED, FaultError
from bridgehead.twin.nodes.fleet import Machine
from bridgehead.twin.nodes.images import Overlay, Pull
from bridgehead.twin.nodes.stages import Stage
from bridgehead.twin.objects import Object, fields, items, name_of, text
from bridgehead.twin.pods import pods_on
from bridgehead.twin.store import Change
from bridgehead.twin.twin import Twin

Members = Callable[[str], Collection[str]]
"""Names of the nodes of a cohort, by its name or a part of it."""

LATER = 5.0
"""Seconds from when a node is taken up or given back to what happens to it."""

_WHILE_CHANGED = (NodeTrouble.LOST, NodeTrouble.REBOOT)


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


def check_place(fault: Fault, machines: Iterable[Machine], members: Members) -> None:
    """Raises FaultError where a fault names nodes and none of these is one of them."""
    where = fault.where
    cohort = members(where.cohort) if where.cohort else ()
    if not any(_holds(where, cohort, machine) for machine in machines):
        raise FaultError(f"{fault.text}: no node of this cluster is meant by it")


def check_image(fault: Fault, new: Collection[str], known: Collection[str]) -> None:
    """Raises FaultError where a fault is one of versions, and of none that is there.

    ``new`` are the images that the change brings, ``known`` all others that run.
    """
    if not fault.of_version:
        return
    if not fault.where.image and not new:
        raise FaultError(f"{fault.text}: the change brings no other image; name one with image=...")
    patterns = _images(fault.where, new)
    if not any(fnmatchcase(image, item) for item in patterns for image in (*new, *known)):
        raise FaultError(f"{fault.text}: no image here is meant by it")


class NodeTroubles:
    """What happens to machines while a run is at them.

    They are lost and reboot while they are changed, and a kubelet restarts when that is over and
    the new version runs: what it does then is the version's own doing.
    """

    def __init__(self, twin: Twin, fault: Fault, new: Collection[str], members: Members) -> None:
        self._twin = twin
        self._fault = fault
        self._new = new
        self._cohort = members(fault.where.cohort) if fault.where.cohort else ()
        self._met: dict[NodeTrouble, set[str]] = {}
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
        """A run marks a node that it takes up, and takes the mark away when it is done with it."""
        if change.kind.stored != ("", "nodes") or change.previous is None:
            return
        machine = self._twin.fleet.machines.get(name_of(change.object))
        if machine is None or not self._covers(machine) or change.type == "DELETED":
            return
        before, after = _is_held(change.previous), _is_held(change.object)
        if after and not before:
            self._meet(machine.name, _WHILE_CHANGED)
        elif before and not after and self._runs_new(machine.name):
            self._meet(machine.name, (NodeTrouble.KUBELET_RESTART,))

    def _meet(self, name: str, troubles: Collection[NodeTrouble]) -> None:
        """Let the fault's troubles of these kinds come soon, once a node and kind."""
        for trouble in self._fault.nodes:
            met = self._met.setdefault(trouble, set())
            if trouble in troubles and name not in met and (self._is_named or not met):
                met.add(name)
                self._twin.clock.after(LATER, partial(self._strike, name, trouble))

    def _runs_new(self, name: str) -> bool:
        """Whether a container of the new version is on the node."""
        pods = pods_on(self._twin.store, name)
        return any(
            text(container, "image") in self._new
            for pod in pods
            for container in items(pod, "spec", "containers")
        )

    @property
    def _is_named(self) -> bool:
        """Whether somebody said which nodes; else it is the first that is taken up."""
        return bool(self._fault.where.node or self._fault.where.cohort or self._fault.where.kernel)

    def _strike(self, name: str, trouble: NodeTrouble) -> None:
        match trouble:
            case NodeTrouble.LOST:
                self._twin.nodes.stop(name)
                self.struck.append(name)
            case NodeTrouble.REBOOT:
                self._twin.nodes.reboot(name)
            case NodeTrouble.KUBELET_RESTART:
                self._twin.nodes.restart_kubelet(name)
            case NodeTrouble.DRIFT:
                self._drift(name)


def _is_held(node: Object) -> bool:
    return HELD_BY in fields(node, "metadata", "annotations")

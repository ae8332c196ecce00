"""A device plugin at its post: one plugin on one node, with its pod, its log and what is short."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bridgehead.core.diagnose.symptom import Symptom
from bridgehead.core.diagnose.telling_lines import Quote, lines_in, names_in, patterns_of, quotes_in
from bridgehead.core.findings.observed import Log, LogId, Observed
from bridgehead.core.model.json import JsonObject, child, children, text
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.times import epoch

if TYPE_CHECKING:
    from bridgehead.core.diagnose.scene import Plugin

SETTLING = 60.0
"""Seconds after a start in which a plugin may still find its devices and register them."""


@dataclass(frozen=True)
class Post:
    """A plugin on a node that has, or should have, a pod of it."""

    plugin: "Plugin"
    node: Node
    pod: Pod | None
    raw: JsonObject
    logs: tuple[tuple[LogId, Log], ...]
    names: tuple[str, ...]
    """Resources that it offers or means to offer, as far as anything tells."""
    symptoms: tuple[Symptom, ...]
    """What is short on the node of these resources."""
    vain: tuple[str, ...]
    """Those of them that pods ask for and no node has."""
    now: float
    condemned: str = ""
    """The gate of a run that it failed, whatever the node shows yet; empty where there is none."""
    waited: bool = False
    """Whether that gate had given it the time to start."""

    @property
    def short(self) -> tuple[str, ...]:
        """Resources of which the node shows fewer devices than it should."""
        return tuple(item.resource for item in self.symptoms)

    @property
    def alive(self) -> bool:
        """Whether the node shows a healthy device of the plugin."""
        return any(self.allocatable(name) for name in self.names)

    @property
    def failing(self) -> bool:
        """Whether it has a pod there and the node shows too few devices, none, or is condemned."""
        present = self.pod is not None and not self.pod.deleting and self.node.ready is not False
        lacking = bool(self.short) or bool(self.vain) or not self.alive
        return present and (lacking or bool(self.condemned))

    @property
    def sound(self) -> bool:
        """Whether its pod is ready and the node shows all devices of it that it should."""
        fine = self.pod is not None and self.pod.ready and self.alive and not self.short
        return fine and not self.condemned

    def allocatable(self, name: str) -> int:
        """Healthy devices that the node shows."""
        offer = self.node.offer(name)
        return offer.allocatable if offer else 0

    def shown(self, name: str) -> str:
        """What the node shows of a resource, as ``CAPACITY/ALLOCATABLE`` or ``absent``."""
        offer = self.node.offer(name)
        return str(offer) if offer else "absent"

    @property
    def running(self) -> bool:
        """Whether all containers of its pod run."""
        return self.pod is not None and all(item.state == "running" for item in self.pod.containers)

    @cached_property
    def started(self) -> float | None:
        """When the process that runs now began; None where nothing tells."""
        if self.pod is None:
            return None
        times = [
            epoch(text(item, "state", "running", "startedAt"))
            for item in children(self.raw, "status", "containerStatuses")
        ]
        known = [time for time in times if time is not None]
        if known:
            return max(known)
        return self.pod.created if self.pod.created and not self.pod.restarts else None

    @property
    def age(self) -> float | None:
        """Seconds for which that process has run; None where nothing tells."""
        return None if self.started is None else self.now - self.started

    @property
    def settled(self) -> bool:
        """Whether its process has run for long enough to be judged."""
        return self.running and (self.waited or self.age is None or self.age >= SETTLING)

    @cached_property
    def quotes(self) -> Mapping[str, Quote]:
        """Telling lines of its logs by their key; what a later line takes back is left out.

        The log of a former process counts only where none runs now.
        """
        return quotes_in(self._counting, patterns_of(self.plugin.family))

    def lines_of(self, key: str) -> tuple[Quote, ...]:
        """Every line of its logs that shows this sign, where each of them says something else."""
        return lines_in(self._counting, patterns_of(self.plugin.family), key)

    @cached_property
    def _counting(self) -> list[tuple[str, Log]]:
        kept = sorted(
            ((key, log) for key, log in self.logs if not (key.previous and self.running)),
            key=lambda item: (item[0].container, not item[0].previous),
        )
        return [(f"log {key}", log) for key, log in kept]

    def quotes_of(self, container: str) -> tuple[Quote, ...]:
        """Every sign that one container's logs show, of its former process too; the last first."""
        if container not in self._quotes_of:
            logs = [
                (f"log {key}", log)
                for key, log in sorted(self.logs, key=lambda pair: not pair[0].previous)
                if key.container == container
            ]
            found = quotes_in(logs, patterns_of(self.plugin.family)).values()
            self._quotes_of[container] = tuple(sorted(found, key=lambda quote: -quote.line))
        return self._quotes_of[container]

    @cached_property
    def _quotes_of(self) -> dict[str, tuple[Quote, ...]]:
        return {}

    def quote(self, *keys: str) -> Quote | None:
        """The first of these signs that its log shows and that is to be believed.

        A process that has just begun may fail once and still succeed at its next attempt, unless
        the one before it ended with the same sign, or a run has condemned it.
        """
        for key in keys:
            found = self.quotes.get(key)
            if found and (self.settled or not self.running or found.times > 1 or self.condemned):
                return found
            if found and key in self._of_former_process:
                return found
        return None

    @cached_property
    def _of_former_process(self) -> frozenset[str]:
        """Signs with which a process ended before the one that runs now."""
        former = [(f"log {key}", log) for key, log in self.logs if key.previous]
        return frozenset(quotes_in(former, patterns_of(self.plugin.family)))


def posts_of(
    plugins: Sequence["Plugin"],
    wanted: Mapping[str, Sequence[Node]],
    nodes: Mapping[str, Node],
    *,
    observed: Observed,
    raw: Mapping[tuple[str, str], JsonObject],
    symptoms: Iterable[Symptom],
) -> tuple[Post, ...]:
    """All posts, by plugin and node.

    ``wanted`` has the nodes where each DaemonSet wants a pod, ``raw`` the raw pods by namespace
    and name.
    """
    short: dict[tuple[str, str], Symptom] = {
        (item.node, item.resource): item for item in symptoms if item.key.startswith("devices/")
    }
    asked = _asked_in_vain(observed, nodes.values())
    found = []
    for plugin in plugins:
        pods = _newest(plugin.pods)
        own_logs = {pod.ref: observed.logs_of(pod) for pod in pods.values()}
        vain = _own(plugin, asked, own_logs.values())
        names = _names(plugin, own_logs.values(), vain)
        places = {*pods, *(node.name for node in wanted[plugin.component.ref])}
        for place in sorted(places & set(nodes)):
            pod = pods.get(place)
            gate = observed.verdicts.gate(plugin.component.ref, place)
            found.append(
                Post(
                    plugin=plugin,
                    node=nodes[place],
                    pod=pod,
                    raw=raw.get((pod.namespace, pod.name), {}) if pod else {},
                    logs=own_logs[pod.ref] if pod else (),
                    names=names,
                    symptoms=tuple(short[place, name] for name in names if (place, name) in short),
                    vain=vain,
                    now=observed.now,
                    condemned=gate,
                    waited=bool(gate) and observed.verdicts.waited(place),
                )
            )
    return tuple(found)


def _newest(pods: Iterable[Pod]) -> dict[str, Pod]:
    """The newest pod of each node that has not ended."""
    alive = (pod for pod in pods if pod.node and not pod.terminal)
    return {pod.node: pod for pod in sorted(alive, key=lambda pod: (pod.created, pod.name))}


def _names(
    plugin: "Plugin", logs: Iterable[Sequence[tuple[LogId, Log]]], vain: Iterable[str]
) -> tuple[str, ...]:
    """What it is known to offer or its log speaks of, and what its users wait for."""
    written = () if plugin.resources else names_in(log for each in logs for _, log in each)
    return tuple(sorted({*plugin.resources, *written, *vain}))


def _own(
    plugin: "Plugin", asked: Iterable[str], logs: Iterable[Sequence[tuple[LogId, Log]]]
) -> tuple[str, ...]:
    """Those names that are the plugin's to offer: of its family or domain, or in its log."""
    domains = {name.partition("/")[0] for name in plugin.resources}
    lines = None
    found = []
    for name in sorted(asked):
        domain, _, last = name.partition("/")
        if plugin.family.offers(name) or domain in domains:
            found.append(name)
            continue
        if lines is None:
            lines = [line for each in logs for _, log in each for line in log.lines]
        # Some plugins leave the domain out; behind another domain it is another name.
        alone = re.compile(rf"(?<![\w./-]){re.escape(last)}(?![\w/-])")
        if any(last in line and (name in line or alone.search(line)) for line in lines):
            found.append(name)
    return tuple(found)


def _asked_in_vain(observed: Observed, nodes: Iterable[Node]) -> frozenset[str]:
    """Names that pods ask for and that no node has a healthy device of."""
    asked = {name for pod in observed.snapshot.pods if not pod.terminal for name in pod.requests}
    there = {name for node in nodes for name, offer in node.offers.items() if offer.allocatable}
    return frozenset(asked - there)


def container_mounting(template: JsonObject, directory: str) -> JsonObject | None:
    """The first container that mounts a host path with this directory in it."""
    spec = child(template, "spec")
    volumes = {
        text(item, "name")
        for item in children(spec, "volumes")
        if directory in text(item, "hostPath", "path").split("/")
    }
    for item in children(spec, "containers"):
        if any(text(mount, "name") in volumes for mount in children(item, "volumeMounts")):
            return item
    return None

"""Pods that use devices, with what their own logs and containers say of them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from bridgehead.core.components.signature import LogPattern
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.observed import Log, LogId
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.device import is_extended
from bridgehead.core.model.json import JsonObject, children, text
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.times import epoch


class User(msgspec.Struct, frozen=True, kw_only=True):
    """A pod that was given devices, with its logs: current ones before previous ones."""

    pod: Pod
    raw: JsonObject
    logs: tuple[tuple[LogId, Log], ...]

    @property
    def resources(self) -> tuple[str, ...]:
        """Extended resources that it asks for, sorted."""
        return tuple(sorted(name for name in self.pod.requests if is_extended(name)))

    @property
    def runtime_class(self) -> str:
        """Its RuntimeClass, or an empty string for the node's default runtime."""
        return text(self.raw, "spec", "runtimeClassName")

    @property
    def started(self) -> float:
        """When its containers that run now began; when it was made, where nothing tells."""
        times = [
            epoch(text(item, "state", "running", "startedAt"))
            for item in children(self.raw, "status", "containerStatuses")
        ]
        return max((time for time in times if time is not None), default=self.pod.created)

    def says(self, pattern: LogPattern) -> Evidence | None:
        """The last line of its logs, or what its containers ended or wait with, of this sort."""
        regex = re.compile(pattern.regex, re.IGNORECASE)
        for key, log in self.logs:
            for index in range(len(log.lines) - 1, -1, -1):
                if regex.search(log.lines[index]):
                    return Evidence(f"log {key}:{log.number_of(index)}", log.lines[index])
        for item in (*self.pod.init_containers, *self.pod.containers):
            for said in (item.message, item.last_message):
                if regex.search(said):
                    source = f"status of container {item.name} of pod {self.pod.ref}"
                    return Evidence(source, said)
        return None


def users(scene: Scene) -> tuple[User, ...]:
    """Bound pods that ask for devices and have not been refused, in the order of their names."""
    return tuple(
        User(pod=pod, raw=scene.raw(pod), logs=scene.observed.logs_of(pod))
        for pod in sorted(scene.observed.snapshot.pods, key=lambda item: item.ref)
        if pod.bound and not pod.deleting and not pod.refused and pod.requests
    )


def users_by_node(found: Iterable[User]) -> Mapping[str, tuple[User, ...]]:
    """The same by node."""
    groups: dict[str, list[User]] = defaultdict(list)
    for user in found:
        groups[user.pod.node].append(user)
    return {node: tuple(items) for node, items in sorted(groups.items())}

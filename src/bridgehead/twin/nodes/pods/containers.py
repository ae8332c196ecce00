"""Containers and sandboxes as the runtime has them; they outlive the kubelet."""

from collections.abc import Callable
from typing import Literal

import msgspec

from bridgehead.twin.nodes.programs.process import Process

State = Literal["created", "running", "exited"]


class Container(msgspec.Struct, kw_only=True):
    """One life of a container; a restart makes another one."""

    uid: str
    """Of its pod."""
    sandbox: str
    """Id of the sandbox in which it was made."""
    name: str
    id: str
    """As the runtime numbers it, with its scheme: ``containerd://...``."""
    attempt: int
    image: str
    image_id: str
    state: State = "created"
    started: float = 0.0
    finished: float = 0.0
    """Seconds since the epoch."""
    exit_code: int = 0
    reason: str = ""
    message: str = ""
    log: list[tuple[float, str]] = []
    """When, and the line."""
    followers: list[Callable[[], None]] = []
    """Told when there is a line more, and when it has ended."""
    process: Process | None = None

    def write(self, moment: float, line: str) -> None:
        """A line of log."""
        self.log.append((moment, line))
        self.tell_followers()

    def tell_followers(self) -> None:
        """Something about its log has changed."""
        for follower in self.followers:
            follower()


class Sandbox(msgspec.Struct, kw_only=True):
    """A pod as the runtime has it."""

    uid: str
    id: str
    ip: str = ""
    ready: bool = True
    attempt: int = 0
    containers: dict[str, list[Container]] = {}
    """By name, the newest last; the runtime keeps two of each."""

    def latest(self, name: str) -> Container | None:
        """The newest container of that name."""
        of_name = self.containers.get(name)
        return of_name[-1] if of_name else None

    def current(self, name: str) -> Container | None:
        """The newest container of that name that was made in this sandbox."""
        found = self.latest(name)
        return found if found is not None and found.sandbox == self.id else None

    def add(self, container: Container) -> None:
        """A container was made; of those before it only the last is kept."""
        self.containers[container.name] = [
            *self.containers.get(container.name, ())[-1:],
            container,
        ]

    def running(self) -> list[Container]:
        """All containers that run."""
        newest = [of_name[-1] for of_name in self.containers.values()]
        return [item for item in newest if item.state == "running"]

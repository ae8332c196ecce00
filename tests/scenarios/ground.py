"""On what a scenario is played: a cluster of real kubelets, or a twin.

What both can do is asked of them in one way; all else of a playing is the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar

from bridgehead.kube.client import Kube
from testbed.api import Api

P = ParamSpec("P")
T = TypeVar("T")

HOST = "scenario"
"""Of which machine a rollout in this process says that it is its."""


@dataclass(frozen=True)
class Typed:
    """A command as it is typed, and where: in which folder, and with which environment."""

    words: list[str]
    """Without the program's name."""
    folder: Path | None = None
    environment: Mapping[str, str] | None = None
    """None: as here."""
    host: str = ""
    """Another machine's name."""


@dataclass(frozen=True)
class Done:
    """What came of a command."""

    exit: int
    out: str
    err: str


class Machine(Protocol):
    """A node, as somebody with a login on it has it in hand."""

    @property
    def name(self) -> str:
        """The node's."""
        ...

    def start_kubelet(self) -> None:
        """Start it."""
        ...

    def stop_kubelet(self) -> None:
        """Stop it; the containers run on."""
        ...

    def restart_kubelet(self) -> None:
        """Stop it and start it again."""
        ...

    def restart_containerd(self) -> None:
        """Stop the runtime and start it again."""
        ...

    def repair(self) -> None:
        """Let everything run that was stopped."""
        ...

    def create_file(self, path: str) -> None:
        """Make an empty file."""
        ...

    def remove_file(self, path: str) -> None:
        """Take a file away."""
        ...

    def remove_files(self, folder: str) -> None:
        """Take all files of a folder away."""
        ...


class Ground(Protocol):
    """A cluster to play on."""

    @property
    def api(self) -> Api:
        """The administrator's requests."""
        ...

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        ...

    @property
    def audit_log(self) -> Path:
        """What users asked, a line each."""
        ...

    @property
    def registry_address(self) -> str:
        """Host and port from which nodes pull images."""
        ...

    def user_kubeconfig(self, name: str) -> Path:
        """A user's, who has no permissions yet."""
        ...

    def put_images(
        self, versions: Mapping[str, Mapping[str, Any]], hold: str, mark: str, nodes: list[str]
    ) -> None:
        """Give nodes images of the fake driver (name and knobs) and of the workload ``hold``.

        ``mark`` makes them unmistakable.
        """
        ...

    def start_healing(self, folder: Path, *, manager: str, name: str) -> None:
        """Put a folder of manifests back every second, as a GitOps tool does."""
        ...

    def stop_healing(self, folder: Path, *, name: str) -> None:
        """End that, if it was begun."""
        ...

    def command(self, typed: Typed, *, timeout: float) -> Done:
        """Run bridgehead's command line to its end. Raises UnfitStageError where there is none."""
        ...

    async def in_turn(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of code that blocks, while the loop goes on."""
        ...

    async def connect(self, kubeconfig: Path) -> Kube:
        """A client of the product's own."""
        ...

    def clock(self) -> float:
        """Seconds since the epoch, where it is played."""
        ...

    def steady(self) -> float:
        """Seconds since some moment, without jumps."""
        ...

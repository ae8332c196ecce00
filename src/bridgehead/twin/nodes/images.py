"""How images behave: a catalogue by reference, and overlays that faults put over it.

An image that nobody has described is a plain container: it starts, stays Ready and stops when told
to. One of a known family of device plugins, or one whose pod mounts the kubelet's folder of
plugins, is a device plugin that offers what its node has.
"""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from bridgehead.twin.nodes.stages import Stage

if TYPE_CHECKING:
    from bridgehead.twin.nodes.fleet import Machine

Program = Literal["", "plain", "plugin", "hold", "run"]


class Pull(msgspec.Struct, frozen=True, kw_only=True):
    """What happens when a node fetches an image."""

    error: str = ""
    """Why it cannot be fetched, as the runtime says it."""
    delay: float | None = None
    """Seconds that it takes; None for the stage's usual time."""
    present: bool = False
    """Whether every node has it from the start."""


class Image(msgspec.Struct, frozen=True, kw_only=True):
    """What containers of an image do."""

    program: Program = ""
    """Empty: judged by its name and its pod."""
    knobs: Mapping[str, Any] = {}
    """Names of ``testbed/knobs.yaml``, of a device plugin; the container's environment decides."""
    environment: Mapping[str, str] = {}
    pull: Pull = Pull()
    commands: tuple[str, ...] | None = None
    """Files that can be run. None: all but hidden ones, whose name begins with a dot."""
    duration: float = 0.0
    exit_code: int = 0
    """Of a ``run``: it ends by itself after so many seconds, with this code."""
    ready_after: float = 0.0
    """Seconds after its start from which its probes succeed; infinite for never."""
    dies_after: float | None = None
    """Seconds after its start from which its probes fail."""


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is different about some images on some nodes."""

    image: str = "*"
    """Pattern of references, as file names are matched."""
    where: Callable[["Machine"], bool] = lambda _machine: True
    knobs: Mapping[str, Any] = {}
    pull: Pull | None = None
    stages: Mapping[str, Stage] = {}

    def covers(self, reference: str, machine: "Machine") -> bool:
        """Whether it holds for an image on a node."""
        return fnmatchcase(reference, self.image) and self.where(machine)


class Images:
    """The catalogue."""

    def __init__(self) -> None:
        self._images: dict[str, Image] = {}
        self._overlays: list[Overlay] = []

    def add(self, reference: str, image: Image) -> None:
        """Describe an image, or all whose references match a pattern; the last word counts."""
        self._images.pop(reference, None)
        self._images[reference] = image

    def lay(self, overlay: Overlay) -> None:
        """Put a fault over the catalogue; later ones lie over earlier ones."""
        self._overlays.append(overlay)

    @property
    def overlays(self) -> tuple[Overlay, ...]:
        """The faults that lie over the catalogue."""
        return tuple(self._overlays)

    def lift(self, overlay: Overlay) -> None:
        """Take a fault away again; containers that run keep it until they start anew."""
        self._overlays.remove(overlay)

    def of(self, reference: str, machine: "Machine") -> Image:
        """How an image behaves on a node."""
        image = self._described(reference)
        for overlay in self._overlays:
            if overlay.covers(reference, machine):
                knobs = {**image.knobs, **overlay.knobs} if overlay.knobs else image.knobs
                image = msgspec.structs.replace(image, knobs=knobs, pull=overlay.pull or image.pull)
        return image

    def stage(self, name: str, reference: str, machine: "Machine") -> Stage | None:
        """The stage that an overlay puts in place of the table's."""
        found = None
        for overlay in self._overlays:
            if name in overlay.stages and overlay.covers(reference, machine):
                found = overlay.stages[name]
        return found

    def _described(self, reference: str) -> Image:
        exact = self._images.get(reference)
        if exact is not None:
            return exact
        for pattern, image in reversed(self._images.items()):
            if fnmatchcase(reference, pattern):
                return image
        return _UNKNOWN


_UNKNOWN = Image()

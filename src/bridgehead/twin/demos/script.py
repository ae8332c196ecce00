"""A demonstration as its file says it."""

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import msgspec


class _Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A mapping of the file."""


class Machines(_Part, frozen=True, kw_only=True):
    """Nodes of one kind."""

    names: tuple[str, ...]
    product: str
    kernel: str
    hardware: dict[str, int]


class PluginPart(_Part, frozen=True, kw_only=True):
    """The device plugin that all nodes run."""

    image: str
    resource: str


class ImagePart(_Part, frozen=True, kw_only=True):
    """What a version does wrong, and where."""

    knobs: dict[str, Any] = {}
    only_on: str = ""
    """A product or a node; empty for everywhere."""


class Job(_Part, frozen=True, kw_only=True):
    """A pod that holds devices and must not notice anything."""

    name: str
    node: str
    devices: int


class Act(_Part, frozen=True, kw_only=True):
    """One release, or going on with one that holds."""

    says: str
    image: str = ""
    retry: str = ""
    """A node that is mended now, and that the run that holds tries again; instead of an image."""
    exit: int


class Script(_Part, frozen=True, kw_only=True):
    """A whole demonstration."""

    title: str
    says: str
    machines: tuple[Machines, ...]
    plugin: PluginPart
    images: dict[str, ImagePart]
    jobs: tuple[Job, ...] = ()
    spec: dict[str, Any]
    """Keys of bridgehead.yaml beside the component and the change."""
    acts: tuple[Act, ...]


DEFAULT = "unlike-cards"


def names() -> list[str]:
    """Every demonstration, the usual one first."""
    return sorted(_files(), key=lambda name: (name != DEFAULT, name))


def script(name: str) -> Script:
    """One of ``names()``. Raises KeyError."""
    import yaml  # noqa: PLC0415 - help cannot wait for it

    read = _files()[name].read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(read), Script)


def _files() -> dict[str, Any]:
    folder = files("bridgehead.twin.demos")
    return dict(_yaml(folder.iterdir()))


def _yaml(entries: Iterator[Any]) -> Iterator[tuple[str, Any]]:
    for entry in entries:
        if entry.name.endswith(".yaml"):
            yield entry.name.removesuffix(".yaml"), entry

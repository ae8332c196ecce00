"""What plugins are told outside of their templates: settings of their configuration files."""

from collections.abc import Iterator

import msgspec

from bridgehead.core.components.family import family_of, plugin_containers
from bridgehead.core.components.init import ends_on_failed_init, init_values, reads_file
from bridgehead.core.components.signature import InitSwitch
from bridgehead.core.findings.configurations import Configuration, configurations_of
from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.model.json import JsonObject, child, children


class InitChoice(msgspec.Struct, frozen=True):
    """Whether a plugin ends when it cannot initialise, and the file that says so, if one does.

    ``ends`` is None where that is decided by something that is not among the files.
    """

    ends: bool | None
    by: Configuration | None = None


def init_choices(linted: Linted, plugin: Manifest) -> tuple[InitChoice, ...]:
    """One of the template, or one of each file that it may read; none: no such switch."""
    switch = family_of(plugin.template).init
    containers = plugin_containers(plugin.template)
    if switch is None or not containers:
        return ()
    told = ends_on_failed_init(plugin.template)
    if told is None and _file_decides(containers[0], switch):
        return tuple(_choices(files_read(linted, plugin, containers[0]), switch))
    return (InitChoice(told),)


def files_read(
    linted: Linted, plugin: Manifest, container: JsonObject
) -> tuple[Configuration, ...]:
    """The configurations that the container may read; none: it is not among the files.

    Of several the one that it is told to read; without such a word a node's label may choose.
    """
    own = tuple(it for it in configurations_of(linted, plugin) if not it.problem)
    named = (reads_file(container) or "").rpartition("/")[2]
    return tuple(item for item in own if item.key == named) or own


def _file_decides(container: JsonObject, switch: InitSwitch) -> bool:
    given = next(init_values(container, switch), None) is not None
    return reads_file(container) is not None and not (given or children(container, "envFrom"))


def _choices(found: tuple[Configuration, ...], switch: InitSwitch) -> Iterator[InitChoice]:
    if not found:
        yield InitChoice(None)
    for item in found:
        value = child(item.value, *switch.key)
        if value is None:
            yield InitChoice(switch.default, item)
        else:
            yield InitChoice(value if isinstance(value, bool) else None, item)

"""What lint was pointed at, read: files, folders, renderings, the standard input.

Objects that are meant for one cluster stand in one unit, so that rules which compare objects do not
compare a test overlay with its production.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from bridgehead.core.findings.manifest import Manifest
from bridgehead.core.findings.result import PassedOver
from bridgehead.core.findings.suppression import Ignore
from bridgehead.core.model.problem import Problem


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """Objects that go to one cluster together.

    ``complete``: nothing else belongs to them. ``fixable``: the files hold the objects as they are,
    so that a value can be changed there; not so for what was rendered.
    """

    manifests: tuple[Manifest, ...]
    complete: bool = False
    fixable: bool = False


class Lintable(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found. ``asked`` are problems with what was named, ``problems`` all others.

    ``specs`` are files that hold a spec of ours; ``files`` counts what was read.
    """

    units: tuple[Unit, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    specs: tuple[Path, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    problems: tuple[Problem, ...] = ()
    asked: tuple[Problem, ...] = ()
    files: int = 0


def units_of(manifests: Sequence[Manifest]) -> tuple[Unit, ...]:
    """Plain files as units: one, or one a folder where an object stands there twice.

    One cluster cannot hold two objects of one name, so folders that share a name are for several.
    """
    if not manifests:
        return ()
    named = [_identity(item) for item in manifests if item.ref.name]
    if len(named) == len(set(named)):
        return (Unit(manifests=tuple(manifests), fixable=True),)
    folders: dict[str, list[Manifest]] = {}
    for item in manifests:
        folders.setdefault(str(Path(item.file).parent), []).append(item)
    return tuple(Unit(manifests=tuple(items), fixable=True) for items in folders.values())


def joined(parts: Iterable[Lintable]) -> Lintable:
    """Several as one; what was found by two ways stays once."""
    every = list(parts)
    return Lintable(
        units=tuple(unit for part in every for unit in part.units),
        ignores=tuple(dict.fromkeys(item for part in every for item in part.ignores)),
        specs=tuple(dict.fromkeys(item for part in every for item in part.specs)),
        passed_over=tuple(sorted({item for part in every for item in part.passed_over})),
        problems=tuple(dict.fromkeys(item for part in every for item in part.problems)),
        asked=tuple(dict.fromkeys(item for part in every for item in part.asked)),
        files=sum(part.files for part in every),
    )


def _identity(item: Manifest) -> tuple[str, str, str, str]:
    ref = item.ref
    return (ref.api_version.rpartition("/")[0], ref.kind, ref.namespace, ref.name)

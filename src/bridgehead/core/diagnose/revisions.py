"""The templates that a DaemonSet has had: what changed, and whether the former one was good."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from bridgehead.core.model.component import Component, template_of
from bridgehead.core.model.json import JsonObject, child, text
from bridgehead.core.model.pod import REVISION_HASH
from bridgehead.core.model.times import epoch

if TYPE_CHECKING:
    from bridgehead.core.diagnose.scene import Scene


class PastTemplate(msgspec.Struct, frozen=True):
    """One revision with its template; empty where a record left it out. ``at`` is its creation."""

    name: str
    hash: str
    number: int
    template: JsonObject
    at: float | None = None


def templates_of(scene: "Scene", component: Component) -> tuple[PastTemplate, ...]:
    """All revisions of the component, oldest first."""
    hashes = {item.name for item in scene.observed.snapshot.revisions_of(component)}
    found = [
        _past(item)
        for item in scene.observed.of_kind("ControllerRevision")
        if text(item, "metadata", "namespace") == component.namespace
        and text(item, "metadata", "name") in hashes
    ]
    return tuple(sorted(found, key=lambda item: item.number))


def former_of(
    templates: Iterable[PastTemplate],
) -> tuple[PastTemplate | None, PastTemplate | None]:
    """The revision that stands and the newest other one before it; None where not known.

    A rollback gives an old revision a new number, so that the standing one is the newest.
    """
    known = tuple(templates)
    if not known:
        return None, None
    standing = known[-1]
    others = [item for item in known[:-1] if item.template != standing.template]
    return standing, (others[-1] if others else None)


def _past(item: JsonObject) -> PastTemplate:
    number = child(item, "revision")
    return PastTemplate(
        name=text(item, "metadata", "name"),
        hash=text(item, "metadata", "labels", REVISION_HASH),
        number=number if isinstance(number, int) else 0,
        template=template_of(item),
        at=epoch(text(item, "metadata", "creationTimestamp")),
    )

"""Nodes that one plugin leaves out for one reason, as a cause speaks of them."""

from collections.abc import Iterable

import msgspec

from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.unserved import Reason, Unserved, left_behind
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.model.component import Component


class LeftOut(msgspec.Struct, frozen=True):
    """At least one node of one plugin."""

    items: tuple[Unserved, ...]
    explains: tuple[str, ...]

    @property
    def first(self) -> Unserved:
        """The one that is quoted."""
        return self.items[0]

    @property
    def component(self) -> Component:
        """The plugin's DaemonSet."""
        return self.first.plugin.component

    @property
    def object(self) -> ObjectRef:
        """The same by its names."""
        return ObjectRef("apps/v1", "DaemonSet", self.component.namespace, self.component.name)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes."""
        return tuple(item.node.name for item in self.items)

    @property
    def where(self) -> str:
        """The nodes in words."""
        return f"{'node' if len(self.items) == 1 else 'nodes'} {listed(self.nodes)}"

    @property
    def severity(self) -> Severity | None:
        """INFO where nothing is seen to suffer by it: then it may well be meant so."""
        return None if self.explains else Severity.INFO

    @property
    def has(self) -> str:
        """``has`` or ``have``."""
        return "has" if len(self.items) == 1 else "have"

    @property
    def meets(self) -> str:
        """``meets`` or ``meet``."""
        return "meets" if len(self.items) == 1 else "meet"


def left_out(scene: Scene, *reasons: Reason) -> tuple[LeftOut, ...]:
    """One for each plugin that leaves out nodes for such a reason."""
    return tuple(
        LeftOut(items, left_behind(scene, items))
        for items in _by_plugin(item for item in scene.unserved if item.reason in reasons)
    )


def _by_plugin(items: Iterable[Unserved]) -> list[tuple[Unserved, ...]]:
    found: dict[str, list[Unserved]] = {}
    for item in items:
        found.setdefault(item.plugin.component.ref, []).append(item)
    return [tuple(each) for each in found.values()]

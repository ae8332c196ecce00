"""What was read of a cluster at one time, and what could not be read."""

import msgspec

from bridgehead.core.model.component import Component, Revision
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod


class Unread(msgspec.Struct, frozen=True):
    """Something that was needed and not read. It never counts as empty or as fine."""

    what: str
    why: str
    grant: str = ""
    """The permission that would help, as verb and resource; empty if it is not about permission."""


class OrderedUnread(Unread, frozen=True):
    """The same of what the user asked for by name: without it the work is not done."""


class Snapshot(msgspec.Struct, frozen=True):
    """One reading of a cluster."""

    at: float
    server: str = ""
    """Version that the API server reports; empty if it was not read."""
    nodes: tuple[Node, ...] = ()
    pods: tuple[Pod, ...] = ()
    components: tuple[Component, ...] = ()
    revisions: tuple[tuple[str, tuple[Revision, ...]], ...] = ()
    """Revisions of each component by its ``ref``."""
    namespaces_terminating: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()

    def revisions_of(self, component: Component) -> tuple[Revision, ...]:
        """The component's revisions, oldest first."""
        for ref, revisions in self.revisions:
            if ref == component.ref:
                return tuple(sorted(revisions, key=lambda item: item.number))
        return ()

"""What all nodes of a twin share."""

import random
from collections.abc import Callable
from functools import cached_property

from bridgehead.twin.clock import Clock
from bridgehead.twin.controllers.events import Type, record
from bridgehead.twin.kinds import Kind
from bridgehead.twin.nodes.fleet import Fleet
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import Registry

Refusal = Callable[[str, str, str, str], str]
"""User, verb, resource and name to the API server's words of a refusal; empty where it lets in."""


def nobody_is_refused(_user: str, _verb: str, _resource: str, _name: str) -> str:
    """Everybody may do everything."""
    return ""


class Context:
    """The cluster as its nodes see it."""

    def __init__(
        self, registry: Registry, fleet: Fleet, *, refusal: Refusal = nobody_is_refused
    ) -> None:
        self.registry = registry
        self.fleet = fleet
        self.refusal = refusal
        self.chance = random.Random(registry.identifiers.random.getrandbits(64))  # noqa: S311

    @property
    def clock(self) -> Clock:
        """The twin's."""
        return self.registry.clock

    @cached_property
    def pods(self) -> Kind:
        """The kind of pods."""
        return self.registry.kinds.named("", "pods")

    @cached_property
    def nodes(self) -> Kind:
        """The kind of nodes."""
        return self.registry.kinds.named("", "nodes")

    @cached_property
    def leases(self) -> Kind:
        """The kind of leases."""
        return self.registry.kinds.named("coordination.k8s.io", "leases")

    def hexadecimal(self, digits: int) -> str:
        """A number as a runtime or a machine makes them up."""
        return f"{self.chance.getrandbits(4 * digits):0{digits}x}"

    def event(
        self,
        involved: Object,
        type: Type,  # noqa: A002 - the field's name
        reason: str,
        message: str,
        *,
        host: str,
        field_path: str = "",
    ) -> None:
        """An event of a kubelet."""
        record(
            self.registry,
            involved,
            type,
            reason,
            message,
            component="kubelet",
            host=host,
            field_path=field_path,
        )

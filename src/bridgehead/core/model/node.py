"""A node as far as a rollout needs to know it."""

from collections.abc import Mapping

import msgspec

from bridgehead.core.model.device import Offer

HELD_BY = "bridgehead.dev/held-by"
"""Annotation of a node in flight: the run that keeps it out of scheduling."""
SCHEDULABLE_BEFORE = "bridgehead.dev/schedulable-before"
"""Annotation beside it: "true" where the run itself cordoned the node and may uncordon it."""
KEEP_CORDONED = "bridgehead.dev/keep-cordoned"
"""Annotation of a person's: whoever finishes with this node must leave it cordoned."""


class Taint(msgspec.Struct, frozen=True):
    """A taint as in ``node.spec.taints``."""

    key: str
    effect: str
    value: str = ""

    def __str__(self) -> str:
        """As ``kubectl taint`` writes it."""
        return (
            f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"
        )


class Node(msgspec.Struct, frozen=True):
    """One node: what it is, whether it takes pods, and which devices it offers."""

    name: str
    uid: str = ""
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    ready: bool | None = None
    """The Ready condition; None where the node has none or it is Unknown."""
    offers: Mapping[str, Offer] = {}
    os_image: str = ""
    kernel: str = ""
    runtime: str = ""
    arch: str = ""
    kubelet: str = ""
    boot_id: str = ""
    resource_version: str = ""
    holds: tuple[str, ...] = ()
    """Who holds it by objects elsewhere (maintenance objects, locks), in words for people."""

    @property
    def held_by(self) -> str:
        """The run that holds this node, or an empty string."""
        return self.annotations.get(HELD_BY, "")

    def offer(self, resource: str) -> Offer | None:
        """What the node says of ``resource``; None where the name was never registered here."""
        return self.offers.get(resource)

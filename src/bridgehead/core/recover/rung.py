"""The rungs of the recovery ladder, from waiting to what only a person does."""

from enum import Enum


class Rung(Enum):
    """One way to help, the gentlest first.

    R0 to R5 are the tool's own. The last three are never begun by it: they are printed as a
    runbook, or are the user's own command.
    """

    WAIT = "R0"
    RESTART = "R1"
    ROLL_BACK = "R2"
    PRUNE = "R3"
    CORDON = "R4"
    DEAD_NAME = "R5"
    DRAIN = "drain"
    KUBELET_RESTART = "kubelet-restart"
    REBOOT = "reboot"

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return _TITLES[self]

    @property
    def by_hand(self) -> bool:
        """Whether only a person, or a person's own command, does it."""
        return self in BY_HAND

    @property
    def writes(self) -> bool:
        """Whether it changes anything: waiting does not."""
        return self is not Rung.WAIT


_TITLES = {
    Rung.WAIT: "wait and sample again",
    Rung.RESTART: "restart the plugin pod of one node",
    Rung.ROLL_BACK: "roll back to the last good revision",
    Rung.PRUNE: "delete refused pods that a controller replaces",
    Rung.CORDON: "cordon the node",
    Rung.DEAD_NAME: "remove a dead resource name from the node's status",
    Rung.DRAIN: "drain the node",
    Rung.KUBELET_RESTART: "restart the kubelet",
    Rung.REBOOT: "reboot the node",
}

BY_HAND = frozenset({Rung.DRAIN, Rung.KUBELET_RESTART, Rung.REBOOT})


def rung_of(text: str) -> Rung | None:
    """The rung of that name; None where there is none."""
    return next((item for item in Rung if item.value == text), None)


AUTOMATIC = (Rung.RESTART, Rung.PRUNE, Rung.CORDON)
"""Rungs that may be done without a person at all, where a spec allows them."""


def may_do_alone(rung: Rung, allowed: Rung | None) -> bool:
    """Whether ``allow.recover`` reaches this rung; None allows nothing.

    R2 is the rollout's own answer to a failure, and R5 and what lies beyond need a person.
    """
    if allowed is None or rung not in AUTOMATIC:
        return False
    order = list(Rung)
    return order.index(rung) <= order.index(allowed)

"""Two instances of one resource on a node, as a surge makes them.

Up to and including 1.30.14 the kubelet keeps one endpoint a resource. kubernetes PR#135437 has
changed that: 1.37.2 tells endpoints apart by their sockets.
"""

import pytest

from tests.facts.lab import Lab

pytestmark = pytest.mark.cluster

LONG_ENOUGH = 8.0
"""Seconds in which a change would show: eight periods of node status."""


def test_the_last_to_register_wins(lab: Lab) -> None:
    lab.plugin(socketName="unique", inventory=4)
    lab.offers(("4", "4"))
    lab.plugin(socketName="unique", inventory=3, idPrefix="b")
    lab.offers(("3", "3"))


@pytest.mark.parametrize("leaves", ["older", "newer"])
def test_the_exit_of_one_of_two_sockets(lab: Lab, leaves: str) -> None:
    """1.37.2: nothing changes, not even the number, if the newer one listed fewer devices."""
    older = lab.plugin(socketName="unique", inventory=4)
    lab.offers(("4", "4"))
    newer = lab.plugin(socketName="unique", inventory=3, idPrefix="b")
    lab.offers(("3", "3"))

    lab.remove(older if leaves == "older" else newer)

    seen = lab.offers_seen(LONG_ENOUGH)
    assert seen[-1] == {"1.37": ("3", "3"), "1.30": ("3", "0")}[lab.release]


def test_two_on_one_socket_name(lab: Lab) -> None:
    """1.30.14: as with sockets of their own.

    1.37.2 takes the newer one for connected already; when the older one ends, the node goes on
    to offer its devices, pods are admitted and fail to start, and no plugin can register with
    that socket name until the kubelet restarts: handler.go drops the record of the first client
    together with that of the failed second one, as both have one path.
    """
    older = lab.plugin(inventory=4)
    lab.offers(("4", "4"))
    newer = lab.plugin(inventory=3, idPrefix="b")
    if lab.release == "1.30":
        lab.offers(("3", "3"))
        lab.remove(older)
        lab.offers(("3", "0"))
        return
    lab.until(lambda: "device plugin already connected" in lab.log(newer))

    lab.remove(older)
    lab.remove(newer)

    assert lab.offers_seen(LONG_ENOUGH) == [("4", "4")]
    refused = lab.holder()
    lab.until(lambda: lab.status(refused)["phase"] == "Failed")
    assert lab.status(refused)["reason"] == "UnexpectedAdmissionError"
    assert "connect: no such file or directory" in lab.status(refused)["message"]
    third = lab.plugin(inventory=2, idPrefix="c")
    lab.until(lambda: "device plugin already connected" in lab.log(third))
    assert lab.offer() == ("4", "4")

    lab.node.restart_kubelet()

    lab.offers(("2", "2"))

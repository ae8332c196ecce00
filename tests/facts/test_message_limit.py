"""How long the list of devices may be.

The kubelet reads no gRPC message above 4 MiB (4,194,304 bytes). A device costs its id and, with ids
of 128 characters or more, 15 bytes. The request for a preferred allocation is always shorter than
the list, so with one resource the list fails first.
"""

import pytest

from tests.facts.lab import Lab

pytestmark = pytest.mark.cluster

BELOW, ABOVE = 4_178, 4_180
"""Characters of an id: 1,000 devices make 4,193,000 and 4,195,000 bytes."""


def test_just_below_the_limit_devices_are_listed_chosen_and_allocated(lab: Lab) -> None:
    lab.plugin(inventory=1000, idLength=BELOW, preferredAllocation=True)
    lab.offers(("1k", "1k"))

    pod = lab.holder()

    lab.until(lambda: lab.status(pod)["phase"] == "Running")


def test_just_above_it_the_plugin_is_registered_and_the_node_has_nothing(lab: Lab) -> None:
    pod = lab.plugin(inventory=1000, idLength=ABOVE)

    lab.offers(("0", "0"))

    lab.until(lambda: "received message larger than max (4195000 vs. 4194304)" in lab.kubelet_log())
    assert "registered device plugin" in lab.log(pod)

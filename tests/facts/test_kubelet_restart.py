"""What a node says of its devices when its kubelet restarts."""

import pytest

from tests.facts.lab import Lab

pytestmark = pytest.mark.cluster


def test_devices_are_back_with_the_new_registration(lab: Lab) -> None:
    """Between the two the node shows 0/0, for less than a look may need."""
    pod = lab.plugin()
    lab.offers(("4", "4"))

    lab.node.restart_kubelet()

    lab.until(lambda: lab.log(pod).count("registered device plugin") == 2)
    lab.offers(("4", "4"))


def test_a_plugin_that_does_not_notice_stays_at_nothing(lab: Lab) -> None:
    lab.plugin(onKubeletRestart="ignore")
    lab.offers(("4", "4"))

    lab.node.restart_kubelet()

    lab.offers(("0", "0"))
    assert lab.offers_seen(10) == [("0", "0")]

"""Whether a resource name that was removed from a node's status stays away.

As long as the kubelet knows the name, for five minutes after the plugin's end or after a start that
found it in the checkpoint, it writes it back at the next status. After that it has forgotten it.
"""

import pytest

from tests.facts.lab import Lab

pytestmark = pytest.mark.cluster

FORGOTTEN = 300 + 30
"""Seconds after which the kubelet drops a plugin that is gone, with slack."""


def remove_name(lab: Lab) -> None:
    name = lab.resource.replace("/", "~1")
    lab.cluster.api.patch(
        f"/api/v1/nodes/{lab.node.name}/status",
        [
            {"op": "remove", "path": f"/status/{part}/{name}"}
            for part in ("capacity", "allocatable")
        ],
    )


def test_within_five_minutes_a_removed_name_comes_back(lab: Lab) -> None:
    pod = lab.plugin()
    lab.offers(("4", "4"))
    lab.remove(pod)
    lab.node.restart_kubelet()
    lab.offers(("0", "0"))

    remove_name(lab)

    lab.offers(("0", "0"))


@pytest.mark.long
@pytest.mark.parametrize("kubelet", ["stays", "restarts"])
def test_after_five_minutes_it_stays_away_and_a_restart_does_not_bring_it_back(
    lab: Lab, kubelet: str
) -> None:
    pod = lab.plugin()
    lab.offers(("4", "4"))
    lab.remove(pod)
    if kubelet == "restarts":
        lab.node.restart_kubelet()
        lab.offers(("0", "0"))
        lab.offers_seen(FORGOTTEN)
    else:
        lab.offers(("0", "0"), timeout=FORGOTTEN)

    remove_name(lab)
    assert lab.offers_seen(10) == [(None, None)]

    lab.node.restart_kubelet()
    assert lab.offers_seen(10) == [(None, None)]

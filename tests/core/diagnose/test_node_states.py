"""What a node's SR-IOV state says that the node should offer."""

from typing import Any

import pytest

from bridgehead.core.diagnose.node_states import expected_from_node_states

NAME = "intel.com/sriov_net"


def _state(span: str, made: int, sync: str = "Succeeded", card: str = "0000:81:00.0") -> Any:
    group = {"resourceName": "sriov_net", "vfRange": span}
    functions = [{"vfID": number} for number in range(made)]
    return {
        "metadata": {"name": "n1"},
        "spec": {"interfaces": [{"pciAddress": "0000:81:00.0", "vfGroups": [group]}]},
        "status": {"syncStatus": sync, "interfaces": [{"pciAddress": card, "Vfs": functions}]},
    }


@pytest.mark.parametrize("span", ["0-3", "ens3f0#0-3"])
def test_functions_of_a_group_that_there_are_are_expected(span: str) -> None:
    found = expected_from_node_states([_state(span, 8)], [NAME, "intel.com/other"])
    assert {key: item.count for key, item in found.items()} == {("n1", NAME): 4}


@pytest.mark.parametrize(
    "state",
    [
        _state("0-3", 8, sync="InProgress"),
        _state("0-3", 0),
        _state("0-3", 8, card="0000:82:00.0"),
        _state("all", 8),
    ],
    ids=["not carried out", "none made", "of another card", "no range"],
)
def test_nothing_is_expected_of_functions_that_are_not_there(state: Any) -> None:
    assert expected_from_node_states([state], [NAME]) == {}

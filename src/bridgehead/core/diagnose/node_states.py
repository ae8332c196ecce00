"""How many virtual functions the SR-IOV network operator has made on a node, by resource.

Its daemon writes them into one object for each node: ``spec`` says which functions of a card are
for which resource, ``status`` lists those that there are
(https://github.com/k8snetworkplumbingwg/sriov-network-operator, ``api/v1``).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from bridgehead.core.diagnose.expectation import Expectation, Key
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import JsonObject, child, children, text

_RANGE = re.compile(r"(?:.*#)?(\d+)-(\d+)")
"""``0-7``, or with the name of the card before it."""


def expected_from_node_states(
    states: Iterable[JsonObject], resources: Collection[str]
) -> Mapping[Key, Expectation]:
    """By node and resource, of states that their daemon has carried out in full.

    ``resources`` are full names; a state has them without their prefix.
    """
    found: dict[Key, Expectation] = {}
    for state in states:
        if text(state, "status", "syncStatus") != "Succeeded":
            continue
        node, counts = text(state, "metadata", "name"), _functions(state)
        for resource in resources:
            count = counts[resource.rpartition("/")[2]]
            if count:
                basis = f"SriovNetworkNodeState/{node} lists so many virtual functions for it"
                found[node, resource] = Expectation(count, basis, Confidence.MEDIUM)
    return found


def _functions(state: JsonObject) -> Counter[str]:
    """How many functions there are of each resource."""
    made = {
        text(card, "pciAddress"): [it.get("vfID") for it in children(card, "Vfs")]
        for card in children(child(state, "status"), "interfaces")
    }
    counts: Counter[str] = Counter()
    for card in children(child(state, "spec"), "interfaces"):
        for group in children(card, "vfGroups"):
            asked = _RANGE.fullmatch(text(group, "vfRange"))
            if asked is None:
                continue
            span = range(int(asked[1]), int(asked[2]) + 1)
            there = made.get(text(card, "pciAddress"), [])
            counts[text(group, "resourceName")] += sum(it in span for it in there)
    return counts

"""Label selectors mean what the API server takes them for."""

import pytest

from bridgehead.core.inventory.label_selector import label_selector_matches
from bridgehead.core.model.json import JsonObject

LABELS = {"app": "gpu", "part": "plugin"}


def expression(key: str, operator: str, *values: str) -> JsonObject:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ({"matchLabels": {"app": "gpu"}}, True),
        ({"matchLabels": {"app": "gpu", "part": "exporter"}}, False),
        (expression("part", "In", "plugin", "exporter"), True),
        (expression("part", "NotIn", "exporter"), True),
        (expression("other", "NotIn", "x"), True),
        (expression("other", "Exists"), False),
        (expression("other", "DoesNotExist"), True),
        ({}, False),
    ],
)
def test_matching(selector: JsonObject, matches: bool) -> None:
    assert label_selector_matches(selector, LABELS) is matches

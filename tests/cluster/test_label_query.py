"""Selectors as list and watch take them."""

import pytest

from bridgehead.cluster.label_query import label_query
from bridgehead.core.model.json import JsonObject


@pytest.mark.parametrize(
    ("selector", "query"),
    [
        ({"matchLabels": {"b": "2", "a": "1"}}, "a=1,b=2"),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, "a"),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, "!a"),
        (
            {"matchExpressions": [{"key": "a", "operator": "In", "values": ["x", "y"]}]},
            "a in (x,y)",
        ),
        (
            {
                "matchLabels": {"app": "p"},
                "matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["x"]}],
            },
            "app=p,a notin (x)",
        ),
    ],
)
def test_a_selector_reads_as_kubectl_writes_it(selector: JsonObject, query: str) -> None:
    assert label_query(selector) == query

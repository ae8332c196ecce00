"""What a strategic merge patch must not make of a field."""

from typing import Any

import pytest

from bridgehead.twin.patches.restoring import misfits
from bridgehead.twin.schema.shapes import shape_named


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"hostPID": True, "containers": [{"name": "c", "ports": []}]}, None),
        ({"terminationGracePeriodSeconds": 30.0, "nodeName": None}, None),
        ({"hostPID": 1}, "unrecognized type: bool"),
        ({"hostPID": "x"}, "unrecognized type: bool"),
        ({"terminationGracePeriodSeconds": "x"}, "unrecognized type: int64"),
        ({"terminationGracePeriodSeconds": 1.5}, "cannot convert float64 to int64"),
        ({"nodeName": 1}, "cannot convert int64 to string"),
        ({"nodeName": {}}, "unrecognized type: string"),
        ({"containers": 1}, "cannot restore slice from int64"),
        ({"containers": {"a": 1}}, "cannot restore slice from map"),
        ({"containers": ["x"]}, "cannot restore struct from: string"),
        ({"nodeSelector": [1]}, "cannot restore map from slice"),
        ({"securityContext": False}, "cannot restore struct from: bool"),
    ],
)
def test_the_first_value_that_does_not_fit_is_told(spec: Any, why: str | None) -> None:
    shape = shape_named("", "v1", "Pod")
    assert next(misfits(shape, {"kind": "Pod", "spec": spec}), None) == why

"""Recorded objects may hold anything anywhere: a diagnosis is made of the rest."""

import copy
from collections.abc import Iterator
from typing import Any

from bridgehead.app.observed_recording import observed_of
from bridgehead.core.diagnose.judge import diagnose
from bridgehead.rules.diagnosis.unexplained.unexplained import RULE
from tests.core.diagnose.cluster import (
    EVERY_KIND,
    NOW,
    Object,
    daemon_set,
    event,
    node,
    plugin_pod,
    pod,
)

SHAPES: tuple[Any, ...] = (None, "text", -1, [], ["text"], {}, {"name": None})
REVISION: Object = {
    "apiVersion": "apps/v1",
    "kind": "ControllerRevision",
    "metadata": {
        "name": "plugin-1",
        "namespace": "gpu",
        "labels": {"controller-revision-hash": "a"},
        "ownerReferences": [{"kind": "DaemonSet", "name": "plugin", "controller": True}],
    },
    "revision": 1,
    "data": {"spec": {"template": {}}},
}
CLUSTER: list[Object] = [
    daemon_set(2),
    REVISION,
    node("n1"),
    node("n2", "0/0"),
    plugin_pod("n1", revision="a"),
    plugin_pod("n2", revision="a", waits="CrashLoopBackOff"),
    pod("train", asks=1),
    event("BackOff", "Pod", "plugin-n2", "back-off", namespace="gpu"),
]


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    entries: Any = value.items() if isinstance(value, dict) else ()
    entries = enumerate(value) if isinstance(value, list) else entries
    for step, inner in entries:
        yield (*path, step)
        yield from _paths(inner, (*path, step))


def _with(data: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.copy(data)
    changed[path[0]] = _with(data[path[0]], path[1:], value)
    return changed


def test_no_shape_of_a_value_stops_a_diagnosis() -> None:
    for number, item in enumerate(CLUSTER):
        for path in _paths(item):
            for shape in SHAPES:
                changed = _with(item, path, shape)
                objects = [*CLUSTER[:number], changed, *CLUSTER[number + 1 :]]
                found = diagnose(observed_of(objects, at=NOW, complete=EVERY_KIND), [RULE])
                assert found.failures == (), (item["kind"], path, shape)

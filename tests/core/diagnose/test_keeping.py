"""Field managers are kept where the time of a change tells something, and nowhere else."""

import pytest

from bridgehead.core.diagnose.keeping import trimmed
from bridgehead.core.model.json import JsonObject, JsonValue

WRITTEN: JsonValue = [{"manager": "daemon", "time": "2026-01-31T11:00:00Z"}]


@pytest.mark.parametrize("kind", ["Node", "DaemonSet", "ConfigMap", "SriovNetworkNodeState"])
def test_when_a_configuration_was_written_is_kept(kind: str) -> None:
    item: JsonObject = {"kind": kind, "metadata": {"name": "a", "managedFields": WRITTEN}}
    assert trimmed(item) == item


def test_who_wrote_a_pod_is_not() -> None:
    item: JsonObject = {"kind": "Pod", "metadata": {"name": "a", "managedFields": WRITTEN}}
    assert trimmed(item) == {"kind": "Pod", "metadata": {"name": "a"}}

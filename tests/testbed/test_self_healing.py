"""The self-healing controller sets back, under its name, what its folder names, and no more."""

from pathlib import Path

import pytest
import yaml

from testbed.cluster import Cluster
from testbed.self_healing import ARGO_CD, self_healing
from tests.testbed.conftest import until

pytestmark = pytest.mark.cluster


def test_what_the_folder_names_is_set_back_and_all_else_stays(
    cluster: Cluster, namespace: str, tmp_path: Path
) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps/settings"
    manifest = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": namespace},
        "data": {"colour": "blue"},
    }
    (tmp_path / "settings.yaml").write_text(yaml.safe_dump(manifest))
    controller = self_healing(cluster.state, tmp_path, period=0.5, name=namespace)
    cluster.api.create(path.rpartition("/")[0], {**manifest, "data": {}})
    controller.start()
    try:
        until(lambda: cluster.api.get(path).get("data") == {"colour": "blue"})
        cluster.api.patch(path, {"data": {"colour": "red", "other": "kept"}})
        until(lambda: cluster.api.get(path)["data"]["colour"] == "blue")
        found = cluster.api.get(path)
        assert found["data"]["other"] == "kept"
        assert ARGO_CD in {item["manager"] for item in found["metadata"]["managedFields"]}
    finally:
        controller.stop()
    assert controller.pid is None

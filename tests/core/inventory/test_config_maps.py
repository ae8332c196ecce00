"""ConfigMaps that nobody's plugin names are known by name only."""

from bridgehead.core.inventory.config_maps import config_maps_of, without_unnamed_data
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject

TEMPLATE: JsonObject = {
    "spec": {
        "containers": [
            {
                "name": "c",
                "env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "by-key"}}}],
                "envFrom": [{"configMapRef": {"name": "by-env"}}],
            }
        ],
        "volumes": [
            {"name": "v", "configMap": {"name": "by-volume"}},
            {"name": "p", "projected": {"sources": [{"configMap": {"name": "projected"}}]}},
            {"name": "h", "hostPath": {"path": "/x"}},
        ],
    }
}


def config_map(name: str, namespace: str = "gpu") -> JsonObject:
    return {
        "kind": "ConfigMap",
        "metadata": {"namespace": namespace, "name": name},
        "data": {"config.yaml": "version: v1"},
        "binaryData": {"blob": "AA=="},
    }


def test_a_template_names_config_maps_in_four_ways() -> None:
    assert config_maps_of(TEMPLATE) == {"by-key", "by-env", "by-volume", "projected"}


def test_only_named_ones_of_the_same_namespace_keep_their_data() -> None:
    component = Component(
        namespace="gpu",
        name="plugin",
        uid="",
        generation=1,
        observed_generation=1,
        template=TEMPLATE,
        strategy={},
        selector={},
    )
    secretive: JsonObject = {"kind": "Secret", "data": {"a": "b"}}
    mine, others, elsewhere = (
        config_map("by-volume"),
        config_map("coredns"),
        config_map("by-volume", "other"),
    )
    found = without_unnamed_data([mine, others, elsewhere, secretive], [component])
    assert found[0] == mine
    assert [set(item) for item in found[1:3]] == [{"kind", "metadata"}] * 2
    assert found[3] == secretive

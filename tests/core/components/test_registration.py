"""Device plugins are known by the directories they mount, not by labels."""

import pytest

from bridgehead.core.components.registration import is_device_plugin, mounted, registers
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject


@pytest.mark.parametrize(
    ("path", "unknown", "known"),
    [
        ("/var/lib/kubelet/device-plugins", True, True),
        ("/var/lib/kubelet/device-plugins/", True, True),
        ("/var/lib/kubelet/device-plugins/kubelet.sock", True, True),
        ("/data/kubelet/device-plugins", True, True),
        ("/var/lib/kubelet/device-plugins/state-of-its-own", False, False),
        ("/var/lib/kubelet/plugins_registry", False, True),
        ("/var/lib/kubelet", False, True),
        ("/mnt/kubelet", False, True),
        ("/var/lib", False, True),
        ("/", False, True),
        ("/var/log", False, False),
        ("/dev", False, False),
        ("/opt/my-device-plugins", False, False),
    ],
)
def test_a_parent_counts_only_beside_a_known_image(path: str, unknown: bool, known: bool) -> None:
    assert registers([path], known=False) is unknown
    assert registers([path], known=True) is known


def test_a_volume_counts_only_if_a_container_mounts_it() -> None:
    template: JsonObject = {
        "spec": {
            "volumes": [
                {"name": "a", "hostPath": {"path": "/a"}},
                {"name": "b", "hostPath": {"path": "/b"}},
                {"name": "c", "emptyDir": {}},
            ],
            "initContainers": [{"volumeMounts": [{"name": "b", "mountPath": "/x"}]}],
            "containers": [{"volumeMounts": [{"name": "c", "mountPath": "/y"}]}],
        }
    }
    assert mounted(template) == ("/b",)


@pytest.mark.parametrize(
    ("image", "inside", "read_only", "is_one"),
    [
        ("registry.example/agent:1", "/host/dp", True, False),
        ("registry.example/agent:1", "/host/dp", False, True),
        ("registry.example/agent:1", "/var/lib/kubelet/device-plugins/", True, True),
        ("nvcr.io/nvidia/k8s-device-plugin:v0.17.1", "/host/dp", True, True),
    ],
)
def test_an_unknown_image_that_may_only_read_elsewhere_watches_plugins_and_is_none(
    image: str, inside: str, read_only: bool, is_one: bool
) -> None:
    mount: JsonObject = {"name": "d", "mountPath": inside, "readOnly": read_only}
    template: JsonObject = {
        "spec": {
            "volumes": [{"name": "d", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}],
            "containers": [{"name": "c", "image": image, "volumeMounts": [mount]}],
        }
    }
    component = Component(
        namespace="n",
        name="p",
        uid="",
        generation=0,
        observed_generation=0,
        template=template,
        strategy={},
        selector={},
    )
    assert is_device_plugin(component) is is_one

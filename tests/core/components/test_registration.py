"""Device plugins are known by the directories they mount, not by labels."""

import pytest

from bridgehead.core.components.registration import mounted, registers
from bridgehead.core.model.json import JsonObject


@pytest.mark.parametrize(
    ("path", "unknown", "known"),
    [
        ("/var/lib/kubelet/device-plugins", True, True),
        ("/var/lib/kubelet/device-plugins/", True, True),
        ("/var/lib/kubelet/device-plugins/kubelet.sock", True, True),
        ("/data/kubelet/device-plugins", True, True),
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

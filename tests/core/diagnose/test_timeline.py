"""What happened on a node, in one line of time."""

from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.timeline import MOST, timeline
from bridgehead.core.findings.log_text import log_from
from bridgehead.core.findings.observed import LogId
from tests.core.diagnose.cluster import (
    ago,
    daemon_set,
    event,
    node,
    observed,
    plugin_pod,
    pod,
)


def told(scene: Scene, name: str = "n1") -> list[tuple[str, str]]:
    return [(item.at, item.what) for item in timeline(scene, name)[0]]


def test_everything_that_carries_a_time_stands_in_its_order() -> None:
    one = node("n1")
    one["metadata"]["managedFields"] = [
        {
            "manager": "nfd-master",
            "time": ago(5000),
            "fieldsV1": {
                "f:metadata": {"f:labels": {".": {}, "f:pci-10de": {}}},
                "f:spec": {"f:taints": {}},
            },
        }
    ]
    stamped = (
        f"{ago(3000).removesuffix('Z')}000000Z Registered device plugin for 'x/y' with Kubelet\n"
    )
    logs = {LogId("gpu", "plugin-n1", "ctr"): log_from(stamped)}
    train = pod("train", "n1", asks=2, age=100)
    warned = event("BackOff", "Pod", "plugin-n1", "back-off", namespace="gpu", age=50)
    scene = Scene(observed(daemon_set(), one, plugin_pod("n1"), train, warned, logs=logs))
    assert told(scene) == [
        (ago(90000), "the Node object was created"),
        (ago(86400), "Ready became True"),
        (ago(7200), "container ctr started"),
        (ago(7200), "plugin pod gpu/plugin-n1 was created"),
        (ago(5000), "nfd-master wrote labels pci-10de, taints"),
        (ago(3000), "Registered device plugin for 'x/y' with Kubelet"),
        (ago(100), "pod ml/train (2 vendor.example/card) was taken up"),
        (ago(50), "BackOff: back-off"),
    ]


def test_of_a_long_time_the_latest_is_kept_and_the_rest_counted() -> None:
    events = [event(f"Reason{n}", "Node", "n1", "x", age=1000 - n) for n in range(MOST + 5)]
    moments, earlier = timeline(Scene(observed(node("n1"), *events)), "n1")
    assert len(moments) == MOST
    assert earlier == 7
    assert moments[-1].what == f"Reason{MOST + 4}: x"


def test_what_lies_in_the_future_did_not_happen() -> None:
    scene = Scene(observed(node("n1"), event("Odd", "Node", "n1", "x", age=-500)))
    assert "Odd: x" not in [what for _, what in told(scene)]

"""What has just begun is neither a symptom nor health: it is to be looked at again."""

import pytest

from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.diagnose.judge import diagnose
from bridgehead.core.diagnose.question import EVERYTHING, Question
from tests.core.diagnose.cluster import (
    CARD,
    Object,
    ago,
    daemon_set,
    event,
    log,
    node,
    observed,
    plugin_pod,
    pod,
)

PLUGIN = "daemonset/gpu/plugin"
STARTED = event("Starting", "Node", "n4", "Starting kubelet.", age=20)


def sound(count: int = 3) -> list[Object]:
    names = [f"n{number}" for number in range(1, count + 1)]
    return [daemon_set(count), *map(node, names), *map(plugin_pod, names)]


def told(*objects: Object, about: Question = EVERYTHING) -> Diagnosis:
    return diagnose(observed(*objects), (), about)


def test_devices_missing_in_the_first_minute_of_a_pod_are_not_known_to_come() -> None:
    found = told(*sound(), node("n4", "0/0"), plugin_pod("n4", age=20))
    assert (found.healthy, found.symptoms) == (None, ())
    (point,) = found.too_early
    assert (point.component, point.node, point.again) == (PLUGIN, "n4", 40)
    assert point.text.startswith("plugin pod gpu/plugin-n4 on node n4 started 20 s ago; node n4")
    assert f"shows {CARD} 0/0, expected 4" in point.text
    assert found.again == 40


def test_devices_that_are_unhealthy_so_far_are_too_early_as_well() -> None:
    found = told(*sound(), node("n4", "4/0"), plugin_pod("n4", age=5))
    assert [item.again for item in found.too_early] == [55]


def test_the_first_pods_of_a_plugin_that_nobody_has_seen_a_device_of_are_too_early() -> None:
    found = told(daemon_set(), node("n1", ""), plugin_pod("n1", age=20))
    assert found.healthy is None
    assert [item.text for item in found.too_early] == [
        "plugin pod gpu/plugin-n1 on node n1 started 20 s ago; it offers nothing yet"
    ]


@pytest.mark.parametrize(
    "objects",
    [
        [*sound(), node("n4"), plugin_pod("n4", age=20)],
        [daemon_set(), node("n1", ""), plugin_pod("n1", age=7200)],
        [*sound(), node("n4", ""), plugin_pod("n4", age=20)],
        [*sound(), node("n4"), plugin_pod("n4"), STARTED],
    ],
    ids=[
        "the devices are there",
        "the pod is old",
        "nothing tells that the node has any, and others do",
        "the kubelet has just begun and the devices are there",
    ],
)
def test_what_only_looks_like_it_is_healthy(objects: list[Object]) -> None:
    found = told(*objects)
    assert (found.healthy, found.too_early, found.again) == (True, (), 0)


def test_a_pod_that_leaves_keeps_its_node_open_however_long_that_takes() -> None:
    leaving = plugin_pod("n4", deletionTimestamp=ago(3600))
    found = told(*sound(), node("n4", "0/0"), leaving)
    assert [(item.node, item.again) for item in found.too_early] == [("n4", 60)]
    assert "is on its way out" in found.too_early[0].text


def test_after_the_start_of_a_kubelet_its_node_is_too_early_to_judge() -> None:
    found = told(*sound(), node("n4", "0/0"), plugin_pod("n4"), STARTED)
    assert found.healthy is None
    (point,) = found.too_early
    assert point.text.startswith("the kubelet of node n4 started 20 s ago; ")


def test_another_question_is_not_kept_open_by_it() -> None:
    objects = [*sound(), node("n4", "0/0"), plugin_pod("n4", age=20)]
    assert told(*objects, about=Question(nodes=("n1",))).healthy is True
    assert told(*objects, about=Question(nodes=("n4",))).healthy is None
    assert told(*objects, about=Question(component=PLUGIN)).healthy is None


def test_a_pod_that_has_failed_already_is_judged() -> None:
    crashing = plugin_pod("n4", age=20, waits="CrashLoopBackOff")
    found = told(*sound(), node("n4", "0/0"), crashing)
    assert "pod/gpu/plugin-n4" in {item.key for item in found.symptoms}


def test_a_pod_whose_image_cannot_be_pulled_has_not_begun() -> None:
    waiting = plugin_pod("n4", age=3, waits="ErrImagePull")
    found = told(*sound(), node("n4", "4/0"), waiting)
    assert found.too_early == ()
    assert "pod/gpu/plugin-n4" in {item.key for item in found.symptoms}


def test_a_workload_that_has_just_begun_is_no_plugin() -> None:
    assert told(*sound(), pod("train", "n1", asks=1, age=5)).too_early == ()


def test_a_plugin_whose_pods_are_on_their_way_is_too_early() -> None:
    young = daemon_set(2, 1)
    young["metadata"]["creationTimestamp"] = ago(10)
    found = told(young, node("n1"), node("n2"), plugin_pod("n1"))
    assert found.healthy is None
    assert [(item.node, item.text, item.again) for item in found.too_early] == [
        ("", "DaemonSet/gpu/plugin wants 2 pods and has 1 so far", 50)
    ]


def test_a_plugin_that_has_lacked_pods_for_long_is_no_longer_early() -> None:
    found = told(daemon_set(2, 1), node("n1"), node("n2"), plugin_pod("n1"))
    assert found.too_early == ()
    assert "daemonset/gpu/plugin" in {item.key for item in found.symptoms}


def test_pods_that_are_refused_are_not_on_their_way() -> None:
    young = daemon_set(2, 1)
    young["metadata"]["creationTimestamp"] = ago(10)
    no = event("FailedCreate", "DaemonSet", "plugin", "Error creating", namespace="gpu", age=5)
    found = told(young, node("n1"), node("n2"), plugin_pod("n1"), no)
    assert found.too_early == ()


@pytest.mark.parametrize(
    ("offer", "lines", "what"),
    [
        ("0/0", (), f"the node shows {CARD} 0/0 so far"),
        ("", ("No devices found. Waiting indefinitely.",), "its log says: "),
    ],
)
def test_a_young_pod_where_nothing_tells_of_devices_but_something_of_trouble(
    offer: str, lines: tuple[str, ...], what: str
) -> None:
    others = [node("n1"), plugin_pod("n1"), node("n2", "2/2"), plugin_pod("n2")]
    new = [
        node("n4", offer, labels={"node.kubernetes.io/instance-type": "other"}),
        plugin_pod("n4", age=49),
    ]
    logs = dict([log("n4", *lines)]) if lines else {}
    found = diagnose(observed(daemon_set(3), *others, *new, logs=logs), (), EVERYTHING)
    assert found.healthy is None
    (point,) = found.too_early
    assert (point.node, point.again) == ("n4", 11)
    assert what in point.text

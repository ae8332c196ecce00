"""What is wrong is seen; what only looks wrong is not."""

from tests.core.diagnose.cluster import (
    CARD,
    NOW,
    Object,
    daemon_set,
    event,
    keys,
    node,
    plugin_pod,
    pod,
    revision,
    scene,
)

REFUSED = {
    "phase": "Failed",
    "reason": "UnexpectedAdmissionError",
    "message": "Allocate failed due to no healthy devices present",
}


def sound(count: int = 3) -> list[Object]:
    names = [f"n{number}" for number in range(1, count + 1)]
    return [daemon_set(count), *map(node, names), *map(plugin_pod, names)]


def test_a_sound_cluster_has_no_symptom() -> None:
    assert keys(*sound()) == []


def test_a_node_without_its_devices_is_one_where_others_have_theirs() -> None:
    assert keys(*sound(), node("n4", "0/0"), plugin_pod("n4")) == [f"devices/n4/{CARD}"]


def test_unhealthy_devices_are_missed_whatever_others_have() -> None:
    found = scene(daemon_set(), node("n1", "4/3"), plugin_pod("n1")).symptoms
    assert [item.text for item in found] == [
        f"node n1 shows {CARD} 4/3, expected 4 (its capacity counts so many)"
    ]


def test_fewer_devices_than_pods_hold_are_missed() -> None:
    objects = (daemon_set(), node("n1", "2/2"), plugin_pod("n1"), pod("train", "n1", asks=4))
    assert keys(*objects) == [f"devices/n1/{CARD}"]


def test_where_no_node_has_any_a_pod_that_asks_tells_that_there_should_be_one() -> None:
    dark = (daemon_set(), node("n1", "0/0"), plugin_pod("n1"))
    assert keys(*dark) == []
    assert f"devices/n1/{CARD}" in keys(*dark, pod("train", asks=1))


def test_a_node_that_is_not_ready_is_the_nodes_trouble() -> None:
    down = node("n4", "0/0", ready="Unknown")
    waiting = plugin_pod("n4", waits="CrashLoopBackOff")
    hanging = pod("other", "n4", phase="Pending", startTime=None)
    assert keys(*sound(), down, waiting, hanging) == []


def test_a_cordoned_node_with_its_devices_is_sound() -> None:
    assert keys(*sound(), node("n4", unschedulable=True), plugin_pod("n4")) == []


def test_a_node_that_others_work_on_is_left_alone() -> None:
    taint = {"key": "medik8s.io/drain", "effect": "NoSchedule"}
    assert keys(*sound(), node("n4", "0/0", taints=[taint]), plugin_pod("n4")) == []


def test_machines_with_fewer_cards_are_other_machines() -> None:
    assert keys(*sound(), node("n4", "2/2"), plugin_pod("n4")) == []
    assert keys(*sound(), node("n4", "1/1"), plugin_pod("n4"), node("n5", "2/2")) == []


def test_one_node_among_many_of_its_kind_with_fewer_is_short() -> None:
    assert keys(*sound(6), node("n7", "3/3"), plugin_pod("n7")) == [f"devices/n7/{CARD}"]


def test_fewer_cards_on_nodes_of_another_revision_alone_are_missed() -> None:
    old = [plugin_pod(name, revision="a") for name in ("n1", "n2")]
    nodes = [daemon_set(3), node("n1"), node("n2"), node("n3", "2/2")]
    assert keys(*nodes, *old, plugin_pod("n3", revision="b")) == [f"devices/n3/{CARD}"]
    assert keys(*nodes, *old, plugin_pod("n3", revision="a")) == []


def test_a_node_with_a_sibling_of_the_name_is_as_its_configuration_has_it() -> None:
    sliced = node("n4", "0/0")
    sliced["status"]["capacity"]["vendor.example/slice"] = "8"
    sliced["status"]["allocatable"]["vendor.example/slice"] = "8"
    assert keys(*sound(), sliced, plugin_pod("n4")) == []


def test_a_plugin_that_has_just_started_still_has_time() -> None:
    assert keys(*sound(), node("n4", "0/0"), plugin_pod("n4", age=20)) == []


def test_after_the_start_of_a_kubelet_no_value_is_a_verdict() -> None:
    started = event("Starting", "Node", "n4", "Starting kubelet.", age=20)
    assert keys(*sound(), node("n4", "0/0"), plugin_pod("n4"), started) == []


def test_a_node_of_which_nothing_tells_that_it_has_a_device_is_only_guessed() -> None:
    found = scene(*sound(), node("n4", ""), plugin_pod("n4")).symptoms
    assert [(item.key, item.guessed) for item in found] == [(f"devices/n4/{CARD}", True)]


def test_a_pod_that_was_refused_of_late_is_seen_and_one_of_yesterday_is_not() -> None:
    assert keys(*sound(), pod("new", "n1", asks=1, age=600, **REFUSED)) == ["pod/ml/new"]
    assert keys(*sound(), pod("old", "n1", asks=1, age=90000, **REFUSED)) == []


def test_a_workload_that_ended_or_is_not_ready_yet_is_its_owners_matter() -> None:
    ended = pod("done", "n1", asks=1, phase="Failed", reason="Error")
    succeeded = pod("good", "n1", asks=1, phase="Succeeded")
    loading = pod("loads", "n1", asks=1, conditions=[{"type": "Ready", "status": "False"}])
    assert keys(*sound(), ended, succeeded, loading) == []


def test_a_pod_behind_a_gate_is_held_back_on_purpose() -> None:
    gated = [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]
    assert keys(*sound(), pod("queued", asks=1, conditions=gated)) == []
    assert keys(*sound(), pod("waits", asks=1)) == ["pod/ml/waits"]


def test_a_pod_that_hangs_on_its_node_is_seen_though_it_asks_for_nothing() -> None:
    hanging = pod("other", "n1", phase="Pending", startTime=None, containerStatuses=[])
    assert keys(*sound(), hanging) == ["pod/ml/other"]


def test_a_name_that_nobody_offers_is_seen_with_its_pods() -> None:
    found = keys(*sound(), pod("waits", asks=1, resource="vendor.example/cart"))
    assert found == ["pod/ml/waits", "resource/vendor.example/cart"]


def test_that_no_node_wants_the_plugin_is_nothing_where_no_node_has_a_device() -> None:
    assert keys(daemon_set(0), node("n1", "")) == []
    assert "daemonset/gpu/plugin" in keys(daemon_set(0), node("n1", ""), pod("waits", asks=1))


def test_a_refused_creation_counts_while_a_pod_is_missing() -> None:
    refused = event("FailedCreate", "DaemonSet", "plugin", "forbidden: quota", namespace="gpu")
    assert keys(*sound(), refused) == []
    found = scene(daemon_set(2, 1), node("n1"), node("n2", "0/0"), plugin_pod("n1"), refused)
    assert found.symptoms[0].evidence[0].text == "forbidden: quota"


def updating(age: float) -> list[Object]:
    nodes = [node("n1"), node("n2")]
    pods = [plugin_pod("n1", revision="a"), plugin_pod("n2", revision="b", age=age)]
    revisions = [revision("a", 1, 9000), revision("b", 2, age)]
    return [daemon_set(2), *nodes, *pods, *revisions]


def test_an_update_that_makes_progress_is_no_symptom_and_one_that_stands_is() -> None:
    assert keys(*updating(120)) == []
    assert keys(*updating(3600)) == ["daemonset/gpu/plugin"]


def test_under_on_delete_old_pods_stay_on_purpose() -> None:
    objects = updating(3600)
    objects[0]["spec"]["updateStrategy"] = {"type": "OnDelete"}
    assert keys(*objects) == []


def test_the_reading_has_a_time_of_its_own() -> None:
    assert scene(*sound()).now == NOW

"""The words of ``kubectl get pods``."""

from typing import Any

import pytest

from bridgehead.twin.tables.pods import conditions, pod

NOW = 1_764_000_000.0
STAMP = "2025-11-24T16:00:00Z"  # NOW


def _pod(**status: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "a", "creationTimestamp": STAMP},
        "spec": {"containers": [{"name": "c"}]},
        "status": {"phase": "Running", **status},
    }


def _container(**state: Any) -> dict[str, Any]:
    return {"name": "c", "state": state}


def _status(obj: dict[str, Any]) -> str:
    return str(pod(obj, NOW)[2])


def test_a_ready_pod_is_running() -> None:
    status = {**_container(running={}), "ready": True}
    assert pod(_pod(containerStatuses=[status]), NOW)[:5] == ["a", "1/1", "Running", "0", "0s"]


def test_restarts_say_when_the_last_one_was() -> None:
    status = {
        **_container(waiting={"reason": "CrashLoopBackOff"}),
        "restartCount": 2,
        "lastState": {"terminated": {"exitCode": 1, "finishedAt": "2025-11-24T15:55:00Z"}},
    }
    cells = pod(_pod(containerStatuses=[status]), NOW)
    assert cells[1:4] == ["0/1", "CrashLoopBackOff", "2 (5m ago)"]


@pytest.mark.parametrize(
    ("ended", "word"),
    [
        ({"exitCode": 0, "reason": "Completed"}, "Completed"),
        ({"exitCode": 1, "reason": "Error"}, "Error"),
        ({"exitCode": 3}, "ExitCode:3"),
        ({"exitCode": 137, "signal": 9}, "Signal:9"),
    ],
)
def test_an_ended_container_gives_its_reason(ended: dict[str, Any], word: str) -> None:
    assert _status(_pod(containerStatuses=[_container(terminated=ended)])) == word


def test_a_completed_container_beside_a_running_one_leaves_the_pod_not_ready() -> None:
    done = _container(terminated={"exitCode": 0, "reason": "Completed"})
    runs = {**_container(running={}), "ready": True}
    assert _status(_pod(containerStatuses=[done, runs])) == "NotReady"
    ready = [{"type": "Ready", "status": "True"}]
    assert _status(_pod(containerStatuses=[done, runs], conditions=ready)) == "Running"


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ({"running": {}}, "Init:0/2"),
        ({"waiting": {"reason": "PodInitializing"}}, "Init:0/2"),
        ({"waiting": {"reason": "ErrImagePull"}}, "Init:ErrImagePull"),
        ({"terminated": {"exitCode": 1, "reason": "Error"}}, "Init:Error"),
        ({"terminated": {"exitCode": 2}}, "Init:ExitCode:2"),
    ],
)
def test_an_unfinished_init_container_is_told_first(state: dict[str, Any], word: str) -> None:
    obj = _pod(initContainerStatuses=[{"name": "i", "state": state}], phase="Pending")
    obj["spec"]["initContainers"] = [{"name": "i"}, {"name": "j"}]
    assert _status(obj) == word


def test_a_sidecar_counts_as_a_container() -> None:
    started = {"name": "s", "started": True, "ready": True, "state": {"running": {}}}
    obj = _pod(
        initContainerStatuses=[started],
        containerStatuses=[{**_container(running={}), "ready": True}],
    )
    obj["spec"]["initContainers"] = [{"name": "s", "restartPolicy": "Always"}]
    assert pod(obj, NOW)[1:3] == ["2/2", "Running"]


def test_a_refused_pod_shows_why() -> None:
    assert _status(_pod(phase="Failed", reason="UnexpectedAdmissionError")) == (
        "UnexpectedAdmissionError"
    )


def test_a_pod_being_deleted_is_terminating_unless_it_has_ended() -> None:
    obj = _pod(containerStatuses=[_container(running={})])
    obj["metadata"]["deletionTimestamp"] = STAMP
    assert _status(obj) == "Terminating"
    obj["status"] = {"phase": "Succeeded"}
    assert _status(obj) == "Succeeded"
    obj["status"] = {"phase": "Running", "reason": "NodeLost"}
    assert _status(obj) == "Unknown"


def test_readiness_gates_are_counted() -> None:
    obj = _pod(conditions=[{"type": "x", "status": "True"}])
    obj["spec"]["readinessGates"] = [{"conditionType": "x"}, {"conditionType": "y"}]
    assert pod(obj, NOW)[8] == "1/2"


def test_an_ended_pod_carries_a_condition_of_its_row() -> None:
    assert conditions(_pod()) == []
    assert conditions(_pod(phase="Failed"))[0]["message"] == "The pod failed."

"""Jobs, as a real controller manager treats them."""

from bridgehead.twin.controllers.job_pods import FINALIZER, INDEX, read_indexes, write_indexes
from bridgehead.twin.controllers.jobs import JobController
from bridgehead.twin.objects import Object, at, name_of
from tests.twin.controllers.cluster import Cluster, Nodes
from tests.twin.virtually import START, virtually


def cluster() -> Cluster:
    made = Cluster()
    Nodes(made)
    JobController(made.registry).start()
    return made


def job(outcome: str, **spec: object) -> Object:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "job:1"}]}
    manifest: Object = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "work"},
        "spec": {**spec, "template": {"metadata": {"labels": {"outcome": outcome}}, "spec": pod}},
    }
    return manifest


def condition(twin: Cluster, name: str) -> Object | None:
    conditions = at(twin.get("Job", "work"), "status", "conditions") or []
    return next((found for found in conditions if found["type"] == name), None)


@virtually
async def test_a_job_completes_when_enough_pods_have_succeeded() -> None:
    twin = cluster()
    twin.apply(job("succeed", completions=3, parallelism=2))
    await twin.until(lambda: len(twin.all("Pod")) == 2)
    assert all(FINALIZER in pod["metadata"]["finalizers"] for pod in twin.all("Pod"))
    await twin.until(lambda: condition(twin, "Complete"))
    status = twin.get("Job", "work")["status"]
    reached = "Reached expected number of succeeded pods"
    assert [
        (found["type"], found["status"], found["reason"], found["message"])
        for found in status["conditions"]
    ] == [
        ("SuccessCriteriaMet", "True", "CompletionsReached", reached),
        ("Complete", "True", "CompletionsReached", reached),
    ]
    counts = ("active", "succeeded", "failed", "ready", "terminating", "uncountedTerminatedPods")
    assert {key: status[key] for key in counts if key in status} == {
        "succeeded": 3,
        "ready": 0,
        "terminating": 0,
        "uncountedTerminatedPods": {},
    }
    assert status["completionTime"] > status["startTime"]
    assert twin.events("work")[-1] == ("Normal", "Completed", "Job completed")
    assert all("finalizers" not in pod["metadata"] for pod in twin.all("Pod"))


@virtually
async def test_failed_pods_are_replaced_later_and_later_until_the_limit() -> None:
    twin = cluster()
    twin.apply(job("fail", backoffLimit=2))
    await twin.until(lambda: condition(twin, "Failed"))
    created = sorted(pod["metadata"]["creationTimestamp"][14:19] for pod in twin.all("Pod"))
    assert created == ["00:00", "00:17", "00:44"]
    failed = condition(twin, "Failed")
    assert failed is not None
    assert failed["reason"] == "BackoffLimitExceeded"
    assert twin.get("Job", "work")["status"]["failed"] == 3
    assert twin.events("work")[-1] == (
        "Warning",
        "BackoffLimitExceeded",
        "Job has reached the specified backoff limit",
    )


@virtually
async def test_a_job_that_takes_too_long_ends_with_its_pods() -> None:
    twin = cluster()
    twin.apply(job("", activeDeadlineSeconds=60))
    await twin.until(lambda: condition(twin, "Failed"))
    assert 60 <= twin.registry.clock.now() - START < 65
    failed = condition(twin, "Failed")
    assert failed is not None
    assert failed["message"] == "Job was active longer than specified deadline"
    assert twin.all("Pod") == []
    assert twin.get("Job", "work")["status"]["failed"] == 1


@virtually
async def test_a_suspended_job_has_no_pods_until_it_is_resumed() -> None:
    twin = cluster()
    twin.apply(job("succeed", suspend=True))
    await twin.settle(10)
    assert twin.all("Pod") == []
    assert "startTime" not in twin.get("Job", "work")["status"]
    assert twin.events("work") == [("Normal", "Suspended", "Job suspended")]
    twin.change("Job", "work", "spec.suspend", False)
    await twin.until(lambda: condition(twin, "Complete"))
    suspended = condition(twin, "Suspended")
    assert suspended is not None
    assert (suspended["status"], suspended["reason"]) == ("False", "JobResumed")
    assert ("Normal", "Resumed", "Job resumed") in twin.events("work")


@virtually
async def test_a_finished_job_goes_after_its_time_to_live() -> None:
    twin = cluster()
    twin.apply(job("succeed", ttlSecondsAfterFinished=30))
    await twin.until(lambda: condition(twin, "Complete"))
    ended = twin.registry.clock.now()
    await twin.until(lambda: twin.get("Job", "work")["metadata"].get("deletionTimestamp"))
    assert 30 <= twin.registry.clock.now() - ended < 32
    assert twin.get("Job", "work")["metadata"]["finalizers"] == ["foregroundDeletion"]


@virtually
async def test_the_pods_of_an_indexed_job_have_an_index_each() -> None:
    twin = cluster()
    twin.apply(job("succeed", completions=3, parallelism=3, completionMode="Indexed"))
    await twin.until(lambda: len(twin.all("Pod")) == 3)
    pods = twin.all("Pod")
    assert [pod["metadata"]["annotations"][INDEX] for pod in pods] == ["0", "1", "2"]
    assert [pod["spec"]["hostname"] for pod in pods] == ["work-0", "work-1", "work-2"]
    assert name_of(pods[0]).startswith("work-0-")
    await twin.until(lambda: condition(twin, "Complete"))
    assert twin.get("Job", "work")["status"]["completedIndexes"] == "0-2"


def test_indexes_are_written_as_ranges() -> None:
    assert write_indexes({0, 1, 2, 5, 7, 8}) == "0-2,5,7,8"
    assert read_indexes("0-2,5,7,8") == {0, 1, 2, 5, 7, 8}

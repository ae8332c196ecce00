"""The pods of a Job: counted, replaced after a while, one for each index.

Source: k8s.io/kubernetes/pkg/controller/job/{backoff_utils,indexed_job_utils}.go (1.37).
"""

from collections.abc import Iterable, Sequence

from bridgehead.twin.conditions import condition
from bridgehead.twin.controllers.pods import pod_of
from bridgehead.twin.integers import int64
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, at, fields, is_deleting, items, labels_of, name_of, text
from bridgehead.twin.timestamps import seconds_of

FINALIZER = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"
FIRST_BACKOFF = 10.0
"""Seconds between a failed pod and the next one; doubled with each failure ..."""
LONGEST_BACKOFF = 600.0
"""... up to this."""


def is_tracked(pod: Object) -> bool:
    """Whether its end is still to be counted."""
    return FINALIZER in items(pod, "metadata", "finalizers")


def has_failed(job: Object, pod: Object) -> bool:
    """Whether it counts as failed; one that is being deleted does, unless only its end counts."""
    phase = text(pod, "status", "phase")
    if text(job, "spec", "podReplacementPolicy") == "Failed":
        return phase == "Failed"
    return phase == "Failed" or (is_deleting(pod) and phase != "Succeeded")


def finished_at(pod: Object) -> float:
    """When it ended, as far as its status tells; seconds since the epoch."""
    statuses = items(pod, "status", "containerStatuses")
    ends = [text(status, "state", "terminated", "finishedAt") for status in statuses]
    if ends and all(ends):
        return max(seconds_of(end) for end in ends)
    ready = condition(pod, "Ready")
    if ready is not None and ready.get("status") == "False" and ready.get("lastTransitionTime"):
        return seconds_of(ready["lastTransitionTime"])
    if is_deleting(pod):
        grace = float(at(pod, "metadata", "deletionGracePeriodSeconds") or 0)
        return seconds_of(text(pod, "metadata", "deletionTimestamp")) - grace
    return seconds_of(text(pod, "metadata", "creationTimestamp"))


def backoff_left(failures: int, last: float, now: float) -> float:
    """Seconds until the next pod may be made after so many failures in a row."""
    if not failures:
        return 0.0
    pause = min(FIRST_BACKOFF * 2.0 ** min(failures - 1, 10), LONGEST_BACKOFF)
    return max(0.0, last + pause - now)


def is_indexed(job: Object) -> bool:
    """Whether each of its pods has an index of its own."""
    return text(job, "spec", "completionMode") == "Indexed"


def index_of(pod: Object) -> int:
    """The index of a pod; -1 for none."""
    value = text(pod, "metadata", "annotations", INDEX)
    found = int64(value)
    return -1 if found is None else max(-1, found)


def read_indexes(written: str) -> set[int]:
    """``0-2,5`` as numbers."""
    found: set[int] = set()
    for part in filter(None, written.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def write_indexes(indexes: Iterable[int]) -> str:
    """Numbers as ``0-2,5``: three and more in a row are a range, two are ``4,5``."""
    runs: list[list[int]] = []
    for index in sorted(indexes):
        if runs and runs[-1][1] == index - 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    parts = []
    for first, last in runs:
        joined = "-" if last > first + 1 else ","
        parts.append(str(first) if first == last else f"{first}{joined}{last}")
    return ",".join(parts)


def pending_indexes(job: Object, done: set[int], active: Sequence[Object], count: int) -> list[int]:
    """The first indexes that have neither succeeded nor a pod."""
    taken = done | {index_of(pod) for pod in active}
    total = int(at(job, "spec", "completions") or 0)
    return [index for index in range(total) if index not in taken][:count]


def job_pod(kind: Kind, job: Object, index: int | None) -> Object:
    """A Job's next pod."""
    pod = pod_of(job["spec"]["template"], kind, job)
    metadata = pod["metadata"]
    finalizers = [item for item in metadata.get("finalizers", ()) if item != FINALIZER]
    metadata["finalizers"] = [*finalizers, FINALIZER]
    if index is None:
        return pod
    metadata["generateName"] = f"{name_of(job)}-{index}-"
    metadata["annotations"] = {**metadata.get("annotations", {}), INDEX: str(index)}
    metadata["labels"] = {**labels_of(pod), INDEX: str(index)}
    spec = {**pod["spec"], "hostname": f"{name_of(job)}-{index}"}
    for key in ("initContainers", "containers"):
        if containers := items(spec, key):
            spec[key] = [_with_index(container) for container in containers]
    return {**pod, "spec": spec}


def _with_index(container: Object) -> Object:
    environment = list(items(container, "env"))
    if any(variable.get("name") == "JOB_COMPLETION_INDEX" for variable in environment):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
    variable = {"name": "JOB_COMPLETION_INDEX", "valueFrom": source}
    return {**dict(fields(container)), "env": [*environment, variable]}

"""What one look at a Job finds: its pods, and what their ends come to.

Source: k8s.io/kubernetes/pkg/controller/job/job_controller.go, syncJob (Kubernetes 1.37).
"""

from bridgehead.twin.clock import Clock
from bridgehead.twin.controllers.job_pods import (
    has_failed,
    index_of,
    is_indexed,
    is_tracked,
    read_indexes,
)
from bridgehead.twin.controllers.pods import is_active, is_ready, is_terminating
from bridgehead.twin.objects import Object, at, items, text, uid_of


class Look:
    """What one look at a Job finds, and what becomes of its counts."""

    def __init__(self, job: Object, pods: list[Object]) -> None:
        self.job = job
        self.pods = pods
        self.active = [pod for pod in pods if is_active(pod)]
        self.running = len(self.active)
        self.ready = sum(is_ready(pod) for pod in self.active)
        self.terminating = sum(is_terminating(pod) for pod in pods)
        uncounted = at(job, "status", "uncountedTerminatedPods") or {}
        self.uncounted = {key: list(uncounted.get(key, ())) for key in ("succeeded", "failed")}
        known = {*self.uncounted["succeeded"], *self.uncounted["failed"]}
        new = [pod for pod in pods if is_tracked(pod) and uid_of(pod) not in known]
        self.new_succeeded = [pod for pod in new if text(pod, "status", "phase") == "Succeeded"]
        self.new_failed = [pod for pod in new if has_failed(job, pod)]
        status = job.get("status", {})
        self.indexes = read_indexes(status.get("completedIndexes", ""))
        self.failed = (
            int(status.get("failed", 0)) + len(self.new_failed) + len(self.uncounted["failed"])
        )
        self.succeeded = self._succeeded(status)
        self.status: Object = dict(status)
        self.conditions: list[Object] = list(status.get("conditions", ()))
        self.ending: Object | None = None

    def _succeeded(self, status: Object) -> int:
        if not is_indexed(self.job):
            before = int(status.get("succeeded", 0)) + len(self.uncounted["succeeded"])
            return before + len(self.new_succeeded)
        total = int(at(self.job, "spec", "completions") or 0)
        self.indexes |= {ix for pod in self.new_succeeded if 0 <= (ix := index_of(pod)) < total}
        return len(self.indexes)


def job_condition(clock: Clock, type: str, reason: str, message: str) -> Object:  # noqa: A002
    """A condition of a Job that holds as of now."""
    stamp = clock.timestamp()
    return {
        "type": type,
        "status": "True",
        "lastProbeTime": stamp,
        "lastTransitionTime": stamp,
        "reason": reason,
        "message": message,
    }


def is_over(job: Object) -> bool:
    """Whether it has completed or failed for good."""
    return any(
        found["type"] in {"Complete", "Failed"} and found["status"] == "True"
        for found in items(job, "status", "conditions")
    )


def restarts_exceed(job: Object, pods: list[Object]) -> bool:
    """Whether containers that are restarted in place have failed too often."""
    if text(job, "spec", "template", "spec", "restartPolicy") != "OnFailure":
        return False
    restarts = sum(
        int(status.get("restartCount") or 0)
        for pod in pods
        if text(pod, "status", "phase") in {"Running", "Pending"}
        for key in ("initContainerStatuses", "containerStatuses")
        for status in items(pod, "status", key)
    )
    limit = int(at(job, "spec", "backoffLimit") or 0)
    return restarts >= limit if limit else restarts > 0

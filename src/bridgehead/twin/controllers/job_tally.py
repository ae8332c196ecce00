"""Counts the pods of a Job that have ended, each once, and ends the Job.

Source: k8s.io/kubernetes/pkg/controller/job/job_controller.go, trackJobStatusAndRemoveFinalizers
(Kubernetes 1.37).
"""

from bridgehead.twin.conditions import without
from bridgehead.twin.controllers.events import record
from bridgehead.twin.controllers.job_look import Look, job_condition
from bridgehead.twin.controllers.job_pods import FINALIZER, is_indexed, is_tracked, write_indexes
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object, items, name_of, namespace_of, uid_of, with_field
from bridgehead.twin.pods import PODS
from bridgehead.twin.registry import Registry

JOBS = Stored("batch", "jobs")
COMPONENT = "job-controller"


class JobTally:
    """Writes the status of Jobs."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._clock = registry.clock
        self._kind = registry.kinds.named(*JOBS)
        self._pod = registry.kinds.named(*PODS)

    def track(self, look: Look) -> None:
        """Write which pods have ended, let them go, then count them; end the Job at last."""
        ended = [*look.new_succeeded, *look.new_failed]
        if look.ending is not None and look.ending["type"] == "FailureTarget":
            known = {uid_of(pod) for pod in ended}
            rest = [pod for pod in look.active if uid_of(pod) not in known]
            look.new_failed = [*look.new_failed, *rest]
            ended += rest
        if is_indexed(look.job):
            look.status["completedIndexes"] = write_indexes(look.indexes)
            look.status["succeeded"] = len(look.indexes)
        else:
            look.uncounted["succeeded"] += [uid_of(pod) for pod in look.new_succeeded]
        look.uncounted["failed"] += [uid_of(pod) for pod in look.new_failed]
        if look.ending is not None and all(
            found["type"] != look.ending["type"] for found in look.conditions
        ):
            look.conditions = [*look.conditions, look.ending]
        self._write(look)
        for pod in ended:
            self.untrack(pod)
        for key, counted in look.uncounted.items():
            if counted:
                look.status[key] = int(look.status.get(key, 0)) + len(counted)
                counted.clear()
        over = self._finish(look)
        self._write(look)
        if over is not None:
            self._tell_end(look.job, over)

    def _finish(self, look: Look) -> Object | None:
        """The last condition, once no pod of it is being terminated any more."""
        if look.ending is None or look.terminating:
            return None
        succeeded = look.ending["type"] == "SuccessCriteriaMet"
        last = job_condition(
            self._clock,
            "Complete" if succeeded else "Failed",
            look.ending["reason"],
            look.ending["message"],
        )
        look.conditions = [*without(look.conditions, last["type"]), last]
        if succeeded:
            look.status["completionTime"] = last["lastTransitionTime"]
        return last

    def _write(self, look: Look) -> None:
        status = {
            **look.status,
            "active": look.running,
            "ready": look.ready,
            "terminating": look.terminating,
            "uncountedTerminatedPods": {key: list(v) for key, v in look.uncounted.items() if v},
            "conditions": look.conditions,
        }
        for key in ("active", "succeeded", "failed", "conditions", "completedIndexes"):
            if not status.get(key):
                status.pop(key, None)
        fresh = self._store.get(JOBS, namespace_of(look.job), name_of(look.job))
        if fresh is not None and status != fresh.get("status"):
            changed = with_field(fresh, ("status",), status)
            look.job = self._registry.update(self._kind, changed, subresource="status")

    def _tell_end(self, job: Object, last: Object) -> None:
        registry = self._registry
        if last["type"] == "Complete":
            record(registry, job, "Normal", "Completed", "Job completed", component=COMPONENT)
        else:
            reason, message = last["reason"], last["message"]
            record(registry, job, "Warning", reason, message, component=COMPONENT)

    def untrack(self, pod: Object) -> None:
        """Let a pod go whose end needs not be counted any more."""
        fresh = self._store.get(PODS, namespace_of(pod), name_of(pod))
        if fresh is not None and is_tracked(fresh):
            kept = [item for item in items(fresh, "metadata", "finalizers") if item != FINALIZER]
            self._registry.update(
                self._pod, with_field(fresh, ("metadata", "finalizers"), kept or None)
            )

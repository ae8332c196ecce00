"""Jobs: pods until enough of them have succeeded, or too many have failed.

Not simulated: pod failure policies, success policies, a back-off limit for each index.

Source: k8s.io/kubernetes/pkg/controller/job/job_controller.go, pkg/controller/ttlafterfinished
(Kubernetes 1.37).
"""

import msgspec

from bridgehead.twin.controllers.events import record
from bridgehead.twin.controllers.job_look import Look, is_over, job_condition, restarts_exceed
from bridgehead.twin.controllers.job_pods import (
    FINALIZER,
    backoff_left,
    finished_at,
    is_indexed,
    is_tracked,
    job_pod,
    pending_indexes,
)
from bridgehead.twin.controllers.job_tally import COMPONENT, JOBS, JobTally
from bridgehead.twin.controllers.owners import claim, controlled_by, index_by_controller
from bridgehead.twin.controllers.pods import (
    create_pod,
    delete_pod,
    deletion_order,
    is_ready,
    is_terminating_namespace,
)
from bridgehead.twin.errors import ApiError
from bridgehead.twin.objects import (
    Object,
    at,
    controller_of,
    is_deleting,
    name_of,
    namespace_of,
    text,
    uid_of,
)
from bridgehead.twin.pods import PODS
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import DeleteOptions, Registry
from bridgehead.twin.store import Change, Key
from bridgehead.twin.timestamps import seconds_of

BURST = 500
"""Pods that one look creates or deletes at most."""


class _Failures(msgspec.Struct):
    """Failures of a Job since its last success."""

    count: int = 0
    last: float = 0.0


class JobController:
    """Creates, counts and replaces pods, and writes the status."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._clock = registry.clock
        self._kind = registry.kinds.named(*JOBS)
        self._pod = registry.kinds.named(*PODS)
        self._tally = JobTally(registry)
        self._failures: dict[str, _Failures] = {}
        self._queue: WorkQueue[Key] = WorkQueue(registry.clock, self._sync)

    def start(self) -> None:
        """Follow the store from now on."""
        index_by_controller(self._store, PODS)
        self._store.subscribe(self._changed, JOBS, PODS)
        for job in self._store.select(JOBS):
            self._queue.add((namespace_of(job), name_of(job)))

    def _changed(self, change: Change) -> None:
        if change.kind.plural == "jobs":
            self._queue.add((namespace_of(change.object), name_of(change.object)))
            if change.type == "DELETED":
                self._failures.pop(uid_of(change.object), None)
                for pod in controlled_by(self._store, PODS, change.object):
                    self._clock.soon(lambda pod=pod: self._untrack_orphan(pod))  # type: ignore[misc]
        elif change.kind.plural == "pods":
            owner = controller_of(change.object)
            if owner is not None and owner.get("kind") == "Job":
                self._queue.add((namespace_of(change.object), owner["name"]))
                if is_tracked(change.object) and is_deleting(change.object):
                    self._clock.soon(lambda: self._untrack_orphan(change.object))

    def _untrack_orphan(self, pod: Object) -> None:
        """A pod whose Job is gone or has ended is counted no more."""
        owner = controller_of(pod) or {}
        job = self._store.get(JOBS, namespace_of(pod), owner.get("name", ""))
        if job is None or uid_of(job) != owner.get("uid") or is_over(job):
            self._tally.untrack(pod)

    def _sync(self, key: Key) -> None:
        job = self._store.get(JOBS, *key)
        if job is None:
            return
        if is_over(job):
            self._expire(key, job)
            return
        pods = claim(self._registry, self._kind, job, self._pod, finalizer=FINALIZER)
        look = Look(job, pods)
        suspended = bool(at(job, "spec", "suspend"))
        if not suspended:
            look.status.setdefault("startTime", self._clock.timestamp())
        failures = self._count_failures(look)
        look.ending = self._ending(key, look)
        if look.ending is not None:
            self._end_pods(look, look.active)
            told = ""
        else:
            if not is_deleting(job):
                self._manage(key, look, failures)
            wanted = at(job, "spec", "completions")
            enough = look.succeeded > 0 if wanted is None else look.succeeded >= int(wanted)
            if enough and not look.running:
                reason = "CompletionsReached"
                message = "Reached expected number of succeeded pods"
                look.ending = job_condition(self._clock, "SuccessCriteriaMet", reason, message)
                told = ""
            else:
                told = self._tell_suspension(look, suspended=suspended)
        self._tally.track(look)
        if told:
            message = "Job suspended" if told == "Suspended" else "Job resumed"
            record(self._registry, job, "Normal", told, message, component=COMPONENT)

    # How it ends

    def _ending(self, key: Key, look: Look) -> Object | None:
        """The condition by which the Job ends, where something but its success ends it."""
        for found in look.conditions:
            if found["type"] in {"SuccessCriteriaMet", "FailureTarget"}:
                return dict(found)
        job, spec = look.job, look.job["spec"]
        if look.failed > int(spec.get("backoffLimit", 6)) or restarts_exceed(job, look.pods):
            message = "Job has reached the specified backoff limit"
            return job_condition(self._clock, "FailureTarget", "BackoffLimitExceeded", message)
        deadline = spec.get("activeDeadlineSeconds")
        if deadline is None or spec.get("suspend"):
            return None
        left = seconds_of(look.status["startTime"]) + int(deadline) - self._clock.now()
        if left <= 0:
            message = "Job was active longer than specified deadline"
            return job_condition(self._clock, "FailureTarget", "DeadlineExceeded", message)
        self._queue.add_after(key, left)
        return None

    def _tell_suspension(self, look: Look, *, suspended: bool) -> str:
        """Keep the condition ``Suspended``; the event to tell, if any."""
        known = next((found for found in look.conditions if found["type"] == "Suspended"), None)
        if (known is not None and known["status"] == "True") == suspended:
            return ""
        what = ("JobSuspended", "Job suspended") if suspended else ("JobResumed", "Job resumed")
        current = job_condition(self._clock, "Suspended", *what)
        current["status"] = "True" if suspended else "False"
        look.conditions = (
            [current if found is known else found for found in look.conditions]
            if known
            else [*look.conditions, current]
        )
        if suspended:
            look.status.pop("startTime", None)
        else:
            look.status["startTime"] = self._clock.timestamp()
        return "Suspended" if suspended else "Resumed"

    def _expire(self, key: Key, job: Object) -> None:
        """Delete a Job that ended ``ttlSecondsAfterFinished`` ago."""
        ttl = at(job, "spec", "ttlSecondsAfterFinished")
        if ttl is None or is_deleting(job):
            return
        ended = next(
            found["lastTransitionTime"]
            for found in job["status"]["conditions"]
            if found["type"] in {"Complete", "Failed"} and found["status"] == "True"
        )
        left = seconds_of(ended) + int(ttl) - self._clock.now()
        if left > 0:
            self._queue.add_after(key, left)
            return
        options = DeleteOptions(propagation="Foreground", uid=uid_of(job))
        self._registry.delete(self._kind, *key, options)

    # Its pods

    def _count_failures(self, look: Look) -> _Failures:
        """Failures in a row, by the moments at which pods ended."""
        known = self._failures.setdefault(uid_of(look.job), _Failures())
        ended = sorted(finished_at(pod) for pod in look.new_failed)
        if look.new_succeeded:
            last = max(finished_at(pod) for pod in look.new_succeeded)
            ended = [moment for moment in ended if moment > last]
            known.count, known.last = 0, 0.0
        if ended:
            known.count, known.last = known.count + len(ended), ended[-1]
        return known

    def _manage(self, key: Key, look: Look, failures: _Failures) -> None:
        """Create what is missing, delete what is too much. Raises ApiError."""
        spec = look.job["spec"]
        if spec.get("suspend"):
            self._end_pods(look, look.active, untrack=True)
            return
        parallelism, completions = int(spec.get("parallelism", 1)), spec.get("completions")
        if completions is None:
            wanted = look.running if look.succeeded else parallelism
        else:
            wanted = max(0, min(int(completions) - look.succeeded, parallelism))
        surplus = look.running - wanted
        if surplus > 0:
            ordered = deletion_order(look.active, {}, self._clock.now())
            self._end_pods(look, ordered[: min(surplus, BURST)], untrack=True)
            return
        missing = -surplus
        if text(spec, "podReplacementPolicy") == "Failed":
            missing -= look.terminating
        if missing <= 0:
            return
        if (left := backoff_left(failures.count, failures.last, self._clock.now())) > 0:
            self._queue.add_after(key, left)
            return
        self._create_pods(look, min(missing, BURST))

    def _create_pods(self, look: Look, count: int) -> None:
        indexes: list[int | None] = [None] * count
        if is_indexed(look.job):
            indexes = [*pending_indexes(look.job, look.indexes, look.active, count)]
        for index in indexes:
            pod = job_pod(self._kind, look.job, index)
            try:
                create_pod(self._registry, pod, look.job, component=COMPONENT)
            except ApiError as error:
                if is_terminating_namespace(error):
                    return
                raise
            look.running += 1

    def _end_pods(self, look: Look, pods: list[Object], *, untrack: bool = False) -> None:
        for pod in pods:
            if untrack:
                self._tally.untrack(pod)
            delete_pod(self._registry, pod, look.job, component=COMPONENT)
            look.running -= 1
            look.terminating += 1
            look.ready -= is_ready(pod)

"""The status of a Deployment: counts, and how a rollout gets on.

Source: k8s.io/kubernetes/pkg/controller/deployment/{sync,progress}.go (Kubernetes 1.37).
"""

from collections.abc import Sequence

from bridgehead.twin.clock import Clock
from bridgehead.twin.conditions import condition, without
from bridgehead.twin.controllers.deployment_revisions import max_unavailable, replicas_of
from bridgehead.twin.objects import Object, at, items, name_of
from bridgehead.twin.timestamps import seconds_of

NO_DEADLINE = 2**31 - 1
AVAILABLE = "NewReplicaSetAvailable"
TIMED_OUT = "ProgressDeadlineExceeded"


def deadline_of(deployment: Object) -> int | None:
    """``progressDeadlineSeconds``; None where there is none."""
    found = at(deployment, "spec", "progressDeadlineSeconds")
    return None if found is None or found == NO_DEADLINE else int(found)


def with_condition(status: Object, new: Object) -> Object:
    """A status with a condition; one that says the same already stays as it is."""
    known = condition({"status": status}, new["type"])
    if known is not None and known["status"] == new["status"]:
        if known.get("reason") == new["reason"]:
            return status
        new = {**new, "lastTransitionTime": known["lastTransitionTime"]}
    others = without(list(items(status, "conditions")), new["type"])
    return {**status, "conditions": [*others, new]}


def made(clock: Clock, type: str, status: str, reason: str, message: str) -> Object:  # noqa: A002
    """A condition as of now."""
    stamp = clock.timestamp()
    return {
        "type": type,
        "status": status,
        "lastUpdateTime": stamp,
        "lastTransitionTime": stamp,
        "reason": reason,
        "message": message,
    }


def total(replica_sets: Sequence[Object], count: str) -> int:
    """The sum of a count in the status of ReplicaSets."""
    return sum(int(at(one, "status", count) or 0) for one in replica_sets)


def wanted(replica_sets: Sequence[Object]) -> int:
    """The sum of their ``spec.replicas``."""
    return sum(replicas_of(one) for one in replica_sets)


def status_of(
    clock: Clock, deployment: Object, new: Object | None, old: Sequence[Object]
) -> Object:
    """Counts and availability, with the conditions that are there already."""
    everything = [*old, new] if new else list(old)
    available = total(everything, "availableReplicas")
    counts = {
        "observedGeneration": int(at(deployment, "metadata", "generation") or 0),
        "replicas": total(everything, "replicas"),
        "updatedReplicas": total([new] if new else [], "replicas"),
        "readyReplicas": total(everything, "readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, wanted(everything) - available),
    }
    status: Object = {key: count for key, count in counts.items() if count}
    status["terminatingReplicas"] = total(everything, "terminatingReplicas")
    if conditions := items(deployment, "status", "conditions"):
        status["conditions"] = list(conditions)
    collisions = at(deployment, "status", "collisionCount")
    if collisions is not None:
        status["collisionCount"] = collisions
    if available >= replicas_of(deployment) - max_unavailable(deployment):
        message = "Deployment has minimum availability."
        return with_condition(
            status, made(clock, "Available", "True", "MinimumReplicasAvailable", message)
        )
    message = "Deployment does not have minimum availability."
    return with_condition(
        status, made(clock, "Available", "False", "MinimumReplicasUnavailable", message)
    )


def is_complete(deployment: Object, status: Object) -> bool:
    """Whether all replicas are of the present template and available, and no others are there."""
    replicas = replicas_of(deployment)
    counts = ("updatedReplicas", "replicas", "availableReplicas")
    return all(int(status.get(count, 0)) == replicas for count in counts) and int(
        status.get("observedGeneration", 0)
    ) >= int(at(deployment, "metadata", "generation") or 0)


def rollout_status_of(
    clock: Clock, deployment: Object, new: Object | None, old: Sequence[Object]
) -> Object:
    """The status with what the conditions say of the rollout."""
    status = status_of(clock, deployment, new, old)
    known = condition(deployment, "Progressing")
    if deadline_of(deployment) is None:
        status = _without(status, "Progressing")
    elif not (
        status.get("replicas") == status.get("updatedReplicas")
        and known is not None
        and known.get("reason") == AVAILABLE
    ):
        status = _with_progress(clock, deployment, status, new)
    failure = _failure([new] if new else []) or _failure(old)
    if failure is None:
        return _without(status, "ReplicaFailure")
    return with_condition(status, failure)


def deadline_left(clock: Clock, deployment: Object, status: Object) -> float | None:
    """Seconds until the deadline of a rollout that gets on; None where none is waited for."""
    known, deadline = condition({"status": status}, "Progressing"), deadline_of(deployment)
    if deadline is None or known is None or known.get("reason") == TIMED_OUT:
        return None
    if is_complete(deployment, status):
        return None
    return seconds_of(known["lastUpdateTime"]) + deadline - clock.now()


def _with_progress(clock: Clock, deployment: Object, status: Object, new: Object | None) -> Object:
    whose = f'ReplicaSet "{name_of(new)}"' if new else f'Deployment "{name_of(deployment)}"'
    known = condition(deployment, "Progressing")
    if is_complete(deployment, status):
        message = f"{whose} has successfully progressed."
        return with_condition(status, made(clock, "Progressing", "True", AVAILABLE, message))
    if _progressing(at(deployment, "status") or {}, status):
        message = f"{whose} is progressing."
        current = made(clock, "Progressing", "True", "ReplicaSetUpdated", message)
        if known is not None and known["status"] == "True":
            current["lastTransitionTime"] = known["lastTransitionTime"]
        return with_condition(_without(status, "Progressing"), current)
    if _timed_out(clock, deployment, known):
        message = f"{whose} has timed out progressing."
        return with_condition(status, made(clock, "Progressing", "False", TIMED_OUT, message))
    return status


def _progressing(before: Object, now: Object) -> bool:
    def count(status: Object, name: str) -> int:
        return int(status.get(name) or 0)

    def old(status: Object) -> int:
        return count(status, "replicas") - count(status, "updatedReplicas")

    grown = ("updatedReplicas", "readyReplicas", "availableReplicas")
    return old(now) < old(before) or any(count(now, key) > count(before, key) for key in grown)


def _timed_out(clock: Clock, deployment: Object, known: Object | None) -> bool:
    deadline = deadline_of(deployment)
    if deadline is None or known is None or known.get("reason") == AVAILABLE:
        return False
    if known.get("reason") == TIMED_OUT:
        return True
    return seconds_of(known["lastUpdateTime"]) + deadline < clock.now()


def _failure(replica_sets: Sequence[Object]) -> Object | None:
    for replica_set in replica_sets:
        if found := condition(replica_set, "ReplicaFailure"):
            return {**found, "lastUpdateTime": found["lastTransitionTime"]}
    return None


def _without(status: Object, type: str) -> Object:  # noqa: A002 - the field's name
    rest = without(list(items(status, "conditions")), type)
    return (
        {**status, "conditions": rest}
        if rest
        else {key: value for key, value in status.items() if key != "conditions"}
    )

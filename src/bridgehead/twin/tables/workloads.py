"""Rows of what keeps pods running, and of what guards them."""

from typing import Any

from bridgehead.twin.objects import Object, at, controller_of, fields, items, name_of, text
from bridgehead.twin.tables.cells import (
    NONE,
    UNSET,
    age,
    containers,
    labels,
    number,
    selector,
    selector_or_none,
    some,
    word,
)
from bridgehead.twin.tables.durations import human, since
from bridgehead.twin.timestamps import seconds_of


def daemonset(obj: Object, now: float) -> list[Any]:
    """Source: ``printDaemonSet``."""
    status = fields(obj, "status")
    counts = ("desired", "current", "ready", "updated", "available")
    fields_of = {
        "desired": "desiredNumberScheduled",
        "current": "currentNumberScheduled",
        "ready": "numberReady",
        "updated": "updatedNumberScheduled",
        "available": "numberAvailable",
    }
    return [
        name_of(obj),
        *(status.get(fields_of[count]) or 0 for count in counts),
        labels(fields(obj, "spec", "template", "spec", "nodeSelector")),
        age(obj, now),
        *containers(obj, "spec", "template"),
        selector_or_none(at(obj, "spec", "selector")),
    ]


def deployment(obj: Object, now: float) -> list[Any]:
    """Source: ``printDeployment``."""
    return [
        name_of(obj),
        f"{number(obj, 'status', 'readyReplicas')}/{number(obj, 'spec', 'replicas')}",
        number(obj, "status", "updatedReplicas"),
        number(obj, "status", "availableReplicas"),
        age(obj, now),
        *containers(obj, "spec", "template"),
        selector(at(obj, "spec", "selector")),
    ]


def replicaset(obj: Object, now: float) -> list[Any]:
    """Source: ``printReplicaSet``."""
    return [
        *_replicas(obj, now),
        *containers(obj, "spec", "template"),
        selector_or_none(at(obj, "spec", "selector")),
    ]


def replication_controller(obj: Object, now: float) -> list[Any]:
    """Source: ``printReplicationController``; its selector is a set of labels."""
    return [
        *_replicas(obj, now),
        *containers(obj, "spec", "template"),
        labels(fields(obj, "spec", "selector")),
    ]


def statefulset(obj: Object, now: float) -> list[Any]:
    """Source: ``printStatefulSet``."""
    return [
        name_of(obj),
        f"{number(obj, 'status', 'readyReplicas')}/{number(obj, 'spec', 'replicas')}",
        age(obj, now),
        *containers(obj, "spec", "template"),
    ]


def job(obj: Object, now: float) -> list[Any]:
    """Source: ``printJob``."""
    return [
        name_of(obj),
        _job_status(obj),
        _completions(obj),
        _job_duration(obj, now),
        age(obj, now),
        *containers(obj, "spec", "template"),
        selector_or_none(at(obj, "spec", "selector")),
    ]


def cronjob(obj: Object, now: float) -> list[Any]:
    """Source: ``printCronJob``."""
    last = at(obj, "status", "lastScheduleTime")
    suspended = at(obj, "spec", "suspend")
    return [
        name_of(obj),
        word(obj, "spec", "schedule"),
        word(obj, "spec", "timeZone", missing=NONE),
        UNSET if suspended is None else str(bool(suspended)),
        len(items(obj, "status", "active")),
        since(last, now) if last else NONE,
        age(obj, now),
        *containers(obj, "spec", "jobTemplate", "spec", "template"),
        selector_or_none(at(obj, "spec", "jobTemplate", "spec", "selector")),
    ]


def pod_template(obj: Object, _now: float) -> list[Any]:
    """Source: ``printPodTemplate``."""
    return [
        name_of(obj),
        *containers(obj, "template"),
        labels(fields(obj, "template", "metadata", "labels")),
    ]


def controller_revision(obj: Object, now: float) -> list[Any]:
    """Source: ``printControllerRevision``."""
    owner, told = controller_of(obj), NONE
    if owner is not None:
        group = owner["apiVersion"].rpartition("/")[0]
        kind = f"{owner['kind']}.{group}" if group else owner["kind"]
        told = f"{kind.lower()}/{owner['name']}"
    return [name_of(obj), told, number(obj, "revision"), age(obj, now)]


def disruption_budget(obj: Object, now: float) -> list[Any]:
    """Source: ``printPodDisruptionBudget``."""
    return [
        name_of(obj),
        word(obj, "spec", "minAvailable", missing="N/A"),
        word(obj, "spec", "maxUnavailable", missing="N/A"),
        number(obj, "status", "disruptionsAllowed"),
        age(obj, now),
    ]


def autoscaler(obj: Object, now: float) -> list[Any]:
    """Source: ``printHorizontalPodAutoscaler``; nothing measures, so each target is unknown."""
    target = fields(obj, "spec", "scaleTargetRef")
    return [
        name_of(obj),
        f"{target.get('kind', '')}/{target.get('name', '')}",
        some(_metrics(obj), 2, separator=", ") or NONE,
        word(obj, "spec", "minReplicas", missing=UNSET),
        number(obj, "spec", "maxReplicas"),
        number(obj, "status", "currentReplicas"),
        age(obj, now),
    ]


def _replicas(obj: Object, now: float) -> list[Any]:
    return [
        name_of(obj),
        number(obj, "spec", "replicas"),
        number(obj, "status", "replicas"),
        number(obj, "status", "readyReplicas"),
        age(obj, now),
    ]


def _job_status(obj: Object) -> str:
    true = {
        condition["type"]
        for condition in items(obj, "status", "conditions")
        if condition["status"] == "True"
    }
    for ended in ("Complete", "Failed"):
        if ended in true:
            return ended
    if text(obj, "metadata", "deletionTimestamp"):
        return "Terminating"
    for state in ("Suspended", "FailureTarget", "SuccessCriteriaMet"):
        if state in true:
            return state
    return "Running"


def _completions(obj: Object) -> str:
    succeeded = number(obj, "status", "succeeded")
    wanted = at(obj, "spec", "completions")
    if wanted is not None:
        return f"{succeeded}/{wanted}"
    parallel = number(obj, "spec", "parallelism")
    return f"{succeeded}/1 of {parallel}" if parallel > 1 else f"{succeeded}/1"


def _job_duration(obj: Object, now: float) -> str:
    begun, ended = text(obj, "status", "startTime"), text(obj, "status", "completionTime")
    if not begun:
        return ""
    return human((seconds_of(ended) if ended else now) - seconds_of(begun))


def _metrics(obj: Object) -> list[str]:
    """One target after another; what is there now is unknown."""
    percent = at(obj, "spec", "targetCPUUtilizationPercentage")
    if percent is not None:  # the form of autoscaling/v1
        return [f"cpu: <unknown>/{percent}%"]
    return [_metric(entry) for entry in items(obj, "spec", "metrics")]


def _metric(entry: Object) -> str:
    match entry.get("type"):
        case "Resource" | "ContainerResource" as kind:
            source = fields(entry, kind[0].lower() + kind[1:])
            average = at(source, "target", "averageValue")
            percent = at(source, "target", "averageUtilization")
            auto = "<auto>" if percent is None else f"{percent}%"
            return f"{source.get('name', '')}: <unknown>/{auto if average is None else average}"
        case "External" | "Object" as kind:
            target = fields(entry, kind.lower(), "target")
            average = target.get("averageValue")
            if average is not None:
                return f"<unknown>/{average} (avg)"
            return f"<unknown>/{target.get('value', '')}"
        case "Pods":
            return f"<unknown>/{word(entry, 'pods', 'target', 'averageValue')}"
        case _:
            return "<unknown type>"

"""Rows of kinds of the core and of others that show a field or two beside name and age."""

from typing import Any

from bridgehead.twin.objects import Object, at, fields, items, name_of, text
from bridgehead.twin.schema.recorded import recorded
from bridgehead.twin.tables.cells import NONE, age, number, word


def name_and_age(obj: Object, now: float) -> list[Any]:
    """Service accounts, and what has nothing to show."""
    return [name_of(obj), age(obj, now)]


def name_and_creation(obj: Object, _now: float) -> list[Any]:
    """The row of kinds without one of their own; kubectl makes nothing of the time.

    Source: k8s.io/apiserver/pkg/registry/rest/table.go
    """
    return [name_of(obj), word(obj, "metadata", "creationTimestamp")]


def config_map(obj: Object, now: float) -> list[Any]:
    """Source: ``printConfigMap``."""
    count = len(fields(obj, "data")) + len(fields(obj, "binaryData"))
    return [name_of(obj), count, age(obj, now)]


def secret(obj: Object, now: float) -> list[Any]:
    """Source: ``printSecret``."""
    return [name_of(obj), word(obj, "type"), len(fields(obj, "data")), age(obj, now)]


def namespace(obj: Object, now: float) -> list[Any]:
    """Source: ``printNamespace``."""
    return [name_of(obj), word(obj, "status", "phase"), age(obj, now)]


def lease(obj: Object, now: float) -> list[Any]:
    """Source: ``printLease``."""
    return [name_of(obj), word(obj, "spec", "holderIdentity"), age(obj, now)]


def runtime_class(obj: Object, now: float) -> list[Any]:
    """Source: ``printRuntimeClass``."""
    return [name_of(obj), word(obj, "handler"), age(obj, now)]


def priority_class(obj: Object, now: float) -> list[Any]:
    """Source: ``printPriorityClass``."""
    return [
        name_of(obj),
        number(obj, "value"),
        bool(at(obj, "globalDefault")),
        age(obj, now),
        word(obj, "preemptionPolicy"),
    ]


def resource_quota(obj: Object, now: float) -> list[Any]:
    """Source: ``printResourceQuota``: limits apart from everything else."""
    hard, used = fields(obj, "status", "hard"), fields(obj, "status", "used")
    told = [(name, f"{name}: {used.get(name, '0')}/{hard[name]}") for name in sorted(hard)]
    limits = [entry for name, entry in told if name.startswith("limits.")]
    requests = [entry for name, entry in told if not name.startswith("limits.")]
    return [name_of(obj), ", ".join(requests), ", ".join(limits), age(obj, now)]


def scale(obj: Object, now: float) -> list[Any]:
    """Source: ``printScale``."""
    wanted, there = number(obj, "spec", "replicas"), number(obj, "status", "replicas")
    return [name_of(obj), wanted, there, age(obj, now)]


def scale_columns() -> list[Object]:
    """Columns of a subresource are recorded nowhere. Source: ``scaleColumnDefinitions``."""
    name, created = recorded("columns")["v1/serviceaccounts"]
    desired = "replicas is the desired number of instances for the scaled object."
    available = "replicas is the actual number of observed instances of the scaled object."
    count = {"type": "integer", "format": "", "priority": 0}
    return [
        {**name, "format": ""},
        {**count, "name": "Desired", "description": desired},
        {**count, "name": "Available", "description": available},
        created,
    ]


def component_status(obj: Object, _now: float) -> list[Any]:
    """Source: ``printComponentStatus``."""
    for condition in items(obj, "conditions"):
        if condition["type"] == "Healthy":
            status = "Healthy" if condition["status"] == "True" else "Unhealthy"
            told = [condition.get("message", ""), condition.get("error", "")]
            return [name_of(obj), status, *told]
    return [name_of(obj), "Unknown", "", ""]


def api_service(obj: Object, now: float) -> list[Any]:
    """Source: k8s.io/kube-aggregator/pkg/registry/apiservice/etcd/etcd.go."""
    service = at(obj, "spec", "service")
    where = f"{service.get('namespace')}/{service.get('name')}" if service else "Local"
    status = "Unknown"
    for condition in items(obj, "status", "conditions"):
        if condition["type"] == "Available":
            status, reason = condition["status"], text(condition, "reason")
            if status != "True" and reason:
                status = f"{status} ({reason})"
            break
    return [name_of(obj), where, status, age(obj, now)]


def storage_version_migration(obj: Object, _now: float) -> list[Any]:
    """Source: ``printStorageVersionMigration``."""
    group, resource = (
        text(obj, "spec", "resource", "group"),
        word(obj, "spec", "resource", "resource"),
    )
    status = "Unknown"
    for condition in items(obj, "status", "conditions"):
        if condition["status"] == "True" and condition["type"] in {
            "Running",
            "Failed",
            "Succeeded",
        }:
            status = condition["type"]
    return [name_of(obj), f"{resource}.{group}" if group else resource, status]


def flow_schema(obj: Object, now: float) -> list[Any]:
    """Source: ``printFlowSchema``."""
    dangling = [
        condition["status"]
        for condition in items(obj, "status", "conditions")
        if condition["type"] == "Dangling"
    ]
    return [
        name_of(obj),
        word(obj, "spec", "priorityLevelConfiguration", "name"),
        number(obj, "spec", "matchingPrecedence"),
        word(obj, "spec", "distinguisherMethod", "type", missing=NONE),
        age(obj, now),
        dangling[0] if dangling else "?",
    ]


def priority_level(obj: Object, now: float) -> list[Any]:
    """Source: ``printPriorityLevelConfiguration``."""
    limited = fields(obj, "spec", "limited")
    queuing = fields(limited, "limitResponse", "queuing")
    return [
        name_of(obj),
        word(obj, "spec", "type"),
        limited.get("nominalConcurrencyShares", NONE),
        *(queuing.get(key, NONE) for key in ("queues", "handSize", "queueLengthLimit")),
        age(obj, now),
    ]

"""Which rules a kind obeys.

Source: k8s.io/apiserver/pkg/registry/rest/{create,update}.go: metadata first, then the kind's own.
"""

from collections.abc import Callable, Mapping

from bridgehead.twin.errors import Cause, invalid
from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, name_of
from bridgehead.twin.schema.custom.checks import custom_causes
from bridgehead.twin.schema.custom.uniqueness import uniqueness_causes
from bridgehead.twin.schema.validation.access import (
    binding_causes,
    binding_update_causes,
    cluster_binding_causes,
    cluster_role_causes,
    role_causes,
)
from bridgehead.twin.schema.validation.causes import Causes
from bridgehead.twin.schema.validation.definitions import definition_causes
from bridgehead.twin.schema.validation.metadata import metadata_causes, metadata_update_causes
from bridgehead.twin.schema.validation.objects import (
    budget_causes,
    claim_causes,
    config_map_causes,
    event_causes,
    ingress_causes,
    lease_causes,
    node_causes,
    node_update_causes,
    priority_class_causes,
    priority_class_update_causes,
    revision_causes,
    revision_update_causes,
    sealed_update_causes,
    secret_causes,
    secret_update_causes,
    storage_class_causes,
)
from bridgehead.twin.schema.validation.pod_updates import pod_update_causes
from bridgehead.twin.schema.validation.pods import pod_causes
from bridgehead.twin.schema.validation.services import service_causes, service_update_causes
from bridgehead.twin.schema.validation.workloads import (
    cron_job_causes,
    daemon_set_causes,
    daemon_set_update_causes,
    deployment_causes,
    job_causes,
    job_update_causes,
    replica_set_causes,
    selected_update_causes,
    stateful_set_causes,
    stateful_set_update_causes,
)

_RBAC = "rbac.authorization.k8s.io"
_CLASSES = Stored("scheduling.k8s.io", "priorityclasses")

_RULES: Mapping[Stored, Callable[[Object], Causes]] = {
    Stored("", "pods"): pod_causes,
    Stored("", "services"): service_causes,
    Stored("", "configmaps"): config_map_causes,
    Stored("", "secrets"): secret_causes,
    Stored("", "nodes"): node_causes,
    Stored("", "events"): event_causes,
    Stored("", "persistentvolumeclaims"): claim_causes,
    Stored("apps", "controllerrevisions"): revision_causes,
    Stored("apps", "daemonsets"): daemon_set_causes,
    Stored("apps", "deployments"): deployment_causes,
    Stored("apps", "replicasets"): replica_set_causes,
    Stored("apps", "statefulsets"): stateful_set_causes,
    Stored("batch", "jobs"): job_causes,
    Stored("batch", "cronjobs"): cron_job_causes,
    Stored("networking.k8s.io", "ingresses"): ingress_causes,
    Stored("apiextensions.k8s.io", "customresourcedefinitions"): definition_causes,
    Stored("storage.k8s.io", "storageclasses"): storage_class_causes,
    Stored("policy", "poddisruptionbudgets"): budget_causes,
    Stored("coordination.k8s.io", "leases"): lease_causes,
    _CLASSES: priority_class_causes,
    Stored(_RBAC, "roles"): role_causes,
    Stored(_RBAC, "clusterroles"): cluster_role_causes,
    Stored(_RBAC, "rolebindings"): binding_causes,
    Stored(_RBAC, "clusterrolebindings"): cluster_binding_causes,
}
"""Of an object as it is."""

_UPDATE_RULES: Mapping[Stored, Callable[[Object, Object], Causes]] = {
    Stored("", "pods"): pod_update_causes,
    Stored("", "services"): service_update_causes,
    Stored("", "configmaps"): sealed_update_causes,
    Stored("", "secrets"): secret_update_causes,
    Stored("", "nodes"): node_update_causes,
    Stored("apps", "daemonsets"): daemon_set_update_causes,
    Stored("apps", "deployments"): selected_update_causes,
    Stored("apps", "replicasets"): selected_update_causes,
    Stored("apps", "statefulsets"): stateful_set_update_causes,
    Stored("apps", "controllerrevisions"): revision_update_causes,
    Stored("batch", "jobs"): job_update_causes,
    _CLASSES: priority_class_update_causes,
    Stored(_RBAC, "rolebindings"): binding_update_causes,
    Stored(_RBAC, "clusterrolebindings"): binding_update_causes,
}
"""Of an object beside the one that it replaces."""

_UPDATE_FIRST = frozenset(
    {Stored("apps", "daemonsets"), Stored("", "configmaps"), Stored("", "secrets")}
)
"""Kinds of which the server tells what may not change before what is wrong anyway."""


def check_new(kind: Kind, obj: Object) -> None:
    """Raises ApiError 422 where a new object is not valid."""
    _refuse(kind, obj, [*metadata_causes(kind, obj), *_own(kind, obj), *_unique(kind, obj)])


def check_changed(kind: Kind, obj: Object, old: Object) -> None:
    """Raises ApiError 422 where an object may not replace another one."""
    causes = list(metadata_update_causes(kind, obj, old))
    changes = _UPDATE_RULES.get(kind.stored)
    changed = list(changes(obj, old)) if changes is not None else []
    own = list(_own(kind, obj))
    causes += [*changed, *own] if kind.stored in _UPDATE_FIRST else [*own, *changed]
    if not any(_unique(kind, old)):  # what was wrong before may stay wrong
        causes += _unique(kind, obj)
    _refuse(kind, obj, causes)


def _own(kind: Kind, obj: Object) -> Causes:
    if kind.schema is not None:
        yield from custom_causes(kind.schema.value, obj)
        return
    rule = _RULES.get(kind.stored)
    if rule is not None:
        yield from rule(obj)


def _unique(kind: Kind, obj: Object) -> Causes:
    if kind.schema is not None:
        yield from uniqueness_causes(kind.schema.value, obj)


def _refuse(kind: Kind, obj: Object, causes: list[Cause]) -> None:
    if causes:
        raise invalid(kind, name_of(obj), causes)

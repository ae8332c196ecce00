"""Lists of objects as Tables, and which kind has which row."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, at, name_of, text
from bridgehead.twin.schema.recorded import recorded
from bridgehead.twin.tables import (
    access,
    admission,
    devices,
    events,
    network,
    nodes,
    plain,
    pods,
    storage,
    workloads,
)
from bridgehead.twin.tables.cells import Cells
from bridgehead.twin.tables.definitions import column_definitions, custom, definition

Include: TypeAlias = Literal["Metadata", "Object", "None"]
"""What a row carries of its object, as the query's ``includeObject`` says."""

_SCALES = Stored("autoscaling", "scales")
"""No resource of its own, but the form of a subresource, so that nobody lists it."""

_ROWS: dict[Stored, Cells] = {
    Stored("", "componentstatuses"): plain.component_status,
    Stored("", "configmaps"): plain.config_map,
    Stored("", "endpoints"): network.endpoints,
    Stored("", "events"): events.event,
    Stored("", "namespaces"): plain.namespace,
    Stored("", "nodes"): nodes.node,
    Stored("", "persistentvolumeclaims"): storage.claim,
    Stored("", "persistentvolumes"): storage.volume,
    Stored("", "pods"): pods.pod,
    Stored("", "podtemplates"): workloads.pod_template,
    Stored("", "replicationcontrollers"): workloads.replication_controller,
    Stored("", "resourcequotas"): plain.resource_quota,
    Stored("", "secrets"): plain.secret,
    Stored("", "serviceaccounts"): plain.name_and_age,
    Stored("", "services"): network.service,
    **{
        Stored("admissionregistration.k8s.io", plural): row
        for plural, row in {
            "mutatingadmissionpolicies": admission.mutating_policy,
            "mutatingadmissionpolicybindings": admission.policy_binding,
            "mutatingwebhookconfigurations": admission.webhooks,
            "validatingadmissionpolicies": admission.validating_policy,
            "validatingadmissionpolicybindings": admission.policy_binding,
            "validatingwebhookconfigurations": admission.webhooks,
        }.items()
    },
    Stored("apiextensions.k8s.io", "customresourcedefinitions"): definition,
    Stored("apiregistration.k8s.io", "apiservices"): plain.api_service,
    Stored("apps", "controllerrevisions"): workloads.controller_revision,
    Stored("apps", "daemonsets"): workloads.daemonset,
    Stored("apps", "deployments"): workloads.deployment,
    Stored("apps", "replicasets"): workloads.replicaset,
    Stored("apps", "statefulsets"): workloads.statefulset,
    Stored("autoscaling", "horizontalpodautoscalers"): workloads.autoscaler,
    _SCALES: plain.scale,
    Stored("batch", "cronjobs"): workloads.cronjob,
    Stored("batch", "jobs"): workloads.job,
    Stored("certificates.k8s.io", "certificatesigningrequests"): access.signing_request,
    Stored("certificates.k8s.io", "clustertrustbundles"): access.trust_bundle,
    Stored("certificates.k8s.io", "podcertificaterequests"): access.pod_certificate_request,
    Stored("coordination.k8s.io", "leases"): plain.lease,
    Stored("discovery.k8s.io", "endpointslices"): network.endpoint_slice,
    Stored("flowcontrol.apiserver.k8s.io", "flowschemas"): plain.flow_schema,
    Stored("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"): plain.priority_level,
    Stored("networking.k8s.io", "ingressclasses"): network.ingress_class,
    Stored("networking.k8s.io", "ingresses"): network.ingress,
    Stored("networking.k8s.io", "ipaddresses"): network.ip_address,
    Stored("networking.k8s.io", "networkpolicies"): network.network_policy,
    Stored("networking.k8s.io", "servicecidrs"): network.service_cidr,
    Stored("node.k8s.io", "runtimeclasses"): plain.runtime_class,
    Stored("policy", "poddisruptionbudgets"): workloads.disruption_budget,
    Stored("rbac.authorization.k8s.io", "clusterrolebindings"): access.binding,
    Stored("rbac.authorization.k8s.io", "rolebindings"): access.binding,
    Stored("resource.k8s.io", "deviceclasses"): plain.name_and_age,
    Stored("resource.k8s.io", "devicetaintrules"): devices.taint_rule,
    Stored("resource.k8s.io", "resourceclaims"): devices.claim,
    Stored("resource.k8s.io", "resourceclaimtemplates"): plain.name_and_age,
    Stored("resource.k8s.io", "resourceslices"): devices.resource_slice,
    Stored("scheduling.k8s.io", "priorityclasses"): plain.priority_class,
    Stored("storage.k8s.io", "csidrivers"): storage.csi_driver,
    Stored("storage.k8s.io", "csinodes"): storage.csi_node,
    Stored("storage.k8s.io", "storageclasses"): storage.storage_class,
    Stored("storage.k8s.io", "volumeattachments"): storage.attachment,
    Stored("storage.k8s.io", "volumeattributesclasses"): storage.attributes_class,
    Stored("storagemigration.k8s.io", "storageversionmigrations"): plain.storage_version_migration,
}

_NULL_WHEN_EMPTY = (plain.name_and_creation, definition)
"""Rows of these are a null, not an empty list, where there are none: nothing makes the list."""

_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"


def table(
    kind: Kind,
    objects: Sequence[Object],
    now: float,
    include: Include = "Metadata",
    *,
    metadata: Object | None = None,
    headers: bool = True,
) -> Object:
    """One object, or the objects of a list, as a Table.

    ``now`` in seconds since the epoch; ``metadata`` is that of the list, or None for one object,
    whose version becomes the Table's; without ``headers`` there are no column definitions, as from
    the second event of a watch on.
    """
    listed = metadata is not None
    if metadata is None:
        metadata = {"resourceVersion": text(objects[0], "metadata", "resourceVersion")}
    row = partial(_row, kind, include, now)
    rows = [row(obj) for obj in (_in_order(kind, objects) if listed else objects)]
    if listed and kind.stored == ("storage.k8s.io", "storageclasses"):
        _mark_default(objects, rows)
    is_null = not rows and not kind.custom and _cells_of(kind) in _NULL_WHEN_EMPTY
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": _definitions(kind) if headers else None,
        "rows": None if is_null else rows,
    }


def _definitions(kind: Kind) -> list[Object]:
    if kind.custom:
        return column_definitions(kind.columns)
    if kind.stored == _SCALES:
        return plain.scale_columns()
    known = recorded("columns")
    generic = known["rbac.authorization.k8s.io/v1/roles"]
    found: list[Object] = known.get(f"{kind.api_version}/{kind.plural}", generic)
    return found


def _cells_of(kind: Kind) -> Cells:
    return _ROWS.get(kind.stored, plain.name_and_creation)


def _row(kind: Kind, include: Include, now: float, obj: Object) -> Object:
    if kind.custom:
        cells: list[Any] = custom(obj, kind.columns, now)
    else:
        cells = _cells_of(kind)(obj, now)
    row: Object = {"cells": cells}
    if kind.stored == ("", "pods") and (conditions := pods.conditions(obj)):
        row["conditions"] = conditions
    row["object"] = _included(include, obj)
    return row


def _included(include: Include, obj: Object) -> Object | None:
    match include:
        case "Object":
            return obj
        case "None":
            return None
        case "Metadata":
            return {
                "kind": "PartialObjectMetadata",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": obj["metadata"],
            }


def _in_order(kind: Kind, objects: Sequence[Object]) -> Sequence[Object]:
    """As stored; flow schemas by precedence. Source: ``printFlowSchemaList``."""
    if kind.stored != ("flowcontrol.apiserver.k8s.io", "flowschemas"):
        return objects
    return sorted(
        objects,
        key=lambda obj: (at(obj, "spec", "matchingPrecedence") or 0, name_of(obj)),
    )


def _mark_default(objects: Sequence[Object], rows: list[Object]) -> None:
    """Of the classes that say they are the default, the newest is.

    Source: ``getEffectiveDefaultStorageClass``.
    """
    marked = [
        (text(obj, "metadata", "creationTimestamp"), place)
        for place, obj in enumerate(objects)
        if text(obj, "metadata", "annotations", _DEFAULT_CLASS) == "true"
    ]
    if marked:
        newest = max(stamp for stamp, _ in marked)
        place = min(where for stamp, where in marked if stamp == newest)
        rows[place]["cells"][0] += " (default)"

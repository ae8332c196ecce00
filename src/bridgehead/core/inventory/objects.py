"""Nouns back to API objects, trimmed: what an inventory file keeps of a cluster.

A recorded cluster is made of API objects, whoever recorded it, so it is read by the same code and
can be served again by a simulated one. Kept is what the nouns hold, less what ``trimming`` removes,
field managers, resource versions, and templates of former revisions. Secrets and ConfigMaps are
never read.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from bridgehead.core.inventory.trimming import kept_annotations, trimmed_template
from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.component import Component, Revision
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import REVISION_HASH, Container, Pod

T = TypeVar("T")

_READY = {True: "True", False: "False", None: "Unknown"}


def node_object(node: Node) -> JsonObject:
    """A node as the API server would write it."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": node.name,
            "uid": node.uid,
            "labels": _sorted(node.labels),
            "annotations": kept_annotations(node.annotations),
        },
        "spec": {
            "unschedulable": node.unschedulable,
            "taints": [
                {"key": taint.key, "value": taint.value, "effect": taint.effect}
                for taint in node.taints
            ],
        },
        "status": {
            "capacity": {name: str(offer.capacity) for name, offer in _items(node.offers)},
            "allocatable": {name: str(offer.allocatable) for name, offer in _items(node.offers)},
            "conditions": [{"type": "Ready", "status": _READY[node.ready]}],
            "nodeInfo": {
                "osImage": node.os_image,
                "kernelVersion": node.kernel,
                "containerRuntimeVersion": node.runtime,
                "architecture": node.arch,
                "kubeletVersion": node.kubelet,
                "bootID": node.boot_id,
            },
        },
    }


def pod_object(pod: Pod) -> JsonObject:
    """A pod as the API server would write it; the requests of all containers stand on the first."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _pod_metadata(pod),
        "spec": {
            **({"nodeName": pod.node} if pod.bound else _meant_for(pod.node)),
            "initContainers": [_spec(item, {}) for item in pod.init_containers],
            "containers": [
                _spec(item, pod.requests if number == 0 else {})
                for number, item in enumerate(pod.containers)
            ],
            "volumes": [
                {"name": f"host-{number}", "hostPath": {"path": path}}
                for number, path in enumerate(pod.host_paths)
            ],
        },
        "status": {
            "phase": pod.phase,
            "reason": pod.reason,
            "message": pod.message,
            **({"startTime": stamp(pod.created)} if pod.admitted else {}),
            "conditions": [{"type": "Ready", "status": _READY[pod.ready]}],
            "initContainerStatuses": [_status(item) for item in pod.init_containers],
            "containerStatuses": [_status(item) for item in pod.containers],
        },
    }


def daemon_set_object(component: Component, resources: Iterable[str]) -> JsonObject:
    """A DaemonSet as the API server would write it; ``resources`` are names that may stay in it."""
    status: JsonObject = {
        "observedGeneration": component.observed_generation,
        **({} if component.desired is None else {"desiredNumberScheduled": component.desired}),
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "namespace": component.namespace,
            "name": component.name,
            "uid": component.uid,
            "generation": component.generation,
            "labels": _sorted(component.labels),
            "annotations": kept_annotations(component.annotations),
            "ownerReferences": [
                {"kind": kind, "name": name, "controller": True}
                for owner in component.owners
                if owner.kind == "operator"
                for kind, _, name in [owner.name.partition("/")]
            ],
            **({"deletionTimestamp": stamp(0.0)} if component.deleting else {}),
        },
        "spec": {
            "selector": component.selector,
            "updateStrategy": component.strategy,
            "template": trimmed_template(component.template, resources),
        },
        "status": status,
    }


def revision_object(component: Component, revision: Revision, template: JsonObject) -> JsonObject:
    """A ControllerRevision of the component that keeps this (trimmed) template."""
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "namespace": component.namespace,
            "name": revision.name,
            "labels": {REVISION_HASH: revision.hash},
            "ownerReferences": [
                {
                    "kind": "DaemonSet",
                    "name": component.name,
                    "uid": component.uid,
                    "controller": True,
                }
            ],
        },
        "revision": revision.number,
        "data": {"spec": {"template": template}},
    }


def _pod_metadata(pod: Pod) -> JsonObject:
    owner: JsonObject = {
        "kind": pod.owner_kind,
        "name": pod.owner_name,
        "uid": pod.owner_uid,
        "controller": True,
    }
    return {
        "namespace": pod.namespace,
        "name": pod.name,
        "uid": pod.uid,
        "labels": _sorted(pod.labels),
        "ownerReferences": [owner] if pod.owner_kind else [],
        **({"creationTimestamp": stamp(pod.created)} if pod.created else {}),
        **({"deletionTimestamp": stamp(pod.created)} if pod.deleting else {}),
    }


def _meant_for(node: str) -> JsonObject:
    """The affinity by which the DaemonSet controller pins a pod that is not bound yet."""
    if not node:
        return {}
    fields: JsonObject = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms: JsonObject = {"nodeSelectorTerms": [{"matchFields": [fields]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


def _spec(item: Container, requests: Mapping[str, int]) -> JsonObject:
    asked: JsonObject = {name: str(count) for name, count in _items(requests)}
    return {
        "name": item.name,
        "image": item.image,
        "resources": {"requests": asked, "limits": asked} if asked else {},
    }


def _status(item: Container) -> JsonObject:
    last: JsonObject = {}
    if item.last_exit_code is not None:
        last = _terminated(item.last_exit_code, item.last_reason, item.last_message)
    return {
        "name": item.name,
        "image": item.image,
        "imageID": item.image_id,
        "containerID": item.container_id,
        "ready": item.ready,
        "restartCount": item.restarts,
        "state": _state(item),
        "lastState": last,
    }


def _state(item: Container) -> JsonObject:
    match item.state:
        case "waiting":
            return {"waiting": {"reason": item.reason, "message": item.message}}
        case "running":
            return {"running": {}}
        case "terminated":
            return _terminated(item.exit_code or 0, item.reason, item.message)
        case _:
            return {}


def _terminated(code: int, reason: str, message: str) -> JsonObject:
    return {"terminated": {"exitCode": code, "reason": reason, "message": message}}


def _items(mapping: Mapping[str, T]) -> list[tuple[str, T]]:
    return sorted(mapping.items(), key=lambda item: item[0])


def _sorted(mapping: Mapping[str, str]) -> JsonObject:
    return dict(sorted(mapping.items()))

"""What the server itself writes into an object before it judges it.

Source: ``PrepareForCreate`` and ``PrepareForUpdate`` of k8s.io/kubernetes/pkg/registry/GROUP/KIND.
"""

from collections.abc import Callable, Mapping

from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.nodes.pods.qos import qos_class
from bridgehead.twin.objects import Object, text
from bridgehead.twin.schema.decoding import empty_status

_KEEPS_STATUS = frozenset({Stored("", "nodes"), Stored("", "namespaces")})
"""Kinds whose status may come with the object when it is created."""

_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
"""An annotation that counts the templates of a DaemonSet since the API's first version."""


def prepare_new(kind: Kind, obj: Object, now: str) -> None:
    """Change a new object, a private copy, as its kind's strategy does. ``now``: a timestamp."""
    if kind.subresource("status") is not None and kind.stored not in _KEEPS_STATUS:
        obj.pop("status", None)
        if (empty := empty_status(kind)) is not None:
            obj["status"] = empty
    if (prepare := _NEW.get(kind.stored)) is not None:
        prepare(obj)
    if kind.stored == ("", "persistentvolumes"):
        obj["status"]["lastPhaseTransitionTime"] = now


def prepare_changed(kind: Kind, obj: Object, old: Object) -> None:
    """Change an object that replaces another one."""
    quality = text(old, "status", "qosClass")
    if kind.stored == ("", "pods") and quality and "status" in obj:
        obj["status"]["qosClass"] = quality
    if kind.stored == ("apps", "daemonsets"):
        same = obj.get("spec", {}).get("template") == old.get("spec", {}).get("template")
        number = int(text(old, "metadata", "annotations", _TEMPLATE_GENERATION) or 1)
        _count_templates(obj, number if same else number + 1)


def _new_pod(obj: Object) -> None:
    obj["status"] = {"phase": "Pending", "qosClass": qos_class(obj)}


def _new_namespace(obj: Object) -> None:
    finalizers = obj.setdefault("spec", {}).get("finalizers") or []
    if "kubernetes" not in finalizers:
        obj["spec"]["finalizers"] = [*finalizers, "kubernetes"]
    obj["status"] = {"phase": "Active"}


def _new_daemon_set(obj: Object) -> None:
    _count_templates(obj, 1)


def _count_templates(obj: Object, number: int) -> None:
    metadata = obj["metadata"]
    annotations = {**(metadata.get("annotations") or {}), _TEMPLATE_GENERATION: str(number)}
    metadata["annotations"] = annotations


def _new_job(obj: Object) -> None:
    spec = obj["spec"]
    if spec.get("manualSelector"):
        return
    uid, name = obj["metadata"]["uid"], obj["metadata"].get("name") or ""
    metadata = spec["template"].setdefault("metadata", {})
    labels = metadata.get("labels")
    metadata["labels"] = {
        **(labels or {}),
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name,
        "controller-uid": uid,
        "job-name": name,
    }
    if obj["metadata"].get("labels") in (None, labels):  # the server's defaults share the map
        obj["metadata"]["labels"] = dict(metadata["labels"])
    selector = spec.setdefault("selector", {})
    selector["matchLabels"] = {
        **(selector.get("matchLabels") or {}),
        "batch.kubernetes.io/controller-uid": uid,
    }


def _new_claim(obj: Object) -> None:
    obj["status"] = {"phase": "Pending"}
    _protect(obj, "kubernetes.io/pvc-protection")


def _new_volume(obj: Object) -> None:
    obj["status"] = {"phase": "Pending"}
    _protect(obj, "kubernetes.io/pv-protection")


def _protect(obj: Object, finalizer: str) -> None:
    finalizers = obj["metadata"].get("finalizers") or []
    if finalizer not in finalizers:
        obj["metadata"]["finalizers"] = [*finalizers, finalizer]


_NEW: Mapping[Stored, Callable[[Object], None]] = {
    Stored("", "pods"): _new_pod,
    Stored("", "namespaces"): _new_namespace,
    Stored("", "persistentvolumeclaims"): _new_claim,
    Stored("", "persistentvolumes"): _new_volume,
    Stored("apps", "daemonsets"): _new_daemon_set,
    Stored("batch", "jobs"): _new_job,
}

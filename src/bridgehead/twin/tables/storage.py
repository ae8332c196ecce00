"""Rows of storage: volumes, claims and classes, drivers of volumes."""

from collections.abc import Sequence
from typing import Any

from bridgehead.twin.objects import Object, at, items, name_of, text
from bridgehead.twin.tables.cells import NONE, UNSET, age, word

_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def volume(obj: Object, now: float) -> list[Any]:
    """Source: ``printPersistentVolume``."""
    claim = at(obj, "spec", "claimRef")
    return [
        name_of(obj),
        word(obj, "spec", "capacity", "storage", missing="0"),
        _modes(items(obj, "spec", "accessModes")),
        word(obj, "spec", "persistentVolumeReclaimPolicy"),
        _phase(obj),
        f"{text(claim, 'namespace')}/{text(claim, 'name')}" if claim else "",
        _class(obj),
        word(obj, "spec", "volumeAttributesClassName", missing=UNSET),
        word(obj, "status", "reason"),
        age(obj, now),
        word(obj, "spec", "volumeMode", missing=UNSET),
    ]


def claim(obj: Object, now: float) -> list[Any]:
    """Source: ``printPersistentVolumeClaim``."""
    bound = text(obj, "spec", "volumeName")
    return [
        name_of(obj),
        _phase(obj),
        bound,
        word(obj, "status", "capacity", "storage", missing="0") if bound else "",
        _modes(items(obj, "status", "accessModes")) if bound else "",
        _class(obj),
        word(obj, "spec", "volumeAttributesClassName", missing=UNSET),
        age(obj, now),
        word(obj, "spec", "volumeMode", missing=UNSET),
    ]


def storage_class(obj: Object, now: float) -> list[Any]:
    """Source: ``printStorageClassInternal``; the default one is marked in lists alone."""
    return [
        name_of(obj),
        word(obj, "provisioner"),
        word(obj, "reclaimPolicy", missing="Delete"),
        word(obj, "volumeBindingMode", missing="Immediate"),
        bool(at(obj, "allowVolumeExpansion")),
        age(obj, now),
    ]


def attributes_class(obj: Object, now: float) -> list[Any]:
    """Source: ``printVolumeAttributesClass``."""
    return [name_of(obj), word(obj, "driverName"), age(obj, now)]


def attachment(obj: Object, now: float) -> list[Any]:
    """Source: ``printVolumeAttachment``."""
    return [
        name_of(obj),
        word(obj, "spec", "attacher"),
        word(obj, "spec", "source", "persistentVolumeName"),
        word(obj, "spec", "nodeName"),
        bool(at(obj, "status", "attached")),
        age(obj, now),
    ]


def csi_node(obj: Object, now: float) -> list[Any]:
    """Source: ``printCSINode``."""
    return [name_of(obj), len(items(obj, "spec", "drivers")), age(obj, now)]


def csi_driver(obj: Object, now: float) -> list[Any]:
    """Source: ``printCSIDriver``."""
    requests = at(obj, "spec", "tokenRequests")
    audiences = [text(entry, "audience") for entry in requests or ()]
    attach = at(obj, "spec", "attachRequired")
    return [
        name_of(obj),
        True if attach is None else attach,
        bool(at(obj, "spec", "podInfoOnMount")),
        bool(at(obj, "spec", "storageCapacity")),
        UNSET if requests is None else ",".join(audiences),
        bool(at(obj, "spec", "requiresRepublish")),
        ",".join(items(obj, "spec", "volumeLifecycleModes")) or NONE,
        age(obj, now),
    ]


def _phase(obj: Object) -> str:
    if text(obj, "metadata", "deletionTimestamp"):
        return "Terminating"
    return word(obj, "status", "phase")


def _class(obj: Object) -> str:
    annotated = text(obj, "metadata", "annotations", _CLASS_ANNOTATION)
    return annotated or word(obj, "spec", "storageClassName")


def _modes(modes: Sequence[str]) -> str:
    return ",".join(short for mode, short in _MODES.items() if mode in modes)

"""Defaults of volumes, claims, storage classes and storage drivers.

Source: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go and .../storage/v1/defaults.go.
"""

from bridgehead.twin.admission.defaults.containers import default_resources
from bridgehead.twin.objects import Object


def default_persistent_volume(obj: Object) -> None:
    """``v1`` PersistentVolume."""
    spec = obj.setdefault("spec", {})
    default_resources({"limits": spec.get("capacity")})
    spec["persistentVolumeReclaimPolicy"] = spec.get("persistentVolumeReclaimPolicy") or "Retain"
    spec.setdefault("volumeMode", "Filesystem")
    if (path := spec.get("hostPath")) is not None:
        path.setdefault("type", "")
    status = obj.setdefault("status", {})
    status["phase"] = status.get("phase") or "Pending"


def default_claim(obj: Object) -> None:
    """``v1`` PersistentVolumeClaim."""
    spec = obj.setdefault("spec", {})
    default_resources(spec.setdefault("resources", {}))
    spec.setdefault("volumeMode", "Filesystem")
    status = obj.setdefault("status", {})
    status["phase"] = status.get("phase") or "Pending"


def default_storage_class(obj: Object) -> None:
    """``storage.k8s.io/v1`` StorageClass."""
    obj.setdefault("reclaimPolicy", "Delete")
    obj.setdefault("volumeBindingMode", "Immediate")


def default_csi_driver(obj: Object) -> None:
    """``storage.k8s.io/v1`` CSIDriver."""
    spec = obj.setdefault("spec", {})
    for key, value in (
        ("attachRequired", True),
        ("podInfoOnMount", False),
        ("storageCapacity", False),
        ("fsGroupPolicy", "ReadWriteOnceWithFSType"),
        ("requiresRepublish", False),
        ("seLinuxMount", False),
        ("preventPodSchedulingIfMissing", False),
    ):
        spec.setdefault(key, value)
    spec["volumeLifecycleModes"] = spec.get("volumeLifecycleModes") or ["Persistent"]

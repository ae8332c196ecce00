"""Defaults of pods and of the pod templates of workloads.

Source: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go, SetDefaults_Pod, _PodSpec and _Volume.
"""

from bridgehead.twin.admission.defaults.containers import (
    containers_of,
    default_container,
    default_requests,
    pull_policy,
)
from bridgehead.twin.objects import Object

_MODE = 0o644
"""Permission bits of files of a volume."""

_PROJECTIONS = ("secret", "configMap", "downwardAPI", "serviceAccountToken")


def default_template(template: Object) -> None:
    """Fill in the pod template of a workload."""
    template.setdefault("metadata", {})
    default_pod_spec(template.setdefault("spec", {}))


def default_pod(pod: Object) -> None:
    """Fill in a pod."""
    spec = pod.setdefault("spec", {})
    default_pod_spec(spec)
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        spec["terminationGracePeriodSeconds"] = 1
    for container in containers_of(spec):
        default_requests(container)
        if spec.get("hostNetwork"):
            for port in container.get("ports") or ():
                if not port.get("hostPort"):
                    port["hostPort"] = port.get("containerPort")
    spec.setdefault("enableServiceLinks", True)


def default_pod_spec(spec: Object) -> None:
    """Fill in what pods and templates have in common."""
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for key, value in (
        ("dnsPolicy", "ClusterFirst"),
        ("restartPolicy", "Always"),
        ("schedulerName", "default-scheduler"),
    ):
        if not spec.get(key):
            spec[key] = value
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", 30)
    for volume in spec.get("volumes") or ():
        _default_volume(volume)
    for container in containers_of(spec):
        default_container(container)


def _default_volume(volume: Object) -> None:
    if len(volume) == 1 and "name" in volume:
        volume["emptyDir"] = {}
    for key in ("secret", "configMap", "downwardAPI", "projected"):
        if (source := volume.get(key)) is not None:
            source.setdefault("defaultMode", _MODE)
            _default_field_references(source)
    if (source := volume.get("hostPath")) is not None:
        source.setdefault("type", "")
    if (source := volume.get("image")) is not None and not source.get("pullPolicy"):
        source["pullPolicy"] = pull_policy(source.get("reference") or "")
    for projection in (volume.get("projected") or {}).get("sources") or ():
        for key in _PROJECTIONS:
            if (source := projection.get(key)) is not None:
                _default_field_references(source)
        if (token := projection.get("serviceAccountToken")) is not None:
            token.setdefault("expirationSeconds", 3600)
    _default_driver(volume)


def _default_field_references(source: Object) -> None:
    for item in source.get("items") or ():
        if (reference := item.get("fieldRef")) is not None and not reference.get("apiVersion"):
            reference["apiVersion"] = "v1"


def _default_driver(volume: Object) -> None:
    """Volumes of other systems; those of the test bed need none of them."""
    if (source := volume.get("iscsi")) is not None:
        source["iscsiInterface"] = source.get("iscsiInterface") or "default"
    if (source := volume.get("rbd")) is not None:
        for key, value in (("pool", "rbd"), ("user", "admin"), ("keyring", "/etc/ceph/keyring")):
            source[key] = source.get(key) or value
    if (source := volume.get("ephemeral")) is not None:
        claim = (source.get("volumeClaimTemplate") or {}).get("spec")
        if claim is not None:
            claim.setdefault("volumeMode", "Filesystem")

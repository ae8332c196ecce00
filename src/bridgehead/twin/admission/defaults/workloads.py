"""Defaults of workloads: DaemonSets, Deployments, ReplicaSets, StatefulSets, Jobs, CronJobs.

Source: k8s.io/kubernetes/pkg/apis/apps/v1/defaults.go and .../batch/v1/defaults.go.
"""

from bridgehead.twin.admission.defaults.pods import default_template
from bridgehead.twin.objects import Object

_ALL_RETRIES = 2**31 - 1


def default_daemon_set(obj: Object) -> None:
    """``apps/v1`` DaemonSet."""
    spec = _spec(obj)
    strategy = spec.setdefault("updateStrategy", {})
    strategy["type"] = strategy.get("type") or "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
    spec.setdefault("revisionHistoryLimit", 10)


def default_deployment(obj: Object) -> None:
    """``apps/v1`` Deployment."""
    spec = _spec(obj)
    spec.setdefault("replicas", 1)
    strategy = spec.setdefault("strategy", {})
    strategy["type"] = strategy.get("type") or "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)


def default_replica_set(obj: Object) -> None:
    """``apps/v1`` ReplicaSet."""
    _spec(obj).setdefault("replicas", 1)


def default_replication_controller(obj: Object) -> None:
    """``v1`` ReplicationController."""
    spec = _spec(obj)
    spec.setdefault("replicas", 1)
    labels = (spec["template"].get("metadata") or {}).get("labels")
    if labels:
        spec["selector"] = spec.get("selector") or dict(labels)
        obj["metadata"]["labels"] = obj["metadata"].get("labels") or dict(labels)


def default_stateful_set(obj: Object) -> None:
    """``apps/v1`` StatefulSet."""
    spec = _spec(obj)
    spec["podManagementPolicy"] = spec.get("podManagementPolicy") or "OrderedReady"
    strategy = spec.setdefault("updateStrategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {})
    if strategy["type"] == "RollingUpdate" and strategy.get("rollingUpdate") is not None:
        strategy["rollingUpdate"].setdefault("partition", 0)
        strategy["rollingUpdate"].setdefault("maxUnavailable", 1)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    for key in ("whenDeleted", "whenScaled"):
        retention[key] = retention.get(key) or "Retain"
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", 10)
    for claim in spec.get("volumeClaimTemplates") or ():
        claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"
        claim.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")
        claim.setdefault("status", {}).setdefault("phase", "Pending")


def default_job(obj: Object) -> None:
    """``batch/v1`` Job."""
    spec = _spec(obj)
    _default_job_spec(spec)
    labels = (spec["template"].get("metadata") or {}).get("labels")
    if labels and not obj["metadata"].get("labels"):
        obj["metadata"]["labels"] = dict(labels)
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = spec["parallelism"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", _ALL_RETRIES if "backoffLimitPerIndex" in spec else 6)
    spec["completionMode"] = spec.get("completionMode") or "NonIndexed"
    spec.setdefault("suspend", False)
    replacement = "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed"
    spec.setdefault("podReplacementPolicy", replacement)
    spec.setdefault("manualSelector", False)


def default_cron_job(obj: Object) -> None:
    """``batch/v1`` CronJob."""
    spec = obj.setdefault("spec", {})
    spec["concurrencyPolicy"] = spec.get("concurrencyPolicy") or "Allow"
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)
    job = spec.setdefault("jobTemplate", {}).setdefault("spec", {})
    default_template(job.setdefault("template", {}))
    _default_job_spec(job)


def default_pod_template(obj: Object) -> None:
    """``v1`` PodTemplate."""
    default_template(obj.setdefault("template", {}))


def _spec(obj: Object) -> Object:
    spec: Object = obj.setdefault("spec", {})
    default_template(spec.setdefault("template", {}))
    return spec


def _default_job_spec(spec: Object) -> None:
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            pattern["status"] = pattern.get("status") or "True"

"""Workloads: DaemonSets, Deployments, ReplicaSets, StatefulSets, Jobs, CronJobs.

Source: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go and .../batch/validation.
"""

import re
from typing import Any

from bridgehead.twin.integers import int64
from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import (
    Causes,
    forbidden,
    immutable,
    invalid,
    not_supported,
    required,
)
from bridgehead.twin.schema.validation.internal import internal_form
from bridgehead.twin.schema.validation.pods import template_causes
from bridgehead.twin.schema.validation.schedules import schedule_complaint
from bridgehead.twin.schema.validation.selectors import is_empty, selector_causes
from bridgehead.twin.selection import selects

_NOT_NEGATIVE = "must be greater than or equal to 0"
_MISMATCH = "`selector` does not match template `labels`"


def daemon_set_causes(obj: Object) -> Causes:
    """What is wrong with a DaemonSet's spec."""
    spec = obj["spec"]
    selector = spec.get("selector")
    yield from selector_causes(selector, "spec.selector")
    yield from _mismatch_causes(spec)
    if selector is not None and is_empty(selector):
        yield invalid("spec.selector", selector, "empty selector is invalid for daemonset")
    yield from template_causes(spec["template"], "spec.template")
    yield from _always_causes(spec["template"], "DaemonSet")
    yield from not_negative_causes(spec, "spec", "minReadySeconds")
    yield from _daemon_set_strategy_causes(spec["updateStrategy"])
    yield from not_negative_causes(spec, "spec", "revisionHistoryLimit")


def daemon_set_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a DaemonSet."""
    yield from _selector_update_causes(obj, old)


def deployment_causes(obj: Object) -> Causes:
    """What is wrong with a Deployment's spec."""
    spec = obj["spec"]
    yield from not_negative_causes(spec, "spec", "replicas")
    yield from _selected_template_causes(spec)
    yield from _deployment_strategy_causes(spec["strategy"])
    yield from not_negative_causes(spec, "spec", "minReadySeconds")
    yield from not_negative_causes(spec, "spec", "revisionHistoryLimit")
    yield from not_negative_causes(spec, "spec", "progressDeadlineSeconds")
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= (spec.get("minReadySeconds") or 0):
        detail = "must be greater than minReadySeconds"
        yield invalid("spec.progressDeadlineSeconds", deadline, detail)


def replica_set_causes(obj: Object) -> Causes:
    """What is wrong with a ReplicaSet's spec."""
    spec = obj["spec"]
    yield from not_negative_causes(spec, "spec", "replicas")
    yield from not_negative_causes(spec, "spec", "minReadySeconds")
    yield from _selected_template_causes(spec)


def selected_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a Deployment or ReplicaSet."""
    yield from _selector_update_causes(obj, old)


def stateful_set_causes(obj: Object) -> Causes:
    """What is wrong with a StatefulSet's spec."""
    spec = obj["spec"]
    yield from not_negative_causes(spec, "spec", "replicas")
    yield from not_negative_causes(spec, "spec", "minReadySeconds")
    if (selector := spec.get("selector")) is None:
        yield required("spec.selector")
    else:
        yield from selector_causes(selector, "spec.selector")
        if is_empty(selector):
            yield invalid("spec.selector", selector, "empty selector is invalid for statefulset")
    yield from _mismatch_causes(spec)
    claims = [
        {"name": claim["metadata"].get("name"), "emptyDir": {}}
        for claim in spec.get("volumeClaimTemplates") or ()
    ]
    template = spec["template"]
    inner = {**template["spec"], "volumes": [*(template["spec"].get("volumes") or ()), *claims]}
    yield from template_causes({**template, "spec": inner}, "spec.template")
    yield from _always_causes(template, "StatefulSet")


def stateful_set_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a StatefulSet."""
    spec, before = obj["spec"], old["spec"]
    for key in ("selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"):
        yield from immutable(f"spec.{key}", spec.get(key), before.get(key))


def job_causes(obj: Object) -> Causes:
    """What is wrong with a Job's spec."""
    spec = obj["spec"]
    yield from _job_spec_causes(spec, "spec")
    if spec.get("selector") is None:
        yield required("spec.selector")
    yield from selector_causes(spec.get("selector"), "spec.selector")
    yield from _mismatch_causes(spec)


def job_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a Job; the template may while it is suspended and has not begun."""
    spec, before = obj["spec"], old["spec"]
    for key in ("completions", "selector"):
        if key == "completions" and spec.get("completionMode") == "Indexed":
            continue
        yield from immutable(f"spec.{key}", spec.get(key), before.get(key))
    started = (old.get("status") or {}).get("startTime")
    if not (before.get("suspend") and not started):
        yield from immutable("spec.template", spec["template"], before["template"])
    for key in ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "successPolicy"):
        yield from immutable(f"spec.{key}", spec.get(key), before.get(key))


def cron_job_causes(obj: Object) -> Causes:
    """What is wrong with a CronJob's spec."""
    spec = obj["spec"]
    if not (schedule := spec.get("schedule")):
        yield required("spec.schedule")
    elif complaint := schedule_complaint(schedule):
        yield invalid("spec.schedule", schedule, complaint)
    supported = ("Allow", "Forbid", "Replace")
    if (policy := spec.get("concurrencyPolicy")) not in supported:
        yield not_supported("spec.concurrencyPolicy", policy, supported)
    yield from _job_spec_causes(spec["jobTemplate"]["spec"], "spec.jobTemplate.spec")


def not_negative_causes(value: Object, field: str, *keys: str) -> Causes:
    """What is wrong with numbers that count something."""
    for key in keys:
        if (number := value.get(key)) is not None and number < 0:
            yield invalid(f"{field}.{key}", number, _NOT_NEGATIVE)


def amount_or_percent_causes(value: Any, field: str) -> Causes:
    """What is wrong with a number of pods that may be a part of all."""
    if isinstance(value, str):
        if not re.fullmatch("[0-9]+%", value):
            yield invalid(
                field,
                value,
                "a valid percent string must be a numeric string followed by an ending '%' "
                "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
            )
    elif value < 0:
        yield invalid(field, value, _NOT_NEGATIVE)


def at_most_all_causes(value: Any, field: str) -> Causes:
    """What is wrong with a part that is more than all."""
    if isinstance(value, str) and re.fullmatch("[0-9]+%", value) and _number(value) > 100:
        yield invalid(field, value, "must not be greater than 100%")


_ENDLESS = 1 << 63
"""Stands for any number beyond 64 bits."""


def _number(value: Any) -> int:
    text = str(value).removesuffix("%")
    found = int64(text)
    return (_ENDLESS if text.isdigit() else 0) if found is None else max(0, found)


def _selector_update_causes(obj: Object, old: Object) -> Causes:
    selector = obj["spec"].get("selector")
    yield from immutable("spec.selector", selector, old["spec"].get("selector"))


def _mismatch_causes(spec: Object) -> Causes:
    labels = (spec["template"].get("metadata") or {}).get("labels")
    if any(selector_causes(spec.get("selector"), "")):
        return
    if not selects(spec.get("selector"), labels or {}):
        yield invalid("spec.template.metadata.labels", labels, _MISMATCH)


def _selected_template_causes(spec: Object) -> Causes:
    if (selector := spec.get("selector")) is None:
        yield required("spec.selector")
    else:
        yield from selector_causes(selector, "spec.selector")
        if is_empty(selector):
            yield invalid("spec.selector", selector, "empty selector is invalid for deployment")
        if any(selector_causes(selector, "")):
            yield invalid("spec.selector", selector, "invalid label selector")
            return
    yield from _mismatch_causes(spec)
    yield from template_causes(spec["template"], "spec.template")
    yield from _always_causes(spec["template"], "ReplicaSet")


def _always_causes(template: Object, kind: str) -> Causes:
    spec = template["spec"]
    if (policy := spec.get("restartPolicy")) != "Always":
        yield not_supported("spec.template.spec.restartPolicy", policy, ("Always",))
    if spec.get("activeDeadlineSeconds") is not None:
        yield forbidden(
            "spec.template.spec.activeDeadlineSeconds",
            f"activeDeadlineSeconds in {kind} is not Supported",
        )


def _daemon_set_strategy_causes(strategy: Object) -> Causes:
    field = "spec.updateStrategy"
    if strategy["type"] == "OnDelete":
        return
    if strategy["type"] != "RollingUpdate":
        yield not_supported(
            field, internal_form("Strategy", strategy), ("RollingUpdate", "OnDelete")
        )
        return
    rolling, place = strategy["rollingUpdate"], f"{field}.rollingUpdate"
    unavailable, surge = rolling["maxUnavailable"], rolling["maxSurge"]
    for check in (amount_or_percent_causes, at_most_all_causes):
        yield from check(unavailable, f"{place}.maxUnavailable")
        yield from check(surge, f"{place}.maxSurge")
    if _number(unavailable) and _number(surge):
        yield invalid(f"{place}.maxSurge", surge, "may not be set when maxUnavailable is non-zero")
    elif not _number(unavailable) and not _number(surge):
        yield required(f"{place}.maxUnavailable", "cannot be 0 when maxSurge is 0")


def _deployment_strategy_causes(strategy: Object) -> Causes:
    field = "spec.strategy"
    if strategy["type"] == "Recreate":
        if strategy.get("rollingUpdate") is not None:
            detail = "may not be specified when strategy `type` is 'Recreate'"
            yield forbidden(f"{field}.rollingUpdate", detail)
        return
    if strategy["type"] != "RollingUpdate":
        yield not_supported(
            field, internal_form("Strategy", strategy), ("Recreate", "RollingUpdate")
        )
        return
    rolling, place = strategy["rollingUpdate"], f"{field}.rollingUpdate"
    unavailable, surge = rolling["maxUnavailable"], rolling["maxSurge"]
    yield from amount_or_percent_causes(unavailable, f"{place}.maxUnavailable")
    yield from amount_or_percent_causes(surge, f"{place}.maxSurge")
    if not _number(unavailable) and not _number(surge):
        detail = "may not be 0 when `maxSurge` is 0"
        yield invalid(f"{place}.maxUnavailable", unavailable, detail)
    yield from at_most_all_causes(unavailable, f"{place}.maxUnavailable")


def _job_spec_causes(spec: Object, field: str) -> Causes:
    yield from not_negative_causes(
        spec,
        field,
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    )
    mode = spec.get("completionMode")
    if mode not in {None, "NonIndexed", "Indexed"}:
        yield not_supported(f"{field}.completionMode", mode, ("NonIndexed", "Indexed"))
    if mode == "Indexed" and spec.get("completions") is None:
        yield required(f"{field}.completions", "when completion mode is Indexed")
    yield from template_causes(spec["template"], f"{field}.template")
    policy = spec["template"]["spec"].get("restartPolicy")
    if policy == "Always":
        yield required(f"{field}.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"')
    elif policy not in {"OnFailure", "Never"}:
        place = f"{field}.template.spec.restartPolicy"
        yield not_supported(place, policy, ("OnFailure", "Never"))

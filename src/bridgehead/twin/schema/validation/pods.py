"""Pods and pod templates: volumes, containers, and what a pod says beside them.

Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, ValidatePodSpec.
"""

from collections.abc import Sequence

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.affinity import affinity_causes
from bridgehead.twin.schema.validation.causes import (
    Causes,
    duplicate,
    invalid,
    not_supported,
    required,
)
from bridgehead.twin.schema.validation.containers import (
    container_causes,
    init_container_causes,
)
from bridgehead.twin.schema.validation.internal import internal_form
from bridgehead.twin.schema.validation.metadata import annotation_causes, label_causes
from bridgehead.twin.schema.validation.names import (
    dns_label,
    dns_subdomain,
    label_value,
    out_of_range,
    qualified_name,
)
from bridgehead.twin.schema.validation.volumes import volume_causes

_RESTARTS = ("Always", "OnFailure", "Never")
_DNS = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTIONS = ("PreemptLowerPriority", "Never")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def template_causes(template: Object, field: str) -> Causes:
    """What is wrong with a pod template."""
    metadata = template.get("metadata") or {}
    yield from label_causes(metadata.get("labels"), f"{field}.labels")
    yield from annotation_causes(metadata.get("annotations"), f"{field}.annotations")
    yield from pod_spec_causes(template.get("spec") or {}, f"{field}.spec", is_pod=False)


def pod_causes(pod: Object) -> Causes:
    """What is wrong with a pod beside its metadata."""
    yield from pod_spec_causes(pod.get("spec") or {}, "spec", is_pod=True)


def pod_spec_causes(spec: Object, field: str, *, is_pod: bool) -> Causes:
    """What is wrong with what a pod and a template have in common."""
    volumes: dict[str, Object] = {}
    yield from volume_causes(spec.get("volumes") or (), f"{field}.volumes", volumes)
    containers = spec.get("containers") or ()
    yield from container_causes(containers, volumes, f"{field}.containers")
    yield from init_container_causes(
        spec.get("initContainers") or (), containers, volumes, f"{field}.initContainers"
    )
    if spec.get("hostNetwork"):
        yield from _host_network_causes(containers, f"{field}.containers", is_pod=is_pod)
    yield from _choice_causes(spec, field)
    yield from label_causes(spec.get("nodeSelector"), f"{field}.nodeSelector")
    yield from _security_causes(spec, field)
    yield from affinity_causes(spec.get("affinity") or {}, f"{field}.affinity")
    yield from _name_causes(spec, field, "serviceAccountName", "nodeName")
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= 2**31 - 1:
        yield invalid(f"{field}.activeDeadlineSeconds", deadline, out_of_range(1, 2**31 - 1))
    yield from _name_causes(spec, field, "hostname", "subdomain")
    yield from toleration_causes(spec.get("tolerations") or (), f"{field}.tolerations")
    yield from _name_causes(spec, field, "priorityClassName", "runtimeClassName")
    policy = spec.get("preemptionPolicy")
    if policy is not None and policy not in _PREEMPTIONS:
        yield not_supported(f"{field}.preemptionPolicy", policy, _PREEMPTIONS)


def _choice_causes(spec: Object, field: str) -> Causes:
    for key, supported in (("restartPolicy", _RESTARTS), ("dnsPolicy", _DNS)):
        if (value := spec.get(key)) not in supported:
            yield not_supported(f"{field}.{key}", value, supported)


def _host_network_causes(containers: Sequence[Object], field: str, *, is_pod: bool) -> Causes:
    for number, container in enumerate(containers):
        for index, port in enumerate(container.get("ports") or ()):
            host, inside = port.get("hostPort") or 0, port.get("containerPort") or 0
            if (is_pod or host) and host != inside:
                yield invalid(
                    f"{field}[{number}].ports[{index}].hostPort",
                    host,
                    "must match `containerPort` when `hostNetwork` is true",
                )


def _security_causes(spec: Object, field: str) -> Causes:
    context = spec.get("securityContext") or {}
    for key in ("fsGroup", "runAsUser", "runAsGroup"):
        value = context.get(key)
        if value is not None and not 0 <= value <= 2**31 - 1:
            detail = out_of_range(0, 2**31 - 1)
            yield invalid(f"{field}.securityContext.{key}", value, detail)
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid(f"{field}.shareProcessNamespace", True, detail)


def _name_causes(spec: Object, field: str, *keys: str) -> Causes:
    for key in keys:
        rule = dns_label if key in {"hostname", "subdomain"} else dns_subdomain
        if value := spec.get(key):
            for message in rule(value):
                yield invalid(f"{field}.{key}", value, message)


def toleration_causes(tolerations: Sequence[Object], field: str) -> Causes:
    """What is wrong with a pod's tolerations."""
    for number, toleration in enumerate(tolerations):
        place = f"{field}[{number}]"
        key, operator = toleration.get("key") or "", toleration.get("operator") or ""
        value, effect = toleration.get("value") or "", toleration.get("effect") or ""
        if key:
            for message in qualified_name(key):
                yield invalid(f"{place}.key", key, message)
        elif operator != "Exists":
            yield invalid(
                f"{place}.operator",
                operator,
                'operator must be Exists when `key` is empty, which means "match all values and '
                'all keys"',
            )
        if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
            detail = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            yield invalid(f"{place}.effect", effect, detail)
        if operator in {"", "Equal"}:
            if messages := list(label_value(value)):
                yield invalid(f"{place}.operator", value, ";".join(messages))
        elif operator == "Exists":
            if value:
                detail = "value must be empty when `operator` is 'Exists'"
                yield invalid(f"{place}.operator", value, detail)
        else:
            yield not_supported(f"{place}.operator", operator, ("Equal", "Exists"))
        if effect and effect not in _EFFECTS:
            yield not_supported(f"{place}.effect", effect, _EFFECTS)


def taint_causes(taints: Sequence[Object], field: str) -> Causes:
    """What is wrong with a node's taints."""
    seen: set[tuple[str, str]] = set()
    for number, taint in enumerate(taints):
        place = f"{field}[{number}]"
        key, effect = taint.get("key") or "", taint.get("effect") or ""
        for message in qualified_name(key):
            yield invalid(f"{place}.key", key, message)
        if messages := list(label_value(taint.get("value") or "")):
            yield invalid(f"{place}.value", taint.get("value"), ";".join(messages))
        if not effect:
            yield required(f"{place}.effect")
        elif effect not in _EFFECTS:
            yield not_supported(f"{place}.effect", effect, _EFFECTS)
        if (key, effect) in seen:
            yield duplicate(
                place, internal_form("Taint", taint), "taints must be unique by key and effect pair"
            )
        seen.add((key, effect))

"""Roles and their bindings.

Source: k8s.io/kubernetes/pkg/apis/rbac/validation/validation.go.
"""

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import (
    Causes,
    immutable,
    invalid,
    not_supported,
    required,
)
from bridgehead.twin.schema.validation.internal import internal_form
from bridgehead.twin.schema.validation.names import dns_subdomain, path_segment
from bridgehead.twin.schema.validation.selectors import selector_causes

_GROUP = "rbac.authorization.k8s.io"
_SUBJECTS = ("ServiceAccount", "User", "Group")


def role_causes(obj: Object) -> Causes:
    """What is wrong with a Role."""
    yield from _rule_causes(obj, namespaced=True)


def cluster_role_causes(obj: Object) -> Causes:
    """What is wrong with a ClusterRole."""
    yield from _rule_causes(obj, namespaced=False)
    if (aggregation := obj.get("aggregationRule")) is None:
        return
    field = "aggregationRule.clusterRoleSelectors"
    selectors = aggregation.get("clusterRoleSelectors") or ()
    if not selectors:
        detail = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        yield required(field, detail)
    for number, selector in enumerate(selectors):
        yield from selector_causes(selector, f"{field}[{number}]")


def binding_causes(obj: Object) -> Causes:
    """What is wrong with a RoleBinding."""
    yield from _binding_causes(obj, ("Role", "ClusterRole"), namespaced=True)


def cluster_binding_causes(obj: Object) -> Causes:
    """What is wrong with a ClusterRoleBinding."""
    yield from _binding_causes(obj, ("ClusterRole",), namespaced=False)


def binding_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a binding: whom it gives rights may, which rights may not."""
    role, before = (internal_form("RoleRef", item.get("roleRef") or {}) for item in (obj, old))
    yield from immutable("roleRef", role, before)


def _rule_causes(obj: Object, *, namespaced: bool) -> Causes:
    for number, rule in enumerate(obj.get("rules") or ()):
        field = f"rules[{number}]"
        if urls := rule.get("nonResourceURLs"):
            place = f"{field}.nonResourceURLs"
            if namespaced:
                yield invalid(place, urls, "namespaced rules cannot apply to non-resource URLs")
            if any(rule.get(key) for key in ("apiGroups", "resources", "resourceNames")):
                detail = "rules cannot apply to both regular resources and non-resource URLs"
                yield invalid(place, urls, detail)
            continue
        if not rule.get("apiGroups"):
            detail = "resource rules must supply at least one api group"
            yield required(f"{field}.apiGroups", detail)
        if not rule.get("resources"):
            detail = "resource rules must supply at least one resource"
            yield required(f"{field}.resources", detail)
    for number, rule in enumerate(obj.get("rules") or ()):
        if not rule.get("verbs"):
            yield required(f"rules[{number}].verbs")


def _binding_causes(obj: Object, kinds: tuple[str, ...], *, namespaced: bool) -> Causes:
    role = obj["roleRef"]
    if role.get("apiGroup") != _GROUP:
        yield not_supported("roleRef.apiGroup", role.get("apiGroup") or "", (_GROUP,))
    if role.get("kind") not in kinds:
        yield not_supported("roleRef.kind", role.get("kind") or "", kinds)
    for message in path_segment(role.get("name") or ""):
        yield invalid("roleRef.name", role["name"], message)
    subjects = obj.get("subjects") or ()
    for number, subject in enumerate(subjects):
        yield from _subject_causes(subject, f"subjects[{number}]", namespaced=namespaced)
    for number, subject in enumerate(subjects):
        if not subject.get("name"):
            yield required(f"subjects[{number}].name")
    if not role.get("name"):
        yield required("roleRef.name")


def _subject_causes(subject: Object, field: str, *, namespaced: bool) -> Causes:
    name, group = subject.get("name") or "", subject.get("apiGroup") or ""
    kind = subject.get("kind") or ""
    if kind not in _SUBJECTS:
        yield not_supported(f"{field}.kind", kind, _SUBJECTS)
    elif kind == "ServiceAccount":
        for message in dns_subdomain(name) if name else ():
            yield invalid(f"{field}.name", name, message)
        if group:
            yield not_supported(f"{field}.apiGroup", group, ("",))
        if not namespaced and not subject.get("namespace"):
            yield required(f"{field}.namespace")
    elif group != _GROUP:
        yield not_supported(f"{field}.apiGroup", group, (_GROUP,))

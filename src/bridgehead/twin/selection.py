"""Label selectors and node selectors, judged as Kubernetes judges them.

Source: k8s.io/apimachinery/pkg/labels/selector.go and
k8s.io/component-helpers/scheduling/corev1/nodeaffinity (1.37).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bridgehead.twin.objects import fields, items, name_of

_NAME_FIELD = "metadata.name"


def holds(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether labels fulfil one ``{key, operator, values}``."""
    value = labels.get(requirement["key"])
    values: Sequence[str] = requirement.get("values") or ()
    match requirement["operator"]:
        case "In":
            return value is not None and value in values
        case "NotIn":
            return value is None or value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return _compared(value, values) > 0
        case "Lt":
            return _compared(value, values) < 0
        case _:
            return False


def _compared(value: str | None, values: Sequence[str]) -> int:
    """The sign of label minus limit; 0, which no operator accepts, where one is no integer."""
    if value is None or len(values) != 1:
        return 0
    try:
        left, right = int(value), int(values[0])
    except ValueError:
        return 0
    return (left > right) - (left < right)


def selects(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Whether a ``metav1.LabelSelector`` selects labels: an empty one all, None nothing."""
    if selector is None:
        return False
    wanted: Mapping[str, str] = selector.get("matchLabels") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(holds(each, labels) for each in selector.get("matchExpressions") or ())


def term_selects(term: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    """Whether one term of a node selector selects a node; an empty one selects none."""
    expressions = term.get("matchExpressions") or ()
    on_fields = term.get("matchFields") or ()
    if not expressions and not on_fields:
        return False
    labels = fields(node, "metadata", "labels")
    if not all(holds(each, labels) for each in expressions):
        return False
    if not on_fields:
        return True
    own = {_NAME_FIELD: name_of(dict(node))}
    return all(holds(each, own) for each in on_fields)


def node_fits(pod_spec: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    """Whether a pod's ``nodeSelector`` and required node affinity let it onto a node."""
    labels = fields(node, "metadata", "labels")
    wanted = pod_spec.get("nodeSelector") or {}
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    terms = required_terms(pod_spec)
    return terms is None or any(term_selects(term, node) for term in terms)


def required_terms(pod_spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]] | None:
    """The terms of a pod's required node affinity, of which one must hold; None: no such rule."""
    affinity = fields(pod_spec, "affinity", "nodeAffinity")
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return None if required is None else items(required, "nodeSelectorTerms")


def named_nodes(pod_spec: Mapping[str, Any]) -> frozenset[str] | None:
    """The only nodes that a pod can go to by ``metadata.name``; None where any may do.

    Each term must name its nodes, as those of a DaemonSet's pods do. Source: PreFilter of
    k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity.
    """
    terms = required_terms(pod_spec)
    if not terms:
        return None
    found: set[str] = set()
    for term in terms:
        named = [
            frozenset(each.get("values") or ())
            for each in term.get("matchFields") or ()
            if each["key"] == _NAME_FIELD and each["operator"] == "In"
        ]
        if not named:
            return None
        found |= frozenset.intersection(*named)
    return frozenset(found)

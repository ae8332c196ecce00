"""Where a pod wants to be: affinity to nodes and to other pods.

Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, validateAffinity.
"""

from collections.abc import Sequence

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import Causes, forbidden, invalid, required
from bridgehead.twin.schema.validation.names import label_value, qualified_name
from bridgehead.twin.schema.validation.selectors import selector_causes

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def affinity_causes(affinity: Object, field: str) -> Causes:
    """What is wrong with a pod's affinity."""
    node = affinity.get("nodeAffinity") or {}
    if (wanted := node.get(_REQUIRED)) is not None:
        yield from node_selector_causes(wanted, f"{field}.nodeAffinity.{_REQUIRED}")
    for number, term in enumerate(node.get(_PREFERRED) or ()):
        place = f"{field}.nodeAffinity.{_PREFERRED}[{number}]"
        yield from _weight_causes(term, place)
        yield from _node_term_causes(term.get("preference") or {}, f"{place}.preference")
    for key in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(key) or {}
        for number, term in enumerate(pods.get(_REQUIRED) or ()):
            yield from _pod_term_causes(term, f"{field}.{key}.{_REQUIRED}[{number}]")
        for number, term in enumerate(pods.get(_PREFERRED) or ()):
            place = f"{field}.{key}.{_PREFERRED}[{number}]"
            yield from _weight_causes(term, place)
            inner = term.get("podAffinityTerm") or {}
            yield from _pod_term_causes(inner, f"{place}.podAffinityTerm")


def node_selector_causes(selector: Object, field: str) -> Causes:
    """What is wrong with terms of which one must match a node."""
    terms = selector.get("nodeSelectorTerms") or ()
    if not terms:
        yield required(f"{field}.nodeSelectorTerms", "must have at least one node selector term")
    for number, term in enumerate(terms):
        yield from _node_term_causes(term, f"{field}.nodeSelectorTerms[{number}]")


def _weight_causes(term: Object, field: str) -> Causes:
    weight = term.get("weight") or 0
    if not 1 <= weight <= 100:
        yield invalid(f"{field}.weight", weight, "must be in the range 1-100")


def _node_term_causes(term: Object, field: str) -> Causes:
    for number, expression in enumerate(term.get("matchExpressions") or ()):
        yield from _expression_causes(expression, f"{field}.matchExpressions[{number}]")
    for number, expression in enumerate(term.get("matchFields") or ()):
        place = f"{field}.matchFields[{number}]"
        if (key := expression.get("key")) != "metadata.name":
            yield invalid(f"{place}.key", key or "", "not a valid field selector key")
        if (operator := expression.get("operator")) not in {"In", "NotIn"}:
            yield invalid(f"{place}.operator", operator or "", "not a valid selector operator")


def _expression_causes(expression: Object, field: str) -> Causes:
    operator, values = expression.get("operator") or "", expression.get("values") or ()
    if operator in {"In", "NotIn"}:
        if not values:
            detail = "must be specified when `operator` is 'In' or 'NotIn'"
            yield required(f"{field}.values", detail)
    elif operator in {"Exists", "DoesNotExist"}:
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield forbidden(f"{field}.values", detail)
    elif operator in {"Gt", "Lt"}:
        if len(values) != 1:
            detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            yield required(f"{field}.values", detail)
    else:
        yield invalid(f"{field}.operator", operator, "not a valid selector operator")
    key = expression.get("key") or ""
    for message in qualified_name(key):
        yield invalid(f"{field}.key", key, message)
    yield from _value_causes(values, f"{field}.values")


def _value_causes(values: Sequence[str], field: str) -> Causes:
    for number, value in enumerate(values):
        for message in label_value(value):
            yield invalid(f"{field}[{number}]", value, message)


def _pod_term_causes(term: Object, field: str) -> Causes:
    yield from selector_causes(term.get("labelSelector"), f"{field}.labelSelector")
    yield from selector_causes(term.get("namespaceSelector"), f"{field}.namespaceSelector")
    if key := term.get("topologyKey"):
        for message in qualified_name(key):
            yield invalid(f"{field}.topologyKey", key, message)
    else:
        yield required(f"{field}.topologyKey", "can not be empty")

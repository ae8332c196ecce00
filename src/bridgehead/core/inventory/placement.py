"""Where the DaemonSet controller puts a pod, from template and node alone.

The rules are those of NodeShouldRunDaemonPod in pkg/controller/daemon (Kubernetes 1.37): node
selector, required node affinity, and taints against the template's tolerations and those that the
controller adds itself.
"""

from collections.abc import Mapping

from bridgehead.core.model.json import JsonObject, JsonValue, child, children, text, texts
from bridgehead.core.model.node import Node, Taint

# Tolerations that every daemon pod gets. Source:
# https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#taints-and-tolerations
_TOLERATED = frozenset(
    {
        ("node.kubernetes.io/not-ready", "NoExecute"),
        ("node.kubernetes.io/unreachable", "NoExecute"),
        ("node.kubernetes.io/disk-pressure", "NoSchedule"),
        ("node.kubernetes.io/memory-pressure", "NoSchedule"),
        ("node.kubernetes.io/pid-pressure", "NoSchedule"),
        ("node.kubernetes.io/unschedulable", "NoSchedule"),
    }
)
_HOST_NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")
_REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


def misfit(template: JsonObject, node: Node) -> str:
    """Why the controller wants no pod of the template on the node; empty where it wants one."""
    spec = child(template, "spec")
    only = text(spec, "nodeName")
    if only and only != node.name:
        return f"nodeName asks for {only}"
    for key, value in texts(spec, "nodeSelector").items():
        if node.labels.get(key) != value:
            return f"nodeSelector asks for {key}={value}{_instead(node, key)}"
    terms = children(spec, *_REQUIRED, "nodeSelectorTerms")
    if child(spec, *_REQUIRED) is not None and not any(_term(item, node) for item in terms):
        return "no term of its required node affinity matches"
    for taint in node.taints:
        if not _tolerates(spec, taint):
            return f"does not tolerate the taint {taint}"
    return ""


def placing(template: JsonObject) -> JsonObject:
    """The fields of a template that the controller judges nodes by.

    Preferred node affinity is not among them: the controller pins each pod to its node, so nothing
    is left to prefer.
    """
    spec = child(template, "spec")
    found: JsonObject = {
        "nodeName": text(spec, "nodeName"),
        "nodeSelector": texts(spec, "nodeSelector"),
        "nodeAffinity": child(spec, *_REQUIRED),
        "tolerations": list(children(spec, "tolerations")),
    }
    return {key: value for key, value in found.items() if value}


def without_placing(template: JsonObject) -> JsonObject:
    """The template without those fields."""
    spec = child(template, "spec")
    if not isinstance(spec, Mapping):
        return template
    gone = {"nodeName", "nodeSelector", "tolerations", "affinity"}
    kept: dict[str, JsonValue] = {key: value for key, value in spec.items() if key not in gone}
    if affinity := _without_required(child(spec, "affinity")):
        kept["affinity"] = affinity
    return {**template, "spec": kept}


def _without_required(affinity: JsonValue) -> JsonObject:
    """An affinity without what the controller judges; empty where nothing is left of it."""
    if not isinstance(affinity, Mapping):
        return {}
    nodes = child(affinity, "nodeAffinity")
    left = nodes.items() if isinstance(nodes, Mapping) else ()
    kept = {key: value for key, value in left if key != _REQUIRED[-1] and value}
    found: dict[str, JsonValue] = {
        key: value for key, value in affinity.items() if key != "nodeAffinity" and value
    }
    return {**found, "nodeAffinity": kept} if kept else found


def labels_asked_for(template: JsonObject) -> frozenset[str]:
    """Keys of the node labels that decide where the template's pods go."""
    spec = child(template, "spec")
    terms = children(spec, *_REQUIRED, "nodeSelectorTerms")
    asked = (text(item, "key") for term in terms for item in children(term, "matchExpressions"))
    return frozenset({*texts(spec, "nodeSelector"), *asked})


def _instead(node: Node, key: str) -> str:
    value = node.labels.get(key)
    return f", the node has {value or 'an empty value'}" if value is not None else ""


def _term(term: JsonObject, node: Node) -> bool:
    """All expressions of a term; a term without any matches nothing."""
    expressions = children(term, "matchExpressions")
    fields = children(term, "matchFields")
    if not expressions and not fields:
        return False
    own = {"metadata.name": node.name}
    return all(_matches(item, node.labels) for item in expressions) and all(
        _matches(item, own) for item in fields
    )


def _matches(expression: JsonObject, labels: Mapping[str, str]) -> bool:
    key, operator = text(expression, "key"), text(expression, "operator")
    listed = child(expression, "values")
    values = [item for item in listed if isinstance(item, str)] if isinstance(listed, list) else []
    value = labels.get(key)
    match operator:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            return _compares(operator, value, values)
        case _:
            return False


def _compares(operator: str, value: str | None, values: list[str]) -> bool:
    """Both sides must be whole numbers, as in k8s.io/component-helpers (nodeaffinity)."""
    try:
        left, right = int(value or ""), int(values[0] if values else "")
    except ValueError:
        return False
    return left > right if operator == "Gt" else left < right


def _tolerates(spec: JsonValue, taint: Taint) -> bool:
    """PreferNoSchedule keeps nothing away."""
    if taint.effect == "PreferNoSchedule" or (taint.key, taint.effect) in _TOLERATED:
        return True
    if child(spec, "hostNetwork") is True and (taint.key, taint.effect) == _HOST_NETWORK:
        return True
    return any(_covers(item, taint) for item in children(spec, "tolerations"))


def _covers(toleration: JsonObject, taint: Taint) -> bool:
    effect, key = text(toleration, "effect"), text(toleration, "key")
    if effect and effect != taint.effect:
        return False
    exists = text(toleration, "operator") == "Exists"
    if not key:
        return exists
    return key == taint.key and (exists or text(toleration, "value") == taint.value)

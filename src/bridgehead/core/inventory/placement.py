"""Where the DaemonSet controller puts a pod, from template and node alone.

The rules are those of NodeShouldRunDaemonPod in pkg/controller/daemon (Kubernetes 1.37): node
selector, required node affinity, and taints against the template's tolerations and those that the
controller adds itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

import msgspec

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


class Predicate(Enum):
    """What the controller judges a node by, in its order."""

    NODE_NAME = "node name"
    NODE_SELECTOR = "node selector"
    NODE_AFFINITY = "node affinity"
    TAINT = "taint"


class Expression(msgspec.Struct, frozen=True):
    """One condition on a label, in the words of node affinity; a selector entry is an ``In``."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    @property
    def positive(self) -> bool:
        """Whether it asks for a label. Its opposite keeps nodes away on purpose."""
        return self.operator not in ("NotIn", "DoesNotExist")

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether a node with these labels meets it."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case "Gt" | "Lt":
                return _compares(self.operator, value, self.values)
            case _:
                return False

    def __str__(self) -> str:
        if self.operator == "In" and len(self.values) == 1:
            return f"{self.key}={self.values[0]}"
        listed = f" ({', '.join(self.values)})" if self.values else ""
        return f"{self.key} {self.operator}{listed}"


class Misfit(msgspec.Struct, frozen=True, kw_only=True):
    """A predicate that a node fails.

    ``failing`` are the conditions that it does not meet; of required node affinity those of the
    term that comes nearest, as one term is enough.
    """

    predicate: Predicate
    text: str
    failing: tuple[Expression, ...] = ()
    taint: Taint | None = None


def misfit(template: JsonObject, node: Node) -> str:
    """Why the controller wants no pod of the template on the node; empty where it wants one."""
    first = next(misfits(template, node), None)
    return first.text if first else ""


def misfits(template: JsonObject, node: Node) -> Iterator[Misfit]:
    """Every predicate that the node fails, in the controller's order."""
    spec = child(template, "spec")
    only = text(spec, "nodeName")
    if only and only != node.name:
        yield Misfit(predicate=Predicate.NODE_NAME, text=f"nodeName asks for {only}")
    for key, value in texts(spec, "nodeSelector").items():
        if node.labels.get(key) != value:
            yield Misfit(
                predicate=Predicate.NODE_SELECTOR,
                text=f"nodeSelector asks for {key}={value}{_instead(node, key)}",
                failing=(Expression(key, "In", (value,)),),
            )
    if child(spec, *_REQUIRED) is not None:
        failing = _nearest_failure(children(spec, *_REQUIRED, "nodeSelectorTerms"), node)
        if failing is not None:
            nearest = f"; the nearest asks for {', '.join(map(str, failing))}" if failing else ""
            yield Misfit(
                predicate=Predicate.NODE_AFFINITY,
                text=f"no term of its required node affinity matches{nearest}",
                failing=failing,
            )
    for taint in node.taints:
        if not _tolerates(spec, taint):
            why = f"does not tolerate the taint {taint}"
            yield Misfit(predicate=Predicate.TAINT, text=why, taint=taint)


def untolerated(spec: JsonValue, node: Node) -> Taint | None:
    """The first taint that keeps the scheduler from putting a pod there.

    The spec's tolerations alone count: those of the DaemonSet controller stand in its pods.
    """
    return next(
        (
            taint
            for taint in node.taints
            if taint.effect != "PreferNoSchedule"
            and not any(_covers(item, taint) for item in children(spec, "tolerations"))
        ),
        None,
    )


def label_conditions(template: JsonObject) -> tuple[Expression, ...]:
    """Everything that its node selector and any term of its required affinity ask of labels."""
    spec = child(template, "spec")
    terms = children(spec, *_REQUIRED, "nodeSelectorTerms")
    selector = (
        Expression(key, "In", (value,)) for key, value in texts(spec, "nodeSelector").items()
    )
    asked = (_expression(item) for term in terms for item in children(term, "matchExpressions"))
    return tuple(dict.fromkeys((*selector, *asked)))


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


def _nearest_failure(terms: Sequence[JsonObject], node: Node) -> tuple[Expression, ...] | None:
    """What the node lacks of the term that it comes nearest to; None where one matches.

    A term without any expression matches nothing.
    """
    own = {"metadata.name": node.name}
    lacking: list[tuple[Expression, ...]] = []
    for term in terms:
        labels = [_expression(item) for item in children(term, "matchExpressions")]
        fields = [_expression(item) for item in children(term, "matchFields")]
        failing = (
            *(item for item in labels if not item.matches(node.labels)),
            *(item for item in fields if not item.matches(own)),
        )
        if (labels or fields) and not failing:
            return None
        if failing:
            lacking.append(failing)
    return min(lacking, key=len, default=())


def _expression(item: JsonObject) -> Expression:
    listed = child(item, "values")
    values = [it for it in listed if isinstance(it, str)] if isinstance(listed, list) else []
    return Expression(text(item, "key"), text(item, "operator"), tuple(values))


def _compares(operator: str, value: str | None, values: Sequence[str]) -> bool:
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

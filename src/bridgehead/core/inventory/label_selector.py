"""Label selectors as objects carry them, with matchLabels and matchExpressions."""

from collections.abc import Mapping

from bridgehead.core.inventory.placement import Expression
from bridgehead.core.model.json import JsonObject, child, children, text, texts


def label_selector_matches(selector: JsonObject, labels: Mapping[str, str]) -> bool:
    """Whether the selector selects an object with these labels; an empty one selects nothing here.

    The API gives an empty selector another meaning in almost every kind; a DaemonSet cannot have
    one. Source: LabelSelectorAsSelector in k8s.io/apimachinery, Kubernetes 1.37.
    """
    equal = texts(selector, "matchLabels")
    asked = [_expression(item) for item in children(selector, "matchExpressions")]
    if not equal and not asked:
        return False
    return all(labels.get(key) == value for key, value in equal.items()) and all(
        item.matches(labels) for item in asked
    )


def _expression(item: JsonObject) -> Expression:
    listed = child(item, "values")
    values = [it for it in listed if isinstance(it, str)] if isinstance(listed, list) else []
    return Expression(text(item, "key"), text(item, "operator"), tuple(values))

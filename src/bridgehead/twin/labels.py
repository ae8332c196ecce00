"""Label selectors of API objects (``metav1.LabelSelector``): which objects do they mean?

Source: k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go, LabelSelectorAsSelector (Kubernetes 1.37).
"""

from collections.abc import Mapping
from typing import Any

from bridgehead.twin.objects import Object, fields, items


def labels_of(value: Object) -> Mapping[str, str]:
    """``metadata.labels``."""
    return fields(value, "metadata", "labels")


def is_empty(selector: Any) -> bool:
    """Whether a selector makes no condition, so that it means everything."""
    return not fields(selector, "matchLabels") and not items(selector, "matchExpressions")


def selects(selector: Any, labels: Mapping[str, str]) -> bool:
    """Whether a selector means an object with these labels; a missing one (None) means none."""
    if not isinstance(selector, dict):
        return False
    wanted = fields(selector, "matchLabels")
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(_meets(item, labels) for item in items(selector, "matchExpressions"))


def _meets(requirement: Object, labels: Mapping[str, str]) -> bool:
    value = labels.get(requirement["key"])
    match requirement.get("operator"):
        case "In":
            return value is not None and value in items(requirement, "values")
        case "NotIn":
            return value is None or value not in items(requirement, "values")
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            return False

"""Label selectors.

Source: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go, ValidateLabelSelector.
"""

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import Causes, forbidden, invalid, required
from bridgehead.twin.schema.validation.metadata import label_causes
from bridgehead.twin.schema.validation.names import label_value, qualified_name


def selector_causes(selector: Object | None, field: str) -> Causes:
    """What is wrong with a label selector."""
    if selector is None:
        return
    yield from label_causes(selector.get("matchLabels"), f"{field}.matchLabels")
    for number, expression in enumerate(selector.get("matchExpressions") or ()):
        place = f"{field}.matchExpressions[{number}]"
        operator, values = expression.get("operator") or "", expression.get("values") or ()
        if operator in {"In", "NotIn"}:
            if not values:
                detail = "must be specified when `operator` is 'In' or 'NotIn'"
                yield required(f"{place}.values", detail)
        elif operator in {"Exists", "DoesNotExist"}:
            if values:
                detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                yield forbidden(f"{place}.values", detail)
        else:
            yield invalid(f"{place}.operator", operator, "not a valid selector operator")
        key = expression.get("key") or ""
        for message in qualified_name(key):
            yield invalid(f"{place}.key", key, message)
        for index, value in enumerate(values):
            for message in label_value(value):
                yield invalid(f"{place}.values[{index}]", value, message)


def is_empty(selector: Object | None) -> bool:
    """Whether a selector says nothing."""
    return not selector or not (selector.get("matchLabels") or selector.get("matchExpressions"))

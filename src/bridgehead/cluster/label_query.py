"""A controller's label selector as the query parameter of a list or watch. Pure."""

from collections.abc import Mapping, Sequence

from bridgehead.core.model.json import JsonObject, child, children, text


def label_query(selector: JsonObject) -> str:
    """The selector in the notation of ``labelSelector``.

    Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
    """
    wanted = child(selector, "matchLabels")
    pairs = sorted(wanted.items()) if isinstance(wanted, Mapping) else []
    equal = [f"{key}={value}" for key, value in pairs]
    return ",".join([*equal, *map(_expression, children(selector, "matchExpressions"))])


def _expression(item: JsonObject) -> str:
    key, values = text(item, "key"), child(item, "values")
    listed = ",".join(map(str, values)) if isinstance(values, Sequence) else ""
    match text(item, "operator"):
        case "Exists":
            return key
        case "DoesNotExist":
            return f"!{key}"
        case operator:
            return f"{key} {operator.lower()} ({listed})"

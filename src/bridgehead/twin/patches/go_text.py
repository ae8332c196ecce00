"""Values as Go's ``%v`` prints them, for the messages of the API server that contain values."""

from typing import Any


def go_text(value: Any) -> str:
    """``map[image:nginx name:web]``, ``[a b]``, ``<nil>``."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case dict():
            return "map[" + " ".join(f"{key}:{go_text(value[key])}" for key in sorted(value)) + "]"
        case list():
            return "[" + " ".join(map(go_text, value)) + "]"
        case _:
            return str(value)


def json_name(value: Any) -> str:
    """What Go's decoder calls a JSON value that it did not expect."""
    match value:
        case dict():
            return "object"
        case list():
            return "array"
        case str():
            return "string"
        case bool():
            return "bool"
        case _:
            return "number"


def go_type(value: Any) -> str:
    """The type under which Go holds a JSON value."""
    match value:
        case None:
            return "%!s(<nil>)"
        case bool():
            return "bool"
        case int():
            return "int64"
        case float():
            return "float64"
        case str():
            return "string"
        case list():
            return "[]interface {}"
        case _:
            return "map[string]interface {}"

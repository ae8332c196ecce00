"""JSON patches (RFC 6902) that people and programs send alike: each with what must still stand."""

from bridgehead.core.model.json import JsonObject


def step(name: str) -> str:
    """A key as a step of a JSON pointer (RFC 6901: ``~1`` is a slash)."""
    return name.replace("~", "~0").replace("/", "~1")


def without_name(resource: str) -> tuple[JsonObject, ...]:
    """Takes a resource name out of a node's status, if it is at 0/0 at that moment."""
    paths = [f"/status/{field}/{step(resource)}" for field in ("capacity", "allocatable")]
    return (
        *({"op": "test", "path": path, "value": "0"} for path in paths),
        *({"op": "remove", "path": path} for path in paths),
    )

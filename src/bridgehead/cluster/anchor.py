"""The anchor: the component's annotation that names the run and counts its holders.

Every patch of the component's spec tests it, so a holder that was replaced can write no more.
"""

from typing import Any

import msgspec

from bridgehead.core.model.component import FORMER_REVISION, FORMER_STRATEGY, RUN
from bridgehead.core.model.json_patch import step


class Anchor(msgspec.Struct, frozen=True):
    """``STATE-NAMESPACE/RUN/N``."""

    namespace: str
    run: str
    holder: int

    def __str__(self) -> str:
        return f"{self.namespace}/{self.run}/{self.holder}"

    def same_run(self, other: "Anchor") -> bool:
        """Whether both are of one run."""
        return (self.namespace, self.run) == (other.namespace, other.run)


def parse_anchor(text: str) -> Anchor | None:
    """The anchor behind an annotation's value; None where it has another form."""
    parts = text.split("/")
    if len(parts) != 3 or not all(parts) or not parts[2].isdecimal():
        return None
    return Anchor(parts[0], parts[1], int(parts[2]))


OURS = (RUN, FORMER_REVISION, FORMER_STRATEGY)
"""All annotations that a run puts on a component."""


def annotation_path(name: str) -> str:
    """JSON pointer to an annotation."""
    return f"/metadata/annotations/{step(name)}"


def test(path: str, value: Any) -> dict[str, Any]:
    """A ``test`` of a JSON patch; None tests that there is nothing."""
    return {"op": "test", "path": path, "value": value}


def replace(path: str, value: Any) -> dict[str, Any]:
    """A ``replace`` of a JSON patch."""
    return {"op": "replace", "path": path, "value": value}


def put_annotation(name: str, value: str, former: str | None) -> list[dict[str, Any]]:
    """Set an annotation that has the value ``former`` now (None: is absent)."""
    path = annotation_path(name)
    return [test(path, former), {"op": "add", "path": path, "value": value}]


def drop_annotation(name: str, former: str) -> list[dict[str, Any]]:
    """Remove an annotation that has the value ``former`` now."""
    path = annotation_path(name)
    return [test(path, former), {"op": "remove", "path": path}]

"""Objects of which every field matters, kept as plain values while they are watched.

A template is compared and patched exactly as it is stored, so a DaemonSet and its revisions cannot
be watched as partial structs.
"""

from typing import Any

import msgspec

from bridgehead.kube.resources import Resource


class _Identity(msgspec.Struct, frozen=True):
    """What a watch needs to know of an object."""

    name: str
    namespace: str
    uid: str
    resource_version: str


class Whole(msgspec.Struct, frozen=True):
    """A DaemonSet or ControllerRevision."""

    meta: dict[str, Any] = msgspec.field(name="metadata", default_factory=dict)
    spec: dict[str, Any] = msgspec.field(default_factory=dict)
    status: dict[str, Any] = msgspec.field(default_factory=dict)
    data: dict[str, Any] = msgspec.field(default_factory=dict)
    revision: int = 0

    @property
    def metadata(self) -> _Identity:
        """Names and versions."""
        meta = self.meta
        return _Identity(
            name=meta.get("name", ""),
            namespace=meta.get("namespace", ""),
            uid=meta.get("uid", ""),
            resource_version=meta.get("resourceVersion", ""),
        )

    @property
    def raw(self) -> dict[str, Any]:
        """The object as JSON has it."""
        return {
            "metadata": self.meta,
            "spec": self.spec,
            "status": self.status,
            "data": self.data,
            "revision": self.revision,
        }


WHOLE_DAEMON_SETS = Resource("apps", "v1", "daemonsets", "DaemonSet", True, Whole)
WHOLE_REVISIONS = Resource("apps", "v1", "controllerrevisions", "ControllerRevision", True, Whole)

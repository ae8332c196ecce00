"""The security context that holds for a container: its own before that of the pod."""

from collections.abc import Iterator

import msgspec

from bridgehead.core.findings.manifest import Manifest, Path, containers
from bridgehead.core.model.json import JsonObject, JsonValue, child, text

POD_SPEC: Path = ("spec", "template", "spec")
"""Where a DaemonSet keeps the spec of its pods."""
APPARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/"
"""With the container's name behind it: the form before ``appArmorProfile`` (field since 1.30)."""


class Setting(msgspec.Struct, frozen=True):
    """A value and where it is written; the container's own place where it is not."""

    value: JsonValue
    at: Path


class Secured(msgspec.Struct, frozen=True, kw_only=True):
    """A container of a template with what its security context comes to."""

    name: str
    at: Path
    container: JsonObject
    pod: JsonObject

    def setting(self, *keys: str) -> Setting:
        """A field of its security context, or of the pod's where the container has none."""
        own = child(self.container, "securityContext", *keys)
        if own is not None:
            return Setting(own, (*self.at, "securityContext", *keys))
        shared = child(self.pod, "securityContext", *keys)
        if shared is not None:
            return Setting(shared, (*self.at[:-2], "securityContext", *keys))
        return Setting(None, self.at)

    @property
    def privileged(self) -> bool:
        """Whether it runs privileged."""
        return child(self.container, "securityContext", "privileged") is True

    def has_capability(self, name: str) -> bool:
        """Whether it is given the capability, or all of them."""
        added = child(self.container, "securityContext", "capabilities", "add")
        listed = added if isinstance(added, list | tuple) else ()
        return self.privileged or name in listed or "ALL" in listed


def secured(manifest: Manifest) -> Iterator[Secured]:
    """Every container of the manifest's pods, init containers first."""
    pod = child(manifest.template, "spec")
    for at, container in containers(manifest):
        yield Secured(
            name=text(container, "name"),
            at=at,
            container=container,
            pod=pod if isinstance(pod, dict) else {},
        )

"""What lint looks at: objects with the place of every value, and the cluster if there is one."""

from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from bridgehead.core.components.registration import DEVICE_PLUGINS, is_device_plugin
from bridgehead.core.findings.finding import ObjectRef, Severity, ref_of
from bridgehead.core.findings.observed import Observed
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import JsonObject, JsonValue, children, text

Path = tuple[str | int, ...]
"""The way to a value: keys of mappings and indexes of lists."""

Place = tuple[int, int]
"""Line and column, from 1."""

POD_TEMPLATES: Mapping[str, Path] = {
    "DaemonSet": ("spec", "template"),
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "ReplicaSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}
"""Where each kind keeps its pod template."""


class Embedded(msgspec.Struct, frozen=True, kw_only=True):
    """A text inside an object that is a document of its own, read as YAML.

    ``problem`` says why it could not be read, and where; then there is no value.
    """

    value: JsonValue = None
    problem: str = ""


class Manifest(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One object as written in a file (or as it stands in a cluster: then ``file`` is empty).

    ``line`` is the object's first; ``places`` has the place of every key and list entry of a file.
    """

    data: JsonObject
    file: str = ""
    line: int = 0
    places: Mapping[Path, Place] = {}
    texts: Mapping[str, Embedded] = {}
    """Of a ConfigMap: the entries of its data that look like documents, by their key."""

    @cached_property
    def ref(self) -> ObjectRef:
        """Its names."""
        return ref_of(self.data)

    @property
    def kind(self) -> str:
        """Its kind."""
        return self.ref.kind

    @cached_property
    def looks_like_plugin(self) -> bool:
        """What ``is_plugin`` says, found out once."""
        return self.kind == "DaemonSet" and _looks_like_plugin(self)

    def place(self, path: Path) -> Place:
        """Where a value stands, or the nearest thing around it that is written."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.places:
                return self.places[path[:length]]
        return (self.line, 1 if self.line else 0)

    @property
    def template_path(self) -> Path | None:
        """Where its pod template is; None for kinds without one. A Pod is its own template."""
        return POD_TEMPLATES.get(self.kind)

    @property
    def template(self) -> JsonObject:
        """Its pod template, or an empty one."""
        path = self.template_path
        found = self.at(path) if path is not None else None
        return found if isinstance(found, Mapping) else {}

    def at(self, path: Path) -> object:
        """The value at a path; None where there is none."""
        value: object = self.data
        for step in path:
            if isinstance(step, str) and isinstance(value, Mapping):
                value = value.get(step)
            elif isinstance(step, int) and isinstance(value, list | tuple) and step < len(value):
                value = value[step]
            else:
                return None
        return value


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """A change that cannot hurt: the value at ``path`` becomes ``value`` (None: it is removed)."""

    path: Path
    value: object
    why_safe: str


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """What a lint rule says: about which object, at which value. The rest is the rule's own.

    ``severity`` and ``confidence`` override those of the rule where a case is milder or less sure.
    """

    manifest: Manifest
    path: Path
    message: str
    remedy: str = ""
    """What to change here, in one sentence; empty: the card's "Do"."""
    node: str = ""
    evidence: tuple[Evidence, ...] = ()
    severity: Severity | None = None
    confidence: Confidence | None = None
    fix: Fix | None = None


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule would say more surely, or only, if it saw more."""

    why: str


class Linted(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """All that is linted together, and the cluster that it is meant for, if one is at hand.

    ``complete``: the manifests are all that there is (a rendered chart, a whole cluster), so that a
    reference to something that is not among them is a missing one.
    """

    manifests: tuple[Manifest, ...]
    cluster: Observed | None = None
    complete: bool = False

    def of_kind(self, *kinds: str) -> tuple[Manifest, ...]:
        """Manifests of these kinds, in their order."""
        if len(kinds) == 1:
            return self._by_kind.get(kinds[0], ())
        return tuple(item for item in self.manifests if item.kind in kinds)

    @cached_property
    def _by_kind(self) -> Mapping[str, tuple[Manifest, ...]]:
        found: dict[str, list[Manifest]] = {}
        for item in self.manifests:
            found.setdefault(item.kind, []).append(item)
        return {kind: tuple(items) for kind, items in found.items()}

    @cached_property
    def with_pods(self) -> tuple[Manifest, ...]:
        """Manifests that make pods, or are one."""
        return self.of_kind(*POD_TEMPLATES)

    @cached_property
    def plugins(self) -> tuple[Manifest, ...]:
        """DaemonSets that are, or mean to be, device plugins."""
        return tuple(item for item in self.of_kind("DaemonSet") if is_plugin(item))


def is_plugin(manifest: Manifest) -> bool:
    """Whether it is a DaemonSet that is, or means to be, a device plugin.

    By its mounts or its image: a plugin that forgot the mount is one, too.
    """
    return manifest.looks_like_plugin


_SERVED = f"/var/lib/kubelet/{DEVICE_PLUGINS}"


def _looks_like_plugin(manifest: Manifest) -> bool:
    from bridgehead.core.components.family import family_of  # noqa: PLC0415

    component = component_of(manifest)
    known = is_device_plugin(component) or family_of(component.template).name != "generic"
    return known or _serves_there(manifest)


def _serves_there(manifest: Manifest) -> bool:
    """Whether a container may write where plugins serve, whatever of the host stands behind it."""
    return any(
        text(mount, "mountPath").rstrip("/") == _SERVED and not mount.get("readOnly")
        for _, container in containers(manifest)
        for mount in children(container, "volumeMounts")
    )


def component_of(manifest: Manifest) -> Component:
    """The DaemonSet as the noun that placement and families are asked with."""
    spec = manifest.at(("spec",))
    fields = spec if isinstance(spec, Mapping) else {}
    return Component(
        namespace=manifest.ref.namespace,
        name=manifest.ref.name,
        uid="",
        generation=0,
        observed_generation=0,
        template=manifest.template,
        strategy=_mapping(fields.get("updateStrategy")),
        selector=_mapping(fields.get("selector")),
    )


def _mapping(value: object) -> JsonObject:
    """A file may hold anything in place of it."""
    return value if isinstance(value, Mapping) else {}


def containers(manifest: Manifest) -> Iterable[tuple[Path, JsonObject]]:
    """Each container of its pod template with its path; init containers first."""
    base = manifest.template_path
    if base is None:
        return
    for field in ("initContainers", "containers"):
        listed = manifest.at((*base, "spec", field))
        for number, item in enumerate(listed if isinstance(listed, list | tuple) else ()):
            if isinstance(item, Mapping):
                yield (*base, "spec", field, number), item

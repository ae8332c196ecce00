"""The component that a rollout changes: a DaemonSet, its template and its revisions."""

from collections.abc import Mapping, Sequence

import msgspec

from bridgehead.core.model.json import JsonObject, JsonValue, child, children, digest, text

RUN = "bridgehead.dev/run"
"""Annotation of a component under a run: ``STATE-NAMESPACE/RUN/N``, N counting its holders."""
FORMER_REVISION = "bridgehead.dev/former-revision"
"""Annotation beside it: ``NAME/HASH`` of the ControllerRevision from before the run."""
FORMER_STRATEGY = "bridgehead.dev/former-update-strategy"
"""Annotation beside it: the update strategy from before the takeover, as JSON."""


class Owner(msgspec.Struct, frozen=True):
    """Who else writes a component (``operator``, ``helm`` or ``gitops``) and under which name."""

    kind: str
    name: str


class Revision(msgspec.Struct, frozen=True):
    """A ControllerRevision of a DaemonSet: a template under a name and the hash its pods carry."""

    name: str
    hash: str
    number: int
    template_digest: str


class Component(msgspec.Struct, frozen=True):
    """A DaemonSet as it stands."""

    namespace: str
    name: str
    uid: str
    generation: int
    observed_generation: int
    template: JsonObject
    strategy: JsonObject
    selector: JsonObject
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    owners: tuple[Owner, ...] = ()
    managers: tuple[tuple[str, str], ...] = ()
    """Field managers as (name, time of last write), newest last."""
    deleting: bool = False
    resource_version: str = ""
    rest: JsonObject = {}
    """The other fields of its spec, such as ``minReadySeconds``, as stored."""
    desired: int | None = None
    """On how many nodes its controller wants a pod; None where the status does not say."""

    @property
    def ref(self) -> str:
        """As the commands name it."""
        return f"daemonset/{self.namespace}/{self.name}"

    @property
    def template_digest(self) -> str:
        """Digest of the stored template; equal exactly for equal content."""
        return template_digest(self.template)

    @property
    def strategy_type(self) -> str:
        """``RollingUpdate`` or ``OnDelete``."""
        return text(self.strategy, "type") or "RollingUpdate"

    @property
    def images(self) -> dict[str, str]:
        """Image of each container, init containers included."""
        return images(self.template)

    @property
    def anchor(self) -> str:
        """The run annotation, or an empty string."""
        return self.annotations.get(RUN, "")

    def last_manager(self, *, other_than: str) -> str:
        """The field manager besides that one that wrote the object last, or an empty string."""
        others = [name for name, _ in self.managers if name != other_than]
        return others[-1] if others else ""


def template_of(revision: JsonObject) -> JsonObject:
    """The template that a ControllerRevision object keeps.

    Its data is a patch, ``{"spec": {"template": {..., "$patch": "replace"}}}``: without the
    directive it is the template that stood on the DaemonSet.
    Source: getPatch in pkg/controller/daemon/update.go, Kubernetes 1.37
    """
    template = child(revision, "data", "spec", "template")
    known = template if isinstance(template, Mapping) else {}
    return {key: value for key, value in known.items() if key != "$patch"}


def template_digest(template: JsonObject) -> str:
    """Digest of a pod template's content.

    Null fields are left out: a stored DaemonSet and its ControllerRevision differ in
    ``creationTimestamp: null`` and in nothing else (seen with Kubernetes 1.37.2).
    """
    return digest(_without_nulls(template))


def _without_nulls(value: JsonValue) -> JsonValue:
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_without_nulls(item) for item in value]
    return value


def images(template: JsonObject) -> dict[str, str]:
    """Image of each container of a pod template, init containers included."""
    spec = child(template, "spec")
    both = (*children(spec, "initContainers"), *children(spec, "containers"))
    return {text(item, "name"): text(item, "image") for item in both}


def with_images(template: JsonObject, changes: Mapping[str, str]) -> JsonObject:
    """The template with the images of the named containers replaced, like ``kubectl set image``.

    Raises KeyError with the name of the first container that the template does not have.
    """
    known = images(template)
    for name in changes:
        if name not in known:
            raise KeyError(name)
    spec = child(template, "spec")
    if not isinstance(spec, Mapping):
        raise KeyError(next(iter(changes)))
    changed = dict(spec)
    for field in ("initContainers", "containers"):
        if field in spec:
            changed[field] = [
                {**item, "image": changes[text(item, "name")]}
                if text(item, "name") in changes
                else item
                for item in children(spec, field)
            ]
    return {**template, "spec": changed}

"""Who pulls images from where, and with which pull secrets: pods, and parts of operators' objects.

A pod that names no pull secret gets those of its service account (admission plugin ServiceAccount,
https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/). What is in a
secret is never read, so that which registry it is for is concluded from who uses it.

Operators' objects: ClusterPolicy and NVIDIADriver (https://github.com/NVIDIA/gpu-operator,
api/nvidia), NicClusterPolicy (https://github.com/Mellanox/network-operator, api/v1alpha1): each
operand has ``repository`` and ``imagePullSecrets`` of its own; those of the validator reach others
as well, and ``global`` of a NicClusterPolicy holds for all. Intel's operator makes plugins from
objects that name an image alone (intel#1981).
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from bridgehead.core.findings.manifest import Linted, Manifest, Path, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.model.image import ImageError, full_name
from bridgehead.core.model.json import JsonObject, JsonValue, child, children, text

_OPERANDS = ("nvidia.com/", "mellanox.com/")
_INTEL = "deviceplugin.intel.com/"
_IN_OTHERS = ("operator", "gds", "gdrcopy")
"""Parts of a ClusterPolicy whose containers run in pods of other parts, which have the secrets."""


class Puller(msgspec.Struct, frozen=True, kw_only=True):
    """Something that pulls images.

    ``places`` are registry and path before the last part, with the first image from there.
    ``secrets`` is None where they are not known, ``unsure`` says then what would tell.
    """

    manifest: Manifest
    path: Path
    """Where its pull secrets stand, or should."""
    name: str
    places: Mapping[str, str]
    secrets: tuple[str, ...] | None
    unsure: str = ""

    @property
    def tells(self) -> frozenset[str]:
        """Places for which its secret must be, as it pulls from one registry only."""
        registries = {registry_of(place) for place in self.places}
        return frozenset(self.places) if self.secrets and len(registries) == 1 else frozenset()


def pullers(linted: Linted) -> Iterator[Puller]:
    """All of them, in the order of the manifests."""
    for manifest in linted.manifests:
        if manifest.template_path is not None:
            yield _of_pods(linted, manifest)
        elif manifest.ref.api_version.startswith(_OPERANDS):
            yield from _of_operands(manifest)
        elif manifest.ref.api_version.startswith(_INTEL):
            yield from _of_intel(manifest)


def place_of(image: str) -> str:
    """Registry and path of an image without the last part; empty for what is no image name."""
    try:
        return full_name(image).partition("@")[0].rpartition("/")[0]
    except ImageError:
        return ""


def registry_of(place: str) -> str:
    """The registry of a place."""
    return place.partition("/")[0]


def secrets_in(holder: JsonValue) -> tuple[str, ...]:
    """Names in ``imagePullSecrets`` of a pod or an account (objects), or of an operand (texts)."""
    listed = child(holder, "imagePullSecrets")
    found = listed if isinstance(listed, list | tuple) else ()
    names = (item if isinstance(item, str) else text(item, "name") for item in found)
    return tuple(name for name in names if name)


def _of_pods(linted: Linted, manifest: Manifest) -> Puller:
    base = manifest.template_path or ()
    secrets, unsure = _pod_secrets(linted, manifest)
    return Puller(
        manifest=manifest,
        path=(*base, "spec", "imagePullSecrets"),
        name=str(manifest.ref),
        places=_places(text(item, "image") for _, item in containers(manifest)),
        secrets=secrets,
        unsure=unsure,
    )


def _places(images: Iterable[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for image in images:
        if place := place_of(image):
            found.setdefault(place, image)
    return found


def _pod_secrets(linted: Linted, manifest: Manifest) -> tuple[tuple[str, ...] | None, str]:
    """Its own, else those of its account: as written and as it stands, which an apply keeps."""
    spec = child(manifest.template, "spec")
    if own := secrets_in(spec):
        return own, ""
    name = text(spec, "serviceAccountName") or text(spec, "serviceAccount") or "default"
    namespace, cluster = manifest.ref.namespace, linted.cluster
    written = [
        item.data
        for item in linted.of_kind("ServiceAccount")
        if item.ref.name == name and item.ref.namespace in ("", namespace)
    ]
    stands = cluster.raw("ServiceAccount", namespace, name) if cluster is not None else None
    accounts = [*written, *((stands,) if stands is not None else ())]
    found = tuple(secret for item in accounts for secret in secrets_in(item))
    read = cluster is None or (cluster.has(Need.SERVICE_ACCOUNTS) and bool(namespace))
    if found or (accounts and read):
        return found, ""
    return None, f"whether the service account {name} of {manifest.ref} has a pull secret"


def _of_operands(manifest: Manifest) -> Iterator[Puller]:
    shared = _secrets_at(manifest, ("spec", "global"))
    validator = _secrets_at(manifest, ("spec", "validator"))
    for path, part in _operands(("spec",), manifest.at(("spec",))):
        inner = tuple(_with_repository(part))
        own = tuple(secret for item in inner for secret in secrets_in(item)) or shared
        unsure = f"whether the operator gives {path[-1]} of {manifest.ref} the validator's secret"
        yield Puller(
            manifest=manifest,
            path=(*path, "imagePullSecrets"),
            name=f"{'.'.join(map(str, path))} of {manifest.ref}",
            places=_places(map(_image, inner)),
            secrets=own or (None if validator else ()),
            unsure=unsure if validator and not own else "",
        )


def _secrets_at(manifest: Manifest, path: Path) -> tuple[str, ...]:
    found = manifest.at(path)
    return secrets_in(found) if isinstance(found, Mapping) else ()


def _operands(path: Path, value: object) -> Iterator[tuple[Path, JsonObject]]:
    """Parts that have a repository and are not switched off; what is inside of one is its own."""
    if not isinstance(value, Mapping) or value.get("enabled") is False:
        return
    if text(value, "repository"):
        yield path, value
        return
    for key, item in value.items():
        if key not in _IN_OTHERS:
            yield from _operands((*path, str(key)), item)


def _with_repository(part: JsonValue) -> Iterator[JsonObject]:
    if isinstance(part, Mapping):
        if text(part, "repository"):
            yield part
        for item in part.values():
            yield from _with_repository(item)


def _image(part: JsonObject) -> str:
    last = text(part, "image").rpartition("/")[2]
    return f"{text(part, 'repository').rstrip('/')}/{last or 'image'}"


def _of_intel(manifest: Manifest) -> Iterator[Puller]:
    spec = manifest.at(("spec",))
    images = spec if isinstance(spec, Mapping) else {}
    yield Puller(
        manifest=manifest,
        path=("spec", "image"),
        name=str(manifest.ref),
        places=_places(text(images, key) for key in ("image", "initImage")),
        secrets=None,
        unsure=f"whether the operator hands its pull secret on to {manifest.ref}",
    )


def places_without(pods: Iterable[JsonObject]) -> frozenset[str]:
    """Places from which pods run images without a pull secret: their nodes need none for these.

    What an account gives stands in the pod itself.
    """
    return frozenset(
        place_of(text(container, "image"))
        for pod in pods
        if not secrets_in(child(pod, "spec"))
        for running in (_running(pod),)
        for container in children(pod, "spec", "containers")
        if text(container, "name") in running
    )


def _running(pod: JsonObject) -> frozenset[str]:
    listed = children(pod, "status", "containerStatuses")
    up = (item for item in listed if child(item, "state", "running") is not None)
    return frozenset(text(item, "name") for item in up)

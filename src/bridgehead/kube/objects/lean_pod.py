"""Pods by the ten thousand: only what a plan needs, equal strings kept once.

A pod as dict costs 30 KB, as `Pod` about 6 KB, as `LeanPod` about 1 KB. The attributes have the
same names as those of `Pod`, so that code which asks little reads both.
"""

from sys import intern

import msgspec

from bridgehead.kube.objects.base import Partial


def _interned(mapping: dict[str, str]) -> dict[str, str]:
    return {intern(key): intern(value) for key, value in mapping.items()}


class LeanOwner(Partial, frozen=True):
    """Who a pod belongs to."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False

    def __post_init__(self) -> None:
        for field in ("kind", "name", "uid"):
            msgspec.structs.force_setattr(self, field, intern(getattr(self, field)))


class LeanMeta(Partial, frozen=True):
    """Names and labels of a pod; timestamps stay as text."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    owner_references: tuple[LeanOwner, ...] = ()
    deletion_timestamp: str | None = None

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "namespace", intern(self.namespace))
        if self.labels:
            msgspec.structs.force_setattr(self, "labels", _interned(self.labels))

    @property
    def controller(self) -> LeanOwner | None:
        """The owner that manages this pod, if there is one."""
        return next((owner for owner in self.owner_references if owner.controller), None)


class LeanClaim(Partial, frozen=True):
    """A container's use of one claim of its pod."""

    name: str = ""


class LeanResources(Partial, frozen=True):
    """Devices show up in `limits`, since for them requests must equal limits."""

    limits: dict[str, str] = msgspec.field(default_factory=dict)
    claims: tuple[LeanClaim, ...] = ()

    def __post_init__(self) -> None:
        if self.limits:
            msgspec.structs.force_setattr(self, "limits", _interned(self.limits))


class LeanContainer(Partial, frozen=True):
    """Image and devices of a container."""

    name: str = ""
    image: str = ""
    resources: LeanResources = LeanResources()

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "name", intern(self.name))
        msgspec.structs.force_setattr(self, "image", intern(self.image))


class LeanPodClaim(Partial, frozen=True):
    """A claim that the pod uses."""

    name: str = ""
    resource_claim_name: str = ""
    resource_claim_template_name: str = ""


class LeanHostPath(Partial, frozen=True):
    """A folder or file of the node."""

    path: str = ""


class LeanVolume(Partial, frozen=True):
    """A volume, of which only host paths matter here."""

    host_path: LeanHostPath | None = None


class LeanPodSpec(Partial, frozen=True):
    """Where a pod runs and which devices it asks for."""

    node_name: str = ""
    containers: tuple[LeanContainer, ...] = ()
    init_containers: tuple[LeanContainer, ...] = ()
    volumes: tuple[LeanVolume, ...] = ()
    runtime_class_name: str = ""
    priority_class_name: str = ""
    resource_claims: tuple[LeanPodClaim, ...] = ()

    def __post_init__(self) -> None:
        for field in ("node_name", "runtime_class_name", "priority_class_name"):
            msgspec.structs.force_setattr(self, field, intern(getattr(self, field)))
        host_paths = tuple(volume for volume in self.volumes if volume.host_path)
        msgspec.structs.force_setattr(self, "volumes", host_paths)


class LeanClaimStatus(Partial, frozen=True):
    """Which ResourceClaim was made for a template entry of the pod."""

    name: str = ""
    resource_claim_name: str = ""


class LeanPodStatus(Partial, frozen=True):
    """`start_time` is set once the kubelet has admitted the pod."""

    phase: str = ""
    reason: str = ""
    start_time: str | None = None
    resource_claim_statuses: tuple[LeanClaimStatus, ...] = ()

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "phase", intern(self.phase))
        msgspec.structs.force_setattr(self, "reason", intern(self.reason))


class LeanPod(Partial, frozen=True):
    """A pod, as far as a plan over all pods of a cluster needs it."""

    metadata: LeanMeta = LeanMeta()
    spec: LeanPodSpec = LeanPodSpec()
    status: LeanPodStatus = LeanPodStatus()

    @property
    def intended_node(self) -> str:
        """The node that the pod is bound to; pods not yet bound are not resolved here."""
        return self.spec.node_name

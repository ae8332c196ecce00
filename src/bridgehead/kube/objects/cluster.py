"""Small kinds around workloads: namespaces, events, leases, config maps, accounts, quotas."""

from datetime import datetime
from typing import Any

import msgspec

from bridgehead.kube.objects.base import Condition, ObjectMeta, Partial


class NamespaceStatus(Partial, frozen=True):
    """`phase` is `Active` or `Terminating`."""

    phase: str = ""
    conditions: tuple[Condition, ...] = ()


class Namespace(Partial, frozen=True):
    """A namespace."""

    metadata: ObjectMeta = ObjectMeta()
    status: NamespaceStatus = NamespaceStatus()


class ObjectReference(Partial, frozen=True):
    """The object that an event is about."""

    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    field_path: str = ""


class EventSource(Partial, frozen=True):
    """Who reported an event, by the old fields."""

    component: str = ""
    host: str = ""


class EventSeries(Partial, frozen=True):
    """Repetitions of an event, by the new fields."""

    count: int = 0
    last_observed_time: datetime | None = None


class Event(Partial, frozen=True):
    """An event of the core API. Writers fill either the old times and count or the new ones."""

    metadata: ObjectMeta = ObjectMeta()
    involved_object: ObjectReference = ObjectReference()
    type: str = ""
    reason: str = ""
    message: str = ""
    count: int = 0
    first_timestamp: datetime | None = None
    last_timestamp: datetime | None = None
    event_time: datetime | None = None
    series: EventSeries | None = None
    source: EventSource = EventSource()
    reporting_component: str = ""

    @property
    def last_seen(self) -> datetime | None:
        """When it last happened, by whichever fields the writer filled."""
        series = self.series.last_observed_time if self.series else None
        return series or self.last_timestamp or self.event_time or self.metadata.creation_timestamp


class LeaseSpec(Partial, frozen=True):
    """Who holds the lease and until when, as the holder's clock said."""

    holder_identity: str = ""
    lease_duration_seconds: int = 0
    acquire_time: datetime | None = None
    renew_time: datetime | None = None
    lease_transitions: int = 0


class Lease(Partial, frozen=True):
    """A lease of `coordination.k8s.io/v1`."""

    metadata: ObjectMeta = ObjectMeta()
    spec: LeaseSpec = LeaseSpec()


class ConfigMap(Partial, frozen=True):
    """A ConfigMap; `binary_data` is decoded from base64."""

    metadata: ObjectMeta = ObjectMeta()
    data: dict[str, str] = msgspec.field(default_factory=dict)
    binary_data: dict[str, bytes] = msgspec.field(default_factory=dict)
    immutable: bool = False


class SecretName(Partial, frozen=True):
    """A Secret by name."""

    name: str = ""


class ServiceAccount(Partial, frozen=True):
    """A service account, of which pods inherit the pull secrets."""

    metadata: ObjectMeta = ObjectMeta()
    image_pull_secrets: tuple[SecretName, ...] = ()
    automount_service_account_token: bool | None = None


class ResourceQuotaSpec(Partial, frozen=True):
    """Limits of a namespace, quantities as written."""

    hard: dict[str, str] = msgspec.field(default_factory=dict)
    scopes: tuple[str, ...] = ()


class ResourceQuotaStatus(Partial, frozen=True):
    """What of the limits is used."""

    hard: dict[str, str] = msgspec.field(default_factory=dict)
    used: dict[str, str] = msgspec.field(default_factory=dict)


class ResourceQuota(Partial, frozen=True):
    """A quota of a namespace."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceQuotaSpec = ResourceQuotaSpec()
    status: ResourceQuotaStatus = ResourceQuotaStatus()


class RuntimeClass(Partial, frozen=True):
    """A runtime class; `handler` is the name that the container runtime knows."""

    metadata: ObjectMeta = ObjectMeta()
    handler: str = ""


class CustomResourceNames(Partial, frozen=True):
    """Names of a custom resource."""

    kind: str = ""
    plural: str = ""


class CustomResourceVersion(Partial, frozen=True):
    """A version of a custom resource, without its schema."""

    name: str = ""
    served: bool = False
    storage: bool = False


class CustomResourceDefinitionSpec(Partial, frozen=True):
    """What a definition defines, without the schemas."""

    group: str = ""
    scope: str = ""
    names: CustomResourceNames = CustomResourceNames()
    versions: tuple[CustomResourceVersion, ...] = ()


class CustomResourceDefinition(Partial, frozen=True):
    """A custom resource definition."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CustomResourceDefinitionSpec = CustomResourceDefinitionSpec()


class RawSpecObject(Partial, frozen=True):
    """An object whose spec and status stay raw, for kinds that are only shown."""

    metadata: ObjectMeta = ObjectMeta()
    spec: dict[str, Any] = msgspec.field(default_factory=dict)
    status: dict[str, Any] = msgspec.field(default_factory=dict)

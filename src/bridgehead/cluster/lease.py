"""The Lease behind a component's lock: how it is written, and when it may be taken. Pure.

Clocks of two machines cannot be compared. A lease is therefore judged by whether it changes: one
that was seen unchanged for its whole duration, on one's own clock, is no longer renewed.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from bridgehead.cluster.names import COMPONENT_LABEL, component_label
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.kube.objects.cluster import Lease


class Sighting(msgspec.Struct, frozen=True):
    """A lease that did not change since ``since``, in seconds of the observer's own clock."""

    holder: str
    renewed: datetime | None
    since: float


def seen(former: Sighting | None, lease: Lease, at: float) -> Sighting:
    """The sighting after one more look."""
    spec = lease.spec
    if former is not None and (former.holder, former.renewed) == (
        spec.holder_identity,
        spec.renew_time,
    ):
        return former
    return Sighting(spec.holder_identity, spec.renew_time, at)


def is_free(sighting: Sighting, lease: Lease, duration: float, at: float) -> bool:
    """Whether the lease may be taken now: given back, or unchanged for its whole duration."""
    if not sighting.holder:
        return True
    promised = max(duration, float(lease.spec.lease_duration_seconds))
    return at - sighting.since >= promised


def micro_time(at: float) -> str:
    """Seconds since the epoch as Kubernetes' MicroTime."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def lease_spec(holder: str, duration: int, now: float, transitions: int) -> dict[str, Any]:
    """The spec of a lease that is taken now."""
    return {
        "holderIdentity": holder,
        "leaseDurationSeconds": duration,
        "acquireTime": micro_time(now),
        "renewTime": micro_time(now),
        "leaseTransitions": transitions,
    }


def lease_object(
    name: str, namespace: str, component: ComponentRef, spec: Mapping[str, Any]
) -> dict[str, Any]:
    """The first lease of a component."""
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {COMPONENT_LABEL: component_label(component)},
        },
        "spec": spec,
    }

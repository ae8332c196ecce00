"""Scaling a Deployment in the middle of a rollout: each ReplicaSet gets its share.

Source: k8s.io/kubernetes/pkg/controller/deployment/sync.go, scale (Kubernetes 1.37).
"""

from collections.abc import Sequence

from bridgehead.twin.controllers.deployment_revisions import MOST, max_surge, replicas_of
from bridgehead.twin.integers import int64
from bridgehead.twin.objects import Object, at, name_of, text


def proportional(deployment: Object, replica_sets: Sequence[Object]) -> list[tuple[Object, int]]:
    """The size of each active ReplicaSet after the Deployment's size has changed.

    What rounding leaves goes to the largest: among equals to the newer one when it grows, to the
    older one when it shrinks.
    """
    replicas = replicas_of(deployment)
    allowed = replicas + max_surge(deployment) if replicas else 0
    missing = allowed - sum(replicas_of(one) for one in replica_sets)
    ordered = sorted(replica_sets, key=lambda one: text(one, "metadata", "creationTimestamp"))
    if missing > 0:
        ordered.reverse()
    if missing:
        ordered.sort(key=replicas_of, reverse=True)
    added = 0
    sizes = {}
    for one in ordered:
        share = _share(deployment, one, allowed, missing, added) if missing else 0
        sizes[name_of(one)] = replicas_of(one) + share
        added += share
    if missing:
        largest = name_of(ordered[0])
        sizes[largest] = max(0, sizes[largest] + missing - added)
    return [(one, sizes[name_of(one)]) for one in ordered]


def _share(deployment: Object, one: Object, allowed: int, missing: int, added: int) -> int:
    size = replicas_of(one)
    if not size or missing == added:
        return 0
    if not replicas_of(deployment):
        share = -size
    else:
        before = text(one, "metadata", "annotations", MOST)
        base = max(0, int64(before) or 0)
        base = base or int(at(deployment, "status", "replicas") or 0)
        if not base:
            return 0
        share = int(size * allowed / base + 0.5) - size
    left = missing - added
    return min(share, left) if missing > 0 else max(share, left)

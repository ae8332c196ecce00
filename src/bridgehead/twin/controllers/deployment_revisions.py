"""Revisions of a Deployment: which ReplicaSet is which, and what their annotations say.

Source: k8s.io/kubernetes/pkg/controller/deployment/util/deployment_util.go (Kubernetes 1.37).
"""

from collections.abc import Sequence

import msgspec

from bridgehead.twin.integers import int64
from bridgehead.twin.objects import (
    Object,
    at,
    fields,
    labels_of,
    name_of,
    text,
    with_field,
)

REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
MOST = "deployment.kubernetes.io/max-replicas"
HASH_LABEL = "pod-template-hash"
LONGEST_HISTORY = 2000
"""Letters of the annotation that lists earlier revisions of a ReplicaSet."""

_KEPT_FROM_REPLICA_SETS = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        "deprecated.deployment.rollback.to",
        REVISION,
        HISTORY,
        DESIRED,
        MOST,
    }
)
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


def template_hash(template: Object, collisions: int | None) -> str:
    """The value of ``pod-template-hash``: equal for equal templates.

    The real one is FNV-1 over a print of the Go value, this one over JSON: the values differ.
    """
    value = 2166136261
    encoded = msgspec.json.encode(template, order="deterministic")
    salt = b"" if collisions is None else collisions.to_bytes(8, "little")
    for byte in encoded + salt:
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return "".join(_ALPHABET[ord(digit) % len(_ALPHABET)] for digit in str(value))


def revision_of(obj: Object) -> int:
    """The revision that an object's annotation names; 0 for none."""
    value = text(obj, "metadata", "annotations", REVISION)
    return max(0, int64(value) or 0)


def replicas_of(obj: Object) -> int:
    """``spec.replicas``."""
    found = at(obj, "spec", "replicas")
    return 1 if found is None else int(found)


def by_age(replica_sets: Sequence[Object]) -> list[Object]:
    """The oldest first."""
    return sorted(
        replica_sets, key=lambda one: (text(one, "metadata", "creationTimestamp"), name_of(one))
    )


def same_template(one: Object, other: Object) -> bool:
    """Whether two pod templates are equal but for the hash label."""
    return _without_hash(one) == _without_hash(other)


def find_new(deployment: Object, replica_sets: Sequence[Object]) -> Object | None:
    """The ReplicaSet with the Deployment's present template: the oldest of several."""
    template = _without_hash(deployment["spec"]["template"])
    for replica_set in by_age(replica_sets):
        if _without_hash(replica_set["spec"]["template"]) == template:
            return replica_set
    return None


def annotated(deployment: Object, replica_set: Object, revision: int, *, exists: bool) -> Object:
    """The present ReplicaSet with the Deployment's annotations and its revision."""
    annotations = dict(fields(replica_set, "metadata", "annotations")) | {
        key: value
        for key, value in fields(deployment, "metadata", "annotations").items()
        if key not in _KEPT_FROM_REPLICA_SETS
    }
    known = annotations.get(REVISION)
    if revision_of(replica_set) < revision:
        annotations[REVISION] = str(revision)
        if known is not None:
            annotations[HISTORY] = _history(annotations.get(HISTORY, ""), known)
    if not exists:
        annotations |= size_annotations(deployment)
    return with_field(replica_set, ("metadata", "annotations"), annotations)


def size_annotations(deployment: Object) -> dict[str, str]:
    """How many replicas are wanted, and at most: by these a change of the size is noticed."""
    replicas = replicas_of(deployment)
    return {DESIRED: str(replicas), MOST: str(replicas + max_surge(deployment))}


def is_rolling(deployment: Object) -> bool:
    """Whether its strategy is ``RollingUpdate``."""
    return text(deployment, "spec", "strategy", "type") == "RollingUpdate"


def max_surge(deployment: Object) -> int:
    """Pods that may be there beyond ``replicas``."""
    return _fenceposts(deployment)[0] if is_rolling(deployment) else 0


def max_unavailable(deployment: Object) -> int:
    """Pods of ``replicas`` that need not be available."""
    replicas = replicas_of(deployment)
    if not is_rolling(deployment) or not replicas:
        return 0
    return min(_fenceposts(deployment)[1], replicas)


def scaled(value: int | str, total: int, *, up: bool) -> int:
    """A number, or a percentage of a total, rounded up or down.

    Source: k8s.io/apimachinery/pkg/util/intstr, GetScaledValueFromIntOrPercent.
    """
    if isinstance(value, int):
        return value
    share = int(value.removesuffix("%")) * total
    return -(-share // 100) if up else share // 100


def _fenceposts(deployment: Object) -> tuple[int, int]:
    rolling = fields(deployment, "spec", "strategy", "rollingUpdate")
    replicas = replicas_of(deployment)
    surge = scaled(rolling.get("maxSurge", 0), replicas, up=True)
    unavailable = scaled(rolling.get("maxUnavailable", 0), replicas, up=False)
    return (surge, unavailable) if surge or unavailable else (0, 1)


def _history(history: str, known: str) -> str:
    revisions = [*history.split(","), known] if history else [known]
    while len(",".join(revisions)) > LONGEST_HISTORY:
        revisions.pop(0)
    return ",".join(revisions)


def _without_hash(template: Object) -> Object:
    if HASH_LABEL not in labels_of(template):
        return template
    rest = {key: value for key, value in labels_of(template).items() if key != HASH_LABEL}
    return with_field(template, ("metadata", "labels"), rest or None)

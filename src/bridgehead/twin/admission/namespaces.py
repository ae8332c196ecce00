"""A namespace must be there, and must not be going, before something is created in it.

Source: k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
"""

from bridgehead.twin.errors import ApiError, forbidden, not_found
from bridgehead.twin.kinds import Kind, Kinds
from bridgehead.twin.objects import name_of, namespace_of, text
from bridgehead.twin.registry import Attempt
from bridgehead.twin.store import Store

IMMORTAL = frozenset({"default", "kube-system", "kube-public"})
"""Namespaces that nobody may delete."""

_REVIEWS = frozenset({"localsubjectaccessreviews"})


def check_namespace(attempt: Attempt, kinds: Kinds, store: Store) -> None:
    """Refuse a creation in a namespace that is missing or being terminated. Raises ApiError."""
    kind, namespace = attempt.kind, namespace_of(attempt.object)
    if attempt.operation != "CREATE" or not kind.namespaced or kind.plural in _REVIEWS:
        return
    namespaces = kinds.named("", "namespaces")
    found = store.get(namespaces.stored, "", namespace)
    if found is None:
        raise not_found(namespaces, namespace)
    if text(found, "status", "phase") == "Terminating":
        raise _terminating(kind, name_of(attempt.object), namespace)


def check_namespace_deletion(kind: Kind, name: str) -> None:
    """Refuse to delete a namespace that the cluster cannot do without. Raises ApiError 403."""
    if kind.stored == ("", "namespaces") and name in IMMORTAL:
        raise forbidden(kind, name, "this namespace may not be deleted")


def _terminating(kind: Kind, name: str, namespace: str) -> ApiError:
    refusal = forbidden(
        kind,
        name,
        f"unable to create new content in namespace {namespace} because it is being terminated",
    )
    refusal.status["details"]["causes"] = [
        {
            "reason": "NamespaceTerminating",
            "message": f"namespace {namespace} is being terminated",
            "field": "metadata.namespace",
        }
    ]
    return refusal

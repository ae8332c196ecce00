"""All that a write passes before it is stored, in the order in which the real server does it.

Source: k8s.io/apiserver/pkg/registry/generic/registry/store.go (Create, Update) and
k8s.io/kubernetes/pkg/kubeapiserver/options/plugins.go (the plugins that are on by default).
"""

from bridgehead.twin.admission.addresses import allocate, keep_addresses
from bridgehead.twin.admission.defaults.kinds import DEFAULTS
from bridgehead.twin.admission.namespaces import check_namespace
from bridgehead.twin.admission.pod_security import (
    check_pod_security,
    namespace_warnings,
    template_warnings,
)
from bridgehead.twin.admission.preparation import prepare_changed, prepare_new
from bridgehead.twin.admission.priorities import admit_priority, check_default_class, keep_priority
from bridgehead.twin.admission.runtime_classes import admit_runtime_class
from bridgehead.twin.admission.service_accounts import admit_service_account
from bridgehead.twin.admission.tolerations import admit_node, admit_tolerations
from bridgehead.twin.admission.warnings import changed_warnings, new_warnings
from bridgehead.twin.clock import Clock
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kind, Kinds, Stored
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import Attempt
from bridgehead.twin.schema.custom.pruning import fill_defaults, pruned
from bridgehead.twin.schema.decoding import decoded, in_go_form
from bridgehead.twin.schema.validation.rules import check_changed, check_new
from bridgehead.twin.store import Store

_METADATA = "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta"
"""Of custom kinds too, whose other fields have no types."""
_PODS = Stored("", "pods")
_NAMESPACES = Stored("", "namespaces")
_NODES = Stored("", "nodes")
_SERVICES = Stored("", "services")
_PRIORITY_CLASSES = Stored("scheduling.k8s.io", "priorityclasses")


def _read(kind: Kind, obj: Object) -> Object:
    """A private copy in the form of the kind's types or, of a custom one, of its schema."""
    if not kind.custom:
        return decoded(kind, obj)
    copy = decoded(kind, obj) if kind.schema is None else pruned(kind.schema.value, obj)
    if kind.schema is not None:
        fill_defaults(kind.schema.value, copy)
    return {**copy, "metadata": in_go_form(_METADATA, copy["metadata"])}


def _is_part(attempt: Attempt) -> bool:
    """Whether an update is of a part that has rules of its own, where it is made."""
    return attempt.subresource == "status" or (
        bool(attempt.subresource) and attempt.kind.stored == _PODS
    )


class Admission:
    """Fills in and judges writes; called by the registry for each of them."""

    def __init__(self, kinds: Kinds, store: Store, clock: Clock, identifiers: Identifiers) -> None:
        self._kinds = kinds
        self._store = store
        self._clock = clock
        self._identifiers = identifiers

    def __call__(self, attempt: Attempt) -> Object:
        """The object to store. Raises ApiError where the write is refused."""
        own = not attempt.user and attempt.warnings is None
        if own and attempt.subresource:
            return attempt.object  # the twin's own parts write whole, valid states
        obj = _read(attempt.kind, attempt.object)
        check_namespace(attempt, self._kinds, self._store)
        if (fill := DEFAULTS.get(attempt.kind.stored)) is not None:
            fill(obj)
        if attempt.track is not None:
            obj = attempt.track(attempt.old, obj)
        if attempt.old is None:
            self._admit_new(attempt, obj)
            prepare_new(attempt.kind, obj, self._clock.timestamp())
            if not own:
                check_new(attempt.kind, obj)
            self._secure(attempt, obj)
            if attempt.kind.stored == _SERVICES:
                allocate(obj, self._store, self._identifiers)
        else:
            self._admit_changed(attempt, obj, attempt.old)
            prepare_changed(attempt.kind, obj, attempt.old)
            if attempt.kind.stored == _SERVICES and not attempt.subresource:
                keep_addresses(obj, attempt.old)
                allocate(obj, self._store, self._identifiers)
            if not own and not _is_part(attempt):
                check_changed(attempt.kind, obj, attempt.old)
                self._secure(attempt, obj)
        return obj

    def _secure(self, attempt: Attempt, obj: Object) -> None:
        """Judge pods by the labels of their namespace, and say what is to be said."""
        kind, old, said = attempt.kind, attempt.old, attempt.warnings
        if kind.stored == _PODS:
            found = check_pod_security(kind, obj, old, self._store)
        elif said is None:
            return
        elif kind.stored == _NAMESPACES:
            found = [] if old is None else namespace_warnings(obj, old, self._store)
        else:
            found = template_warnings(kind, obj, self._store)
        if said is not None:
            said += new_warnings(kind, obj) if old is None else changed_warnings(kind, obj, old)
            said += found

    def _admit_new(self, attempt: Attempt, obj: Object) -> None:
        kind = attempt.kind
        if kind.stored == _PODS:
            admit_service_account(kind, obj, self._store, self._identifiers)
            admit_priority(kind, obj, self._store)
            admit_tolerations(obj)
            admit_runtime_class(kind, obj, self._store)
        elif kind.stored == _NODES:
            admit_node(obj)
        elif kind.stored == _PRIORITY_CLASSES:
            check_default_class(kind, obj, self._store)

    def _admit_changed(self, attempt: Attempt, obj: Object, old: Object) -> None:
        if attempt.subresource:
            return
        if attempt.kind.stored == _PODS:
            keep_priority(obj, old)
            admit_tolerations(obj)
        elif attempt.kind.stored == _PRIORITY_CLASSES:
            check_default_class(attempt.kind, obj, self._store)

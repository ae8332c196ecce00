"""delete and deletecollection.

Source: k8s.io/apiserver/pkg/endpoints/handlers/delete.go and
k8s.io/apimachinery/pkg/apis/meta/v1/validation (1.37).
"""

from typing import Any, Literal

import msgspec

from bridgehead.twin.admission.namespaces import check_namespace_deletion
from bridgehead.twin.api.answers import Answers, value_answer
from bridgehead.twin.api.bodies import read_options
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.exchange import Answer
from bridgehead.twin.api.listing import Page, listed
from bridgehead.twin.api.options import (
    Query,
    dry_run_causes,
    invalid_options,
    list_options,
    not_supported,
)
from bridgehead.twin.errors import ApiError, Cause, bad_request
from bridgehead.twin.objects import Object, name_of, namespace_of, uid_of
from bridgehead.twin.registry import DeleteOptions, Registry
from bridgehead.twin.schema.validation.causes import invalid as invalid_value

_RETURNED = frozenset(
    {
        *("pods", "services", "serviceaccounts", "namespaces", "persistentvolumes"),
        *("persistentvolumeclaims", "podtemplates", "resourcequotas", "storageclasses"),
        *("csidrivers", "csinodes", "volumeattachments", "volumeattributesclasses"),
        *("resourceclaims", "resourceclaimtemplates", "resourceslices", "deviceclasses"),
    }
)
"""Resources whose deletion answers the object. Source: ReturnDeletedObject of each registry."""

Propagation = Literal["Background", "Foreground", "Orphan"]
_POLICIES = ["Foreground", "Background", "Orphan", "nil"]


class Deletion(msgspec.Struct, frozen=True, kw_only=True):
    """How a deletion is asked for."""

    options: DeleteOptions
    dry_run: bool = False
    accepted: bool = False
    """Whether the answer tells by 202 that the object is not gone yet."""


class _Preconditions(msgspec.Struct):
    uid: str | None = None
    resourceVersion: str | None = None  # noqa: N815 - the API's name


class _Options(msgspec.Struct):
    gracePeriodSeconds: int | None = None  # noqa: N815 - the API's name
    preconditions: _Preconditions | None = None
    orphanDependents: bool | None = None  # noqa: N815 - the API's name
    propagationPolicy: str | None = None  # noqa: N815 - the API's name
    dryRun: list[str] | None = None  # noqa: N815 - the API's name


class Deleting:
    """Answers deletions."""

    def __init__(self, registry: Registry, answers: Answers) -> None:
        self._registry = registry
        self._answers = answers

    def delete(self, call: Call) -> Answer:
        """One object. Raises ApiError: 400, 404, 409, 415, 422."""
        deletion = deletion_of(call)
        check_namespace_deletion(call.kind, call.name)
        obj, gone = self._registry.delete(
            call.kind, call.namespace, call.name, deletion.options, dry_run=deletion.dry_run
        )
        status = 202 if deletion.accepted and not gone else 200
        if not gone or call.kind.plural in _RETURNED:
            return self._answers.one(call, obj, status=status)
        return value_answer(_success(call, obj), call.form, status=status)

    def delete_collection(self, call: Call) -> Answer:
        """Many objects; the answer lists them as they were. Raises ApiError: 400, 415, 422."""
        deletion = deletion_of(call)
        page = listed(
            self._registry.store,
            call.kind,
            list_options(call.kind, call.namespace, call.name, call.request),
        )
        objects: list[Object] = []
        for obj in page.objects:
            try:
                last, _ = self._registry.delete(
                    call.kind,
                    namespace_of(obj),
                    name_of(obj),
                    deletion.options,
                    dry_run=deletion.dry_run,
                )
            except ApiError as error:
                if error.code != 404:
                    raise
            else:
                objects.append(last)
        return self._answers.page(call, Page(objects=objects, version=page.version))


def _success(call: Call, obj: Object) -> Object:
    details = {"name": name_of(obj), "kind": call.kind.plural, "uid": uid_of(obj)}
    if call.kind.group:
        details["group"] = call.kind.group
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    }


def deletion_of(call: Call) -> Deletion:
    """Read the options of a deletion, from the body or else from the query.

    Raises ApiError: 400, 415, 422.
    """
    request = call.request
    if request.body:
        value: Any = read_options(request.body, request.headers.get("content-type", ""))
    else:
        value = _from_query(call)
    return read_deletion(value)


def read_deletion(value: Object) -> Deletion:
    """DeleteOptions as they came. Raises ApiError: 400, 422."""
    try:
        options = msgspec.convert(value, _Options)
    except msgspec.ValidationError as error:
        raise bad_request(
            f'DeleteOptions in version "v1" cannot be handled as a DeleteOptions: {error}'
        ) from None
    dry_run = options.dryRun or []
    if causes := _causes(options, dry_run):
        raise invalid_options("DeleteOptions", causes)
    asked = options.preconditions or _Preconditions()
    return Deletion(
        options=DeleteOptions(
            grace=options.gracePeriodSeconds,
            propagation=_propagation(options),
            uid=asked.uid or "",
            resource_version=asked.resourceVersion or "",
        ),
        dry_run=bool(dry_run),
        accepted=options.orphanDependents is False,
    )


def _propagation(options: _Options) -> Propagation | None:
    if options.orphanDependents is not None:
        return "Orphan" if options.orphanDependents else "Background"
    match options.propagationPolicy:
        case "Background" | "Foreground" | "Orphan" as policy:
            return policy
        case _:
            return None


def _causes(options: _Options, dry_run: list[str]) -> list[Cause]:
    causes: list[Cause] = []
    policy = options.propagationPolicy
    if policy is not None and options.orphanDependents is not None:
        why = "orphanDependents and deletionPropagation cannot be both set"
        causes.append(invalid_value("propagationPolicy", policy, why))
    elif policy is not None and policy not in _POLICIES[:3]:
        causes.append(not_supported("propagationPolicy", f'"{policy}"', _POLICIES))
    return causes + dry_run_causes(dry_run)


def _from_query(call: Call) -> Object:
    query = Query(call.request)
    value: Object = {"gracePeriodSeconds": query.number("gracePeriodSeconds")}
    if "propagationPolicy" in query:
        value["propagationPolicy"] = query.text("propagationPolicy")
    if "orphanDependents" in query:
        value["orphanDependents"] = query.flag("orphanDependents")
    value["dryRun"] = [item for key, item in call.request.query if key == "dryRun" and item]
    return value

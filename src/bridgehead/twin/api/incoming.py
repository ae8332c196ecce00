"""The object that a client sends, checked against the path that it sends it to.

Sources: k8s.io/apiserver/pkg/endpoints/handlers/{create.go,update.go,rest.go} (1.37).
"""

from typing import Any

import msgspec

from bridgehead.twin.api.bodies import (
    UnreadableError,
    check_depth,
    media_type_of,
    parse_json,
    parse_protobuf,
    read_header,
    read_yaml,
    unsupported_media_type,
)
from bridgehead.twin.api.call import Call
from bridgehead.twin.errors import ApiError, bad_request, invalid
from bridgehead.twin.kinds import Kind, Kinds
from bridgehead.twin.objects import Object, at, text
from bridgehead.twin.schema.decoding import decoded
from bridgehead.twin.schema.gotypes import type_of_kind
from bridgehead.twin.schema.misfits import first_misfit
from bridgehead.twin.schema.validation.causes import invalid as invalid_value

_NO_KIND = Kind(group="", version="", kind="", plural="")
_SHOWN = 30
"""Bytes of an unreadable body that the refusal shows."""


def read_object(call: Call, kinds: Kinds, *, expected: Kind | None = None) -> Object:
    """The object in a request's body, with its kind filled in. Raises ApiError: 400, 415.

    ``expected``: the kind of a subresource's body, where it is another one than the call's.
    """
    kind = expected or call.kind
    body = call.request.body
    media_type = media_type_of(call.request.headers.get("content-type", ""))
    try:
        value = _value(body, media_type or "application/json")
        api_version, name = read_header(value)
    except UnreadableError as error:
        raise bad_request(
            f"the object provided is unrecognized (must be of type {kind.kind}): "
            f"{error} ({_summary(body)})"
        ) from None
    api_version, name = api_version or kind.api_version, name or kind.kind
    if (api_version, name) != (kind.api_version, kind.kind):
        raise _of_another_kind(kind, api_version, name, kinds)
    return {**(value or {}), "apiVersion": api_version, "kind": name}


def _value(body: bytes, media_type: str) -> Any:
    match media_type:
        case "application/json":
            return parse_json(body)
        case "application/yaml":
            return read_yaml(body)
        case "application/vnd.kubernetes.protobuf":
            return parse_protobuf(body)
        case _:
            raise unsupported_media_type()


def _of_another_kind(kind: Kind, api_version: str, name: str, kinds: Kinds) -> ApiError:
    version = api_version.rpartition("/")[2]
    known = kinds.of(api_version, name)
    if known is None or known.api_version != api_version:
        why = (
            f'no kind "{name}" is registered for version "{api_version}" '
            'in scheme "pkg/runtime/scheme.go:111"'
        )
    else:
        package = kind.group.partition(".")[0] or "core"
        why = f"converting ({version}.{name}) to ({package}.{kind.kind}): unknown conversion"
    return bad_request(f'{name} in version "{version}" cannot be handled as a {kind.kind}: {why}')


def _summary(body: bytes) -> str:
    if not body:
        return "<empty>"
    shown, more = body[:_SHOWN], " ..." if len(body) > _SHOWN else ""
    text_shown = shown.decode(errors="replace") if body[:1] == b"{" else shown.hex()
    return f"{text_shown}{more}"


def check_types(kind: Kind, obj: Object) -> None:
    """Raises ApiError 400 where a value is of another type than its field.

    Of a custom kind that is its metadata alone; its schema is loose.
    """
    if not kind.custom:
        decoded(kind, obj)
        return
    try:
        msgspec.convert(obj.get("metadata") or {}, _Metadata)
    except msgspec.ValidationError as error:
        raise bad_request(
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {error}'
        ) from None


def check_patched(kind: Kind, obj: Object) -> None:
    """Raises ApiError 422 where a patch has left something that is no object of its kind."""
    try:
        check_depth(obj)
    except UnreadableError as error:
        raise bad_request(str(error)) from None
    name = type_of_kind(kind.api_version, kind.kind)
    try:
        check_types(kind, obj)
    except ApiError:
        if name is None or not (why := first_misfit(name, obj)):
            raise
        sorted_once = {key: obj[key] for key in sorted(obj)}
        raise unfit_patch(msgspec.json.encode(sorted_once).decode(), why) from None


def unfit_patch(shown: str, why: str) -> ApiError:
    """422 of a patch whose result is no object of its kind; it names none."""
    cause = invalid_value("patch", shown, why)
    error = invalid(_NO_KIND, "", [cause])
    error.status["message"] = f' "" is invalid: patch: {cause["message"]}'
    error.status["details"] = {"causes": [dict(cause)]}
    return error


class _Metadata(msgspec.Struct):
    """What every part of the twin relies on."""

    name: str | None = None
    generateName: str | None = None  # noqa: N815 - the API's name
    namespace: str | None = None
    uid: str | None = None
    resourceVersion: str | None = None  # noqa: N815 - the API's name
    deletionTimestamp: str | None = None  # noqa: N815 - the API's name
    labels: dict[str, str | None] | None = None
    annotations: dict[str, str | None] | None = None
    finalizers: list[str] | None = None
    ownerReferences: list[dict[str, Any]] | None = None  # noqa: N815 - the API's name
    managedFields: list[dict[str, Any]] | None = None  # noqa: N815 - the API's name


def check_namespace(call: Call, obj: Object) -> Object:
    """The object in the namespace of the path. Raises ApiError 400 where it names another one."""
    asked, named = call.namespace, text(obj, "metadata", "namespace")
    if asked == named:
        return obj
    if named and asked:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    metadata = dict(at(obj, "metadata") or {})
    if asked:
        metadata["namespace"] = asked
    else:
        metadata.pop("namespace", None)
    return {**obj, "metadata": metadata}


def check_name(call: Call, obj: Object) -> None:
    """Raises ApiError 400 where an object is not the one that the path names."""
    name = text(obj, "metadata", "name")
    if not name:
        raise bad_request(
            f"the name of the object ({call.name} based on URL) was undeterminable: "
            "name must be provided"
        )
    if name != call.name:
        raise bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({call.name})"
        )

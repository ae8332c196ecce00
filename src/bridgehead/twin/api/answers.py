"""Objects, lists, tables and refusals as answers, in the form that the client asked for."""

from typing import Any

import msgspec

from bridgehead.twin.api.call import Call
from bridgehead.twin.api.encoding import Encodings, as_yaml, encoded, list_of
from bridgehead.twin.api.exchange import Answer, Request
from bridgehead.twin.api.listing import Page
from bridgehead.twin.api.negotiation import Form, form_of
from bridgehead.twin.api.options import Query
from bridgehead.twin.api.versions import served
from bridgehead.twin.errors import ApiError, bad_request
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import Registry
from bridgehead.twin.tables.table import Include, table

_INCLUDES: dict[str, Include] = {
    "": "Metadata",
    "Metadata": "Metadata",
    "Object": "Object",
    "None": "None",
}


class Answers:
    """Makes answers."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._encodings = Encodings(registry.store)

    def one(
        self, call: Call, obj: Object, *, status: int = 200, warnings: tuple[str, ...] = ()
    ) -> Answer:
        """An object of the call's kind."""
        if call.form.convert or call.form.format == "yaml" or call.form.pretty:
            value = self.converted(call, obj)
            return value_answer(value, call.form, status=status, warnings=warnings)
        body = self._encodings.whole(call.kind, obj) + b"\n"
        return Answer(status=status, body=body, warnings=warnings)

    def page(self, call: Call, page: Page, *, warnings: tuple[str, ...] = ()) -> Answer:
        """A list."""
        kind, form = call.kind, call.form
        if form.convert == "Table":
            value = self._table(call, page.objects, metadata=page.metadata)
            return value_answer(value, form, warnings=warnings)
        if form.convert:
            found: list[Any] = [_metadata_only(obj) for obj in page.objects]
            value = {
                "kind": "PartialObjectMetadataList",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": page.metadata,
                "items": found,
            }
            return value_answer(value, form, warnings=warnings)
        encode = self._encodings.item
        body = list_of(
            list_kind(kind),
            kind.api_version,
            page.metadata,
            [encode(kind, obj) for obj in page.objects],
        )
        if form.format == "yaml" or form.pretty:
            return value_answer(_decoded(body), form, warnings=warnings)
        return Answer(body=body, warnings=warnings)

    def converted(self, call: Call, obj: Object, *, headers: bool = True) -> Object:
        """An object as a table, as its metadata alone, or as it is. Raises ApiError: 400, 406.

        ``headers``: whether a table tells of its columns.
        """
        match call.form.convert:
            case "Table":
                return self._table(call, [obj], headers=headers)
            case "PartialObjectMetadata":
                return _metadata_only(obj)
            case "":
                return served(call.kind, obj)
            case other:
                message = (
                    f"you requested {other}, but the requested object is not a list "
                    f"(*{call.kind.group.partition('.')[0] or 'core'}.{call.kind.kind})"
                )
                raise ApiError(406, "NotAcceptable", message)

    def whole(self, kind: Kind, obj: Object) -> bytes:
        """An object's bytes."""
        return self._encodings.whole(kind, obj)

    def _table(
        self,
        call: Call,
        objects: list[Object],
        *,
        metadata: Object | None = None,
        headers: bool = True,
    ) -> Object:
        asked = Query(call.request).text("includeObject")
        if asked not in _INCLUDES:
            raise bad_request(
                "Unable to convert to Table as requested: includeObject: Invalid value: "
                f"\"{asked}\": must be 'Metadata', 'Object', 'None', or empty"
            )
        objects = [served(call.kind, obj) for obj in objects]
        return table(
            call.kind,
            objects,
            self._registry.clock.now(),
            include=_INCLUDES[asked],
            metadata=metadata,
            headers=headers,
        )


def list_kind(kind: Kind) -> str:
    """The kind of a list."""
    return f"{kind.kind}List"


def value_answer(
    value: Any, form: Form, *, status: int = 200, warnings: tuple[str, ...] = ()
) -> Answer:
    """A value in the form that is asked for."""
    if form.format == "yaml":
        return Answer(
            status=status, body=as_yaml(value), content_type="application/yaml", warnings=warnings
        )
    body = encoded(value)
    if form.pretty:
        body = _indented(body)
    return Answer(status=status, body=body + b"\n", warnings=warnings)


def refusal(error: ApiError, request: Request) -> Answer:
    """A refusal in the form that the client asked for, or in JSON where that cannot be."""
    try:
        form = form_of(request)
    except ApiError:
        form = Form(pretty=True)
    plain = Form(format=form.format, pretty=form.pretty)
    answer = value_answer(error.status, plain, status=error.code)
    return Answer(
        status=error.code,
        body=answer.body,
        content_type=answer.content_type,
        headers=error.headers,
    )


def _metadata_only(obj: Object) -> Object:
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": obj["metadata"],
    }


def _decoded(body: bytes) -> Any:
    return msgspec.json.decode(body)


def _indented(body: bytes) -> bytes:
    return msgspec.json.format(body, indent=2)

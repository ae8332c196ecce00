"""The four ways to change an object, by the content type of the request.

Source: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (1.37).
"""

from typing import Any

from bridgehead.twin.api.bodies import UnreadableError, media_type_of, read_json, read_yaml
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.exchange import Request
from bridgehead.twin.api.incoming import unfit_patch
from bridgehead.twin.api.options import WriteOptions
from bridgehead.twin.errors import ApiError, bad_request, not_found
from bridgehead.twin.objects import Object
from bridgehead.twin.patches.applying import applied
from bridgehead.twin.patches.go_text import go_text, json_name
from bridgehead.twin.patches.json_patch import json_patch
from bridgehead.twin.patches.merge_patch import merge_patch
from bridgehead.twin.patches.restoring import misfits
from bridgehead.twin.patches.strategic import strategic_merge
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.shapes import shape_of

_APPLY = "application/apply-patch+yaml"
_JSON = "application/json-patch+json"
_MERGE = "application/merge-patch+json"
_STRATEGIC = "application/strategic-merge-patch+json"


def is_apply(request: Request) -> bool:
    """Whether a patch is a server-side apply."""
    return media_type_of(request.headers.get("content-type", "")) == _APPLY


def patched(call: Call, old: Object | None, options: WriteOptions, registry: Registry) -> Object:
    """The object after the patch in a call's body; ``old`` is None where there is none yet.

    Raises ApiError: 400, 404, 409, 415, 422.
    """
    media_type = media_type_of(call.request.headers.get("content-type", ""))
    accepted = (_JSON, _MERGE, _APPLY) if call.kind.custom else (_JSON, _MERGE, _STRATEGIC, _APPLY)
    if media_type not in accepted:
        raise _unsupported(call, accepted)
    patch = _patch(call.request.body, media_type)
    if media_type == _APPLY:
        return _applied(call, old, patch, options, registry)
    if old is None:
        raise not_found(call.kind, call.name)
    if media_type == _JSON:
        return json_patch(old, patch)
    if media_type == _MERGE:
        return merge_patch(old, patch)
    shape = shape_of(call.kind)
    if shape is None:
        raise bad_request(f"unable to find api field in struct {call.kind.kind}")
    merged = strategic_merge(old, patch, shape)
    for why in misfits(shape, merged):
        raise unfit_patch(go_text(patch), why)
    return merged


def _unsupported(call: Call, accepted: tuple[str, ...]) -> ApiError:
    """415; the router of the built-in kinds answers shorter than the handler of custom ones."""
    if not call.kind.custom:
        return ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})
    message = (
        "the body of the request was in an unknown format - accepted media types include: "
        f"{', '.join(accepted)}"
    )
    return ApiError(415, "UnsupportedMediaType", message)


def _applied(
    call: Call, old: Object | None, patch: Any, options: WriteOptions, registry: Registry
) -> Object:
    if patch is not None and not isinstance(patch, dict):
        raise bad_request(
            "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot "
            f"unmarshal {json_name(patch)} into Go value of type map[string]interface {{}}"
        )
    return applied(
        old,
        patch or {},
        kind=call.kind,
        shape=shape_of(call.kind),
        manager=options.manager,
        force=options.force,
        subresource=call.address.subresource,
        now=registry.clock.timestamp(),
    )


def _patch(body: bytes, media_type: str) -> Any:
    try:
        return read_yaml(body) if media_type == _APPLY else read_json(body)
    except UnreadableError as error:
        if media_type == _APPLY:
            raise bad_request(_unread(body, error)) from None
        raise bad_request("invalid JSON patch") from None


def _unread(body: bytes, error: UnreadableError) -> str:
    """Why an apply is not read: what begins like JSON is tried a step later than other YAML."""
    if body.lstrip().startswith(b"{"):
        return f"error decoding patch: error converting YAML to JSON: {error}"
    return f"error encoding patch: {error}"

"""Fields that a kind does not have, and fields that are there twice: by the client's wish nothing,
a warning or a refusal.

Source: k8s.io/apiserver/pkg/endpoints/handlers/{create,update,patch}.go (fieldValidation) and
k8s.io/apimachinery/pkg/runtime/error.go (strict decoding error).
"""

import json
from typing import Any, Literal

from bridgehead.twin.errors import ApiError, bad_request, invalid
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, with_field
from bridgehead.twin.schema.custom.pruning import pruned
from bridgehead.twin.schema.gotypes import type_of_kind
from bridgehead.twin.schema.misfits import Written, repeated_fields, strict_mistakes
from bridgehead.twin.schema.validation.causes import invalid as invalid_value

Strictness = Literal["Ignore", "Warn", "Strict"]

STRATEGIC = "application/strategic-merge-patch+json"

_MOST = 100
"""As many mistakes are told as the server's decoder keeps."""


def body_warnings(kind: Kind, obj: Object, strictness: Strictness, body: bytes = b"") -> list[str]:
    """The warnings that the answer to a body carries.

    ``body``: the JSON text, where it may say a field twice. Raises ApiError 400 with ``Strict``.
    """
    if strictness == "Ignore":
        return []
    mistakes = _mistakes(kind, _written(body) or obj)
    if mistakes and strictness == "Strict":
        raise bad_request(
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: '
            f"strict decoding error: {', '.join(mistakes)}"
        )
    return mistakes


def patch_warnings(
    kind: Kind, obj: Object, strictness: Strictness, body: bytes = b"", media_type: str = ""
) -> list[str]:
    """The same of an object that a patch has made. Raises ApiError 422 with ``Strict``.

    ``body`` and ``media_type``: the patch, which may say a field twice.
    """
    if strictness == "Ignore":
        return []
    patch = _written(body)
    mistakes = [*dict.fromkeys(repeated_fields(patch)), *_mistakes(kind, obj)][:_MOST]
    if mistakes and strictness == "Strict":
        shown = go_map(patch) if media_type == STRATEGIC else _as_json(obj)
        raise _invalid_patch(shown, mistakes)
    return mistakes


def _mistakes(kind: Kind, obj: Object) -> list[str]:
    name = type_of_kind(kind.api_version, kind.kind)
    if name is not None:
        return list(dict.fromkeys(strict_mistakes(name, obj)))[:_MOST]
    paths: list[str] = []
    if kind.schema is not None:
        pruned(kind.schema.value, obj, paths)
    twice = dict.fromkeys(repeated_fields(obj))
    return [*twice, *(f'unknown field "{path}"' for path in paths)][:_MOST]


def _written(body: bytes) -> Any:
    """The value of a JSON text with what it repeats; None where it is no object in JSON."""
    if body[:1] != b"{":
        return None
    return json.loads(body, object_pairs_hook=Written)


def _as_json(obj: Object) -> str:
    """As Go writes a map: sorted, and safe to stand in HTML; without what managers did."""
    shown = with_field(obj, ("metadata", "managedFields"), None)
    text = json.dumps(dict(sorted(shown.items())), separators=(",", ":"), ensure_ascii=False)
    for letter, escaped in (("&", "\\u0026"), ("<", "\\u003c"), (">", "\\u003e")):
        text = text.replace(letter, escaped)
    return text


def go_map(value: Any) -> str:
    """A value as Go's ``%v`` prints it."""
    match value:
        case dict():
            inner = " ".join(f"{key}:{go_map(value[key])}" for key in sorted(value))
            return f"map[{inner}]"
        case list():
            return f"[{' '.join(go_map(item) for item in value)}]"
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


def _invalid_patch(shown: str, mistakes: list[str]) -> ApiError:
    cause = invalid_value("patch", shown, f"strict decoding error: {', '.join(mistakes)}")
    nothing = Kind(group="", version="", kind="", plural="")
    refusal = invalid(nothing, "", [cause])
    refusal.status["message"] = f' "" is invalid: {cause["field"]}: {cause["message"]}'
    refusal.status["details"] = {"causes": [dict(cause)]}
    return refusal

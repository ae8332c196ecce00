"""Fields that a kind does not have, and fields that are there twice: by the client's wish nothing,
a warning or a refusal.

Source: k8s.io/apiserver/pkg/endpoints/handlers/{create,update,patch}.go (fieldValidation) and
k8s.io/apimachinery/pkg/runtime/error.go (strict decoding error).
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from bridgehead.twin.errors import ApiError, bad_request, invalid
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object
from bridgehead.twin.schema.custom.pruning import pruned
from bridgehead.twin.schema.gotypes import type_of_kind
from bridgehead.twin.schema.misfits import unknown_fields
from bridgehead.twin.schema.validation.causes import invalid as invalid_value
from bridgehead.twin.schema.validation.causes import quoted

Strictness = Literal["Ignore", "Warn", "Strict"]

_MOST = 100
"""As many mistakes are told as the server's decoder keeps."""


def body_warnings(kind: Kind, obj: Object, strictness: Strictness, body: bytes = b"") -> list[str]:
    """The warnings that the answer to a body carries.

    ``body``: the JSON text, where it may say a field twice. Raises ApiError 400 with ``Strict``.
    """
    mistakes = _mistakes(kind, obj, strictness, body)
    if mistakes and strictness == "Strict":
        raise bad_request(
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: '
            f"strict decoding error: {', '.join(mistakes)}"
        )
    return mistakes


def patch_warnings(kind: Kind, obj: Object, strictness: Strictness) -> list[str]:
    """The same of an object that a patch has made. Raises ApiError 422 with ``Strict``."""
    mistakes = _mistakes(kind, obj, strictness, b"")
    if mistakes and strictness == "Strict":
        raise _invalid_patch(obj, mistakes)
    return mistakes


def _mistakes(kind: Kind, obj: Object, strictness: Strictness, body: bytes) -> list[str]:
    if strictness == "Ignore":
        return []
    paths = _unknown(kind, obj)
    mistakes = [f"unknown field {quoted(path)}" for path in dict.fromkeys(paths)]
    twice = dict.fromkeys(duplicate_fields(body)) if body[:1] == b"{" else ()
    return [*(f"duplicate field {quoted(path)}" for path in twice), *mistakes][:_MOST]


def _unknown(kind: Kind, obj: Object) -> list[str]:
    if kind.schema is not None:
        paths: list[str] = []
        pruned(kind.schema.value, obj, paths)
        return paths
    name = type_of_kind(kind.api_version, kind.kind)
    return unknown_fields(name, obj) if name else []


def _invalid_patch(obj: Object, mistakes: Sequence[str]) -> ApiError:
    shown = json.dumps(obj, separators=(",", ":"), ensure_ascii=False)
    cause = invalid_value("patch", shown, f"strict decoding error: {', '.join(mistakes)}")
    nothing = Kind(group="", version="", kind="", plural="")
    refusal = invalid(nothing, "", [cause])
    refusal.status["message"] = f' "" is invalid: {cause["field"]}: {cause["message"]}'
    return refusal


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as it is written, with every key as often as it is there."""


def duplicate_fields(body: bytes) -> Iterator[str]:
    """Paths of fields that a JSON text says more than once, in its order."""
    yield from _duplicates(json.loads(body, object_pairs_hook=_Pairs), "")


def _duplicates(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, inner in value:
            below = f"{path}.{key}" if path else key
            if key in seen:
                yield below
            seen.add(key)
            yield from _duplicates(inner, below)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _duplicates(inner, f"{path}[{number}]")

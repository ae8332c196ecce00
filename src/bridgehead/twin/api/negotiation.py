"""In which form a client wants its answer: JSON or YAML, as it is or as a table.

Source: k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go (1.37). Protobuf answers
are not made; a client that takes nothing else is refused.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from bridgehead.twin.api.exchange import Request
from bridgehead.twin.errors import ApiError

_FORMATS: dict[str, Literal["json", "yaml"]] = {
    "application/json": "json",
    "application/yaml": "yaml",
    "application/*": "json",
    "*/*": "json",
}
_PLAIN = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
_STREAMS = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
_CONVERSIONS = frozenset({"Table", "PartialObjectMetadata", "PartialObjectMetadataList"})
_PEOPLE = ("curl", "Wget", "Mozilla/5.0")
"""Programs whose users read what they get."""


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """The form of an answer."""

    format: Literal["json", "yaml"] = "json"
    convert: str = ""
    """``Table``, ``PartialObjectMetadata`` or its list, or nothing."""
    pretty: bool = False
    media_type: str = "application/json"
    """As the client named it, for answers that repeat it."""


class Clause(msgspec.Struct, frozen=True, kw_only=True):
    """One media type of an Accept header."""

    media_type: str
    parameters: dict[str, str]
    quality: float


def clauses_of(accept: str) -> list[Clause]:
    """What a header accepts, the best first."""
    return sorted(_clauses(accept), key=lambda clause: -clause.quality)


def _clauses(accept: str) -> Iterator[Clause]:
    for part in accept.split(","):
        media_type, *rest = (piece.strip() for piece in part.split(";"))
        if not media_type:
            continue
        pairs = (piece.partition("=") for piece in rest)
        parameters = {key.strip(): value.strip() for key, _, value in pairs}
        try:
            quality = float(parameters.pop("q", "1"))
        except ValueError:
            quality = 1.0
        yield Clause(media_type=media_type, parameters=parameters, quality=quality)


def form_of(request: Request, *, watch: bool = False, resource: bool = True) -> Form:
    """The form of the answer to a request. Raises ApiError 406.

    ``resource``: whether objects are answered, which can be converted and streamed.
    """
    accept = request.headers.get("accept", "")
    pretty = _is_pretty(request)
    if not accept:
        return Form(pretty=pretty)
    clauses = clauses_of(accept)
    for clause in clauses:
        wanted = _FORMATS.get(clause.media_type)
        if wanted is None:
            continue
        convert = clause.parameters.get("as", "")
        if convert and not (resource and convert in _CONVERSIONS):
            continue
        if watch and wanted == "yaml":
            raise _not_acceptable(f"only the following media types are accepted: {_STREAMS}")
        return Form(format=wanted, convert=convert, pretty=pretty)
    if any(_is_spoken(clause.media_type) for clause in clauses):
        supported = _STREAMS if watch else _PLAIN
        raise _not_acceptable(f"only the following media types are accepted: {supported}")
    available = f"{_PLAIN}, {_STREAMS}" if resource else _PLAIN
    message = f"406: Not Acceptable\n\nAvailable representations: {available}"
    raise ApiError(406, "NotAcceptable", message, {})


def _is_spoken(media_type: str) -> bool:
    return media_type in _FORMATS or media_type == "application/vnd.kubernetes.protobuf"


def _not_acceptable(message: str) -> ApiError:
    return ApiError(406, "NotAcceptable", message)


def _is_pretty(request: Request) -> bool:
    for key, value in request.query:
        if key == "pretty":
            return value in {"1", "t", "T", "true", "TRUE", "True"}
    return request.headers.get("user-agent", "").startswith(_PEOPLE)

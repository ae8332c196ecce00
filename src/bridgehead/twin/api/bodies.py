"""What a client sends: JSON, YAML or protobuf to values, and the API's words where it is none.

Source: k8s.io/apimachinery/pkg/runtime/serializer (1.37).
"""

import json
from typing import Any

import msgspec
import yaml

from bridgehead.twin.errors import ApiError, bad_request
from bridgehead.twin.objects import Object
from bridgehead.twin.schema.protobuf import ProtobufError, read_protobuf

LARGEST = 3 * 1024 * 1024
"""Bytes of a body. Source: MaxRequestBodyBytes of k8s.io/apiserver/pkg/server/config.go."""

NO_HEADER = "couldn't get version/kind; json parse error: "
_HEADER = (
    "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string "
    '"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }}'
)
_NESTED = 150
"""Depth of a value that is still read; the real server stops at 10,000."""
_EXPANDED = 1_000_000
"""Values of an object: aliases of YAML and copies of a JSON patch can make many out of few."""


class UnreadableError(ValueError):
    """A body that is not what its content type says."""


def media_type_of(content_type: str) -> str:
    """A content type without its parameters."""
    return content_type.split(";", 1)[0].strip().lower()


def too_large() -> ApiError:
    """413 of a body beyond the limit."""
    message = f"Request entity too large: limit is {LARGEST}"
    return ApiError(413, "RequestEntityTooLarge", message)


def unsupported_media_type() -> ApiError:
    """415 of a body that is neither JSON, YAML nor protobuf."""
    return ApiError(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf",
    )


def read_json(body: bytes) -> Any:
    """The value of a JSON text. Raises UnreadableError in Go's words."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UnreadableError(_json_complaint(body)) from None
    except RecursionError:
        raise UnreadableError("exceeded max depth") from None
    check_depth(value)
    return value


def _json_complaint(body: bytes) -> str:
    """Where and why Go's decoder would stop."""
    # Go shows a byte that is no character as the letter of that number.
    text = body.decode("latin-1")
    try:
        json.loads(text)
    except RecursionError:
        return "exceeded max depth"
    except json.JSONDecodeError as error:
        place = error.pos
        while place < len(text) and text[place] in " \t\r\n":
            place += 1
        if place >= len(text) or "Unterminated string" in error.msg:
            return "unexpected end of JSON input"
        letter = text[place]
        shown = "'\\''" if letter == "'" else f"'{letter}'"
        return f"invalid character {shown} {_expected(error.msg)}"
    return "invalid UTF-8 in a string"


def _expected(complaint: str) -> str:
    if "Extra data" in complaint:
        return "after top-level value"
    if "property name" in complaint:
        return "looking for beginning of object key string"
    if "':' delimiter" in complaint:
        return "after object key"
    if "',' delimiter" in complaint:
        return "after object key:value pair"
    if "escape" in complaint:
        return "in string escape code"
    if "control character" in complaint:
        return "in string literal"
    return "looking for beginning of value"


def check_depth(value: Any) -> None:
    """Raises UnreadableError of what could exhaust the stack, or the memory, of who works on it."""
    level, seen = [value], 0
    for _ in range(_NESTED):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
        seen += len(level)
        if seen > _EXPANDED:
            raise UnreadableError("exceeded max size")
    raise UnreadableError("exceeded max depth")


class _Loader(yaml.CSafeLoader):
    """YAML as JSON: timestamps stay text."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, form) for tag, form in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for letter, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def read_yaml(body: bytes) -> Any:
    """The value of a YAML text as JSON has it. Raises UnreadableError."""
    try:
        value = yaml.load(body, _Loader)  # noqa: S506 - a subclass of the safe loader
    except yaml.MarkedYAMLError as error:
        raise UnreadableError(f"yaml: {_where(error)}{error.problem}") from None
    except yaml.reader.ReaderError as error:
        raise UnreadableError(f"yaml: {error.reason}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise UnreadableError(f"yaml: {error}") from None
    except RecursionError:
        raise UnreadableError("yaml: exceeded max depth") from None
    return _Plain().value(value)


def _where(error: yaml.MarkedYAMLError) -> str:
    """The line as Go's parser tells it. Source: ``fail`` of go.yaml.in/yaml/v2/decode.go."""
    line = error.problem_mark.line if error.problem_mark else 0
    if line and isinstance(error, yaml.scanner.ScannerError):
        line += 1
    if not line and error.context_mark:
        line = error.context_mark.line
    return f"line {line}: " if line else ""


class _Plain:
    """Makes a YAML value one of JSON, and refuses what its aliases would blow up."""

    def __init__(self) -> None:
        self._seen = 0

    def value(self, value: Any, depth: int = 0) -> Any:
        self._seen += 1
        if self._seen > _EXPANDED:
            raise UnreadableError("yaml: document contains excessive aliasing")
        if depth > _NESTED:
            raise UnreadableError("yaml: exceeded max depth")
        if isinstance(value, dict):
            return {_key(key): self.value(inner, depth + 1) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.value(inner, depth + 1) for inner in value]
        if value is None or isinstance(value, str | int | float | bool):
            return value
        raise UnreadableError(f"yaml: a value of type {type(value).__name__} is not JSON")


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, str | int | float):
        return str(key)
    raise UnreadableError(f"yaml: unsupported map key of type {type(key).__name__}")


def read_header(value: Any) -> tuple[str, str]:
    """``apiVersion`` and ``kind`` of a decoded body. Raises UnreadableError."""
    if value is None:
        return "", ""
    if not isinstance(value, dict):
        raise UnreadableError(f"{NO_HEADER}{_HEADER.format(_go_type(value))}")
    found = []
    for key in ("apiVersion", "kind"):
        inner = value.get(key)
        if inner is not None and not isinstance(inner, str):
            raise UnreadableError(
                f"{NO_HEADER}json: cannot unmarshal {_go_type(inner)} into Go struct field "
                f".{key} of type string"
            )
        found.append(inner or "")
    return found[0], found[1]


def _go_type(value: Any) -> str:
    match value:
        case bool():
            return "bool"
        case str():
            return "string"
        case int() | float():
            return "number"
        case list():
            return "array"
        case _:
            return "object"


def parse_json(body: bytes) -> Any:
    """The value of a body that names a kind. Raises UnreadableError."""
    try:
        return read_json(body)
    except UnreadableError as error:
        raise UnreadableError(f"{NO_HEADER}{error}") from None


def read_options(body: bytes, content_type: str) -> Object:
    """The value of a body of options, such as DeleteOptions. Raises ApiError: 400, 415."""
    media_type = media_type_of(content_type) or "application/json"
    try:
        match media_type:
            case "application/json":
                value = parse_json(body)
            case "application/yaml":
                value = read_yaml(body)
            case "application/vnd.kubernetes.protobuf":
                value = parse_protobuf(body)
            case _:
                raise unsupported_media_type()
        read_header(value)
    except UnreadableError as error:
        raise bad_request(str(error)) from None
    return value or {}


def parse_protobuf(body: bytes) -> Any:
    """The value of a body in protobuf. Raises UnreadableError."""
    try:
        return read_protobuf(body)
    except ProtobufError as error:
        raise UnreadableError(str(error)) from None

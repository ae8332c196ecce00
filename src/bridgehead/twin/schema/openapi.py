"""OpenAPI v3 as the API server serves it: an index of documents, one for each group version.

Source: k8s.io/kube-openapi/pkg/handler3/handler.go. Documents of built-in groups are recorded ones;
those of custom kinds are made of their definitions (``custom.documents``).
"""

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.recorded import recorded

_SUFFIX = ".json.xz"


class OpenApi:
    """The documents of built-in groups, and beside them those of custom kinds."""

    def __init__(self, custom: Callable[[], Mapping[str, Object]] = dict) -> None:
        """``custom``: documents of custom groups as they are now, by ``apis/GROUP/VERSION``."""
        self._custom = custom

    def index(self) -> Object:
        """The answer of ``/openapi/v3``: every group version and where its document is."""
        paths = {path: _entry(path, _digest(path)) for path in _builtin_paths()}
        for path, document in self._custom().items():
            content = msgspec.json.encode(document, order="deterministic")
            paths[path] = _entry(path, _hash(content))
        return {"paths": dict(sorted(paths.items()))}

    def document(self, path: str) -> Object | None:
        """The document of ``api/v1`` or ``apis/GROUP/VERSION``; None where there is none."""
        if path in _builtin_paths():
            return _recorded(path)
        return self._custom().get(path)


def _entry(path: str, digest: str) -> dict[str, str]:
    return {"serverRelativeURL": f"/openapi/v3/{path}?hash={digest}"}


@cache
def _builtin_paths() -> tuple[str, ...]:
    folder = files("bridgehead.twin.schema") / "data" / "openapi"
    names = (file.name for file in folder.iterdir() if file.name.endswith(_SUFFIX))
    return tuple(sorted(name.removesuffix(_SUFFIX).replace("__", "/") for name in names))


def _recorded(path: str) -> dict[str, Any]:
    return recorded(f"openapi/{path.replace('/', '__')}")


@cache
def _digest(path: str) -> str:
    """Of the compressed file: it changes with the document, and needs no decoding."""
    name = f"{path.replace('/', '__')}{_SUFFIX}"
    return _hash((files("bridgehead.twin.schema") / "data" / "openapi" / name).read_bytes())


def _hash(content: bytes) -> str:
    return hashlib.sha512(content).hexdigest().upper()

"""Reads the recorded answers of a real API server; each file once, when it is first asked for."""

import lzma
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec


@cache
def recorded(name: str) -> dict[str, Any]:
    """The value of one file, such as ``discovery`` or ``openapi/apis__apps__v1``.

    Belongs to everybody: never change it. Raises FileNotFoundError where there is none.
    """
    file = files("bridgehead.twin.schema") / "data" / f"{name}.json.xz"
    value: dict[str, Any] = msgspec.json.decode(lzma.decompress(file.read_bytes()))
    return value


@cache
def recorded_bytes(name: str) -> bytes:
    """The content of a file that is no JSON, such as ``openapi_v2.pb``."""
    file = files("bridgehead.twin.schema") / "data" / f"{name}.xz"
    return lzma.decompress(file.read_bytes())

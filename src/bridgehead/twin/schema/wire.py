"""The wire format of protobuf: a message as the values of its numbered fields.

Source: https://protobuf.dev/programming-guides/encoding/.
"""

from collections.abc import Iterator
from typing import TypeAlias

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

Value: TypeAlias = int | bytes
"""A number of any kind, or what has a length: text, bytes, a message."""


class WireError(ValueError):
    """Bytes that are no message."""


def fields_of(message: bytes) -> Iterator[tuple[int, Value]]:
    """Numbers and values in the order of the message. Raises WireError."""
    position, end = 0, len(message)
    while position < end:
        tag, position = _varint(message, position)
        number, kind = tag >> 3, tag & 7
        if number == 0:
            raise WireError(f"illegal tag {number} (wire type {tag})")
        if kind == _VARINT:
            value, position = _varint(message, position)
            yield number, value
            continue
        if kind == _BYTES:
            length, position = _varint(message, position)
        elif kind in {_FIXED64, _FIXED32}:
            length = 8 if kind == _FIXED64 else 4
        else:
            raise WireError(f"illegal wireType {kind}")
        if position + length > end:
            raise WireError("unexpected EOF")
        yield number, message[position : position + length]
        position += length


def packed(message: bytes) -> Iterator[int]:
    """The numbers of a packed list. Raises WireError."""
    position = 0
    while position < len(message):
        value, position = _varint(message, position)
        yield value


def signed(value: int) -> int:
    """A number of 64 bits as one that may be negative."""
    return value - (1 << 64) if value >= 1 << 63 else value


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        if position >= len(message):
            raise WireError("unexpected EOF")
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & ((1 << 64) - 1), position
        shift += 7
        if shift >= 64:
            raise WireError("proto: integer overflow")

"""The value of a JSON file.

Decoded by msgspec, because recorded states of large clusters are large; it does not know lines.
"""

import json
import re
from collections.abc import Iterator

import msgspec

from bridgehead.core.model.json import JsonValue
from bridgehead.sources.parsed import Parsed, TextError


class _Items(msgspec.Struct):
    """The entries of a list, still as text."""

    items: list[msgspec.Raw] = []


def json_document(text: str) -> Parsed:
    """The document of a file; raises TextError."""
    data = text.encode()
    try:
        value: JsonValue = msgspec.json.decode(data)
        return Parsed(value, item_lines=tuple(_item_lines(data)))
    except (msgspec.DecodeError, RecursionError) as error:
        raise _with_place(text, str(error)) from None


def whole_items(text: str) -> Parsed | None:
    """Of a list whose file breaks off, the entries before the break; None for what is no list.

    A dump that was interrupted is such a file: what stands in it whole is as good as ever.
    """
    found = _ITEMS.search(text)
    if found is None:
        return None
    head = _head(text[: found.start()])
    decoder, items, lines, place = json.JSONDecoder(), [], [], found.end()
    while (begin := _START.match(text, place)) is not None:
        try:
            item, place = decoder.raw_decode(text, begin.end() - 1)
        except (json.JSONDecodeError, RecursionError):
            break
        items.append(item)
        lines.append(text.count("\n", 0, begin.end()) + 1)
    return Parsed({**head, "items": items}, item_lines=tuple(lines))


_ITEMS = re.compile(r'"items"\s*:\s*\[')
_START = re.compile(r"[\s,]*\{")
_KIND = re.compile(r'"(kind|apiVersion)"\s*:\s*"([^"]*)"')


def _head(before: str) -> dict[str, JsonValue]:
    """Kind and version of the list, if they stand before its entries; else it is a plain List."""
    found: dict[str, JsonValue] = dict(_KIND.findall(before))
    return {"kind": "List", "apiVersion": "v1", **found}


def _item_lines(data: bytes) -> Iterator[int]:
    try:
        raw_items = msgspec.json.decode(data, type=_Items).items
    except msgspec.ValidationError:
        return
    line, position = 1, 0
    for raw in raw_items:
        # Only a comma and white space lie between entries, so the next equal text is the entry.
        entry = bytes(raw)
        found = data.index(entry, position)
        line += data.count(b"\n", position, found)
        yield line
        line += entry.count(b"\n")
        position = found + len(entry)


def _with_place(text: str, reason: str) -> TextError:
    """The same error with line and column, which the standard library knows."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return TextError(error.msg, error.lineno, error.colno)
    except RecursionError:
        return TextError("it is nested too deeply", 1, 1)
    return TextError(reason, 1, 1)

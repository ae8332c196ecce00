"""What the readers of YAML and JSON give: a value with its lines, or a reason with its place."""

from collections.abc import Mapping

import msgspec

from bridgehead.core.findings.manifest import Path, Place
from bridgehead.core.model.json import JsonValue


class Parsed(msgspec.Struct, frozen=True):
    """One document of a file: its value, its line, and the line of each entry of its ``items``.

    ``places`` has the line and column of every key and list entry, where they were asked for.
    """

    value: JsonValue
    line: int = 1
    item_lines: tuple[int, ...] = ()
    places: Mapping[Path, Place] = {}


class TextError(ValueError):
    """Text that cannot stand for API objects; line and column count from 1."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column

"""What the readers of YAML and JSON give: a value with its lines, or a reason with its place."""

import msgspec

from bridgehead.core.model.json import JsonValue


class Parsed(msgspec.Struct, frozen=True):
    """One document of a file: its value, its line, and the line of each entry of its ``items``."""

    value: JsonValue
    line: int = 1
    item_lines: tuple[int, ...] = ()


class TextError(ValueError):
    """Text that cannot stand for API objects; line and column count from 1."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column

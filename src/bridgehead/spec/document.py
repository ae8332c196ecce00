"""A YAML document that was read: its plain value, and the place of each of its parts."""

import msgspec

from bridgehead.core.model.problem import Problem
from bridgehead.spec.scalar import Scalar, Value

Path = tuple[str | int, ...]


class Place(msgspec.Struct, frozen=True):
    """Where something begins; line and column count from 1."""

    line: int
    column: int


START = Place(1, 1)


class Document(msgspec.Struct, frozen=True):
    """One mapping: ``value`` holds what could be read, ``problems`` what could not.

    A value in ``refused`` was written and could not be used: what was kept of it means nothing.
    ``scalars`` says how each scalar was written, ``keys`` and ``values`` where each part begins.
    """

    source: str
    lines: tuple[str, ...]
    value: dict[str, Value]
    scalars: dict[Path, Scalar]
    keys: dict[Path, Place]
    values: dict[Path, Place]
    problems: tuple[Problem, ...]
    refused: frozenset[Path]

    def get(self, *path: str | int) -> Value:
        """The value at a path, None where there is none."""
        value: Value = self.value
        for part in path:
            if isinstance(value, dict) and isinstance(part, str):
                value = value.get(part)
            elif isinstance(value, list) and isinstance(part, int) and part < len(value):
                value = value[part]
            else:
                return None
        return value

    def has(self, *path: str | int) -> bool:
        """Whether a value was written at a path."""
        return path in self.values

    def at_value(self, path: Path, message: str, suggestion: str | None = None) -> Problem:
        """A problem with the value at a path."""
        return self._problem(self._place(path), path, message, suggestion)

    def at_key(self, path: Path, message: str, suggestion: str | None = None) -> Problem:
        """A problem with the key at a path."""
        return self._problem(self.keys.get(path, self._place(path)), path, message, suggestion)

    def inside(self, path: Path, offset: int, message: str) -> Problem:
        """A problem with the character ``offset`` of the text at a path.

        Where the text was folded or escaped, its beginning is shown.
        """
        place, scalar = self._place(path), self.scalars[path]
        begin = place.column - 1 + scalar.quoted
        if self._line(place.line)[begin:].startswith(scalar.text):
            place = Place(place.line, begin + 1 + offset)
        return self._problem(place, path, message, None)

    def _place(self, path: Path) -> Place:
        if path in self.values:
            return self.values[path]
        # Something is missing: the key of its nearest parent is shown.
        while path and path not in self.values:
            path = path[:-1]
        return self.keys.get(path, self.values.get(path, START))

    def _line(self, number: int) -> str:
        return self.lines[number - 1] if number <= len(self.lines) else ""

    def _problem(
        self, place: Place, path: Path, message: str, suggestion: str | None = None
    ) -> Problem:
        return Problem(
            file=self.source,
            line=place.line,
            column=place.column,
            path=path_text(path),
            message=message,
            suggestion=suggestion,
            excerpt=self._line(place.line),
        )


def path_text(path: Path) -> str:
    """A path as people write it: ``waves[1].nodes``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text

"""YAML text becomes a document with places.

PyYAML accepts a key that stands twice and forgets where values were written. So its C parser only
composes the tree of nodes, and the values are made here; everything that is wrong with the YAML
itself is collected and the rest is still read.
"""

import re

import yaml

from bridgehead.core.model.problem import Problem
from bridgehead.spec.document import START, Document, Path, Place, path_text
from bridgehead.spec.scalar import Scalar, ScalarError, Value, misread, read_scalar

# No key of a spec lies deeper than six levels; aliases can nest values without end.
_DEEPEST = 20
# Aliases can also make a few lines stand for millions of values.
_MOST_VALUES = 20_000
_LONGEST_TEXT = 1_000_000
_COLLECTIONS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_MERGE = "tag:yaml.org,2002:merge"
_LINE_END = re.compile(r"\r\n|\r|\n")


def compose(text: str, source: str) -> Document:
    """Read the one document of a text; ``source`` is its name in messages."""
    composer = _Composer(text, source)
    composer.read(text)
    return composer.document()


class _Composer:
    """Gathers the parts of one document while its nodes are walked."""

    def __init__(self, text: str, source: str) -> None:
        self._source = source
        self._lines = tuple(_LINE_END.split(text))
        self._value: dict[str, Value] = {}
        self._scalars: dict[Path, Scalar] = {}
        self._keys: dict[Path, Place] = {}
        self._values: dict[Path, Place] = {}
        self._problems: list[Problem] = []
        self._refused: set[Path] = set()

    def document(self) -> Document:
        return Document(
            source=self._source,
            lines=self._lines,
            value=self._value,
            scalars=self._scalars,
            keys=self._keys,
            values=self._values,
            problems=tuple(self._problems),
            refused=frozenset(self._refused),
        )

    def read(self, text: str) -> None:
        if len(text) > _LONGEST_TEXT:
            self._report(START, (), "the file is larger than 1 MB: is it a rollout?")
            return
        try:
            roots = _roots(text)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            while_ = f" {error.context}" if error.context else ""
            message = f"this is no YAML: {error.problem}{while_}"
            self._report(_place(mark) if mark else START, (), message)
            return
        except yaml.reader.ReaderError:
            message = "this is no YAML: a control character must not occur in it"
            self._report(_control_character(text), (), message)
            return
        if not roots:
            self._report(START, (), "the file is empty: a rollout begins with apiVersion and kind")
        for root in roots[1:]:
            message = "a second YAML document begins here: write one rollout a file"
            self._report(_place(root.start_mark), (), message)
        for root in roots[:1]:
            self._root(root)

    def _root(self, root: yaml.Node) -> None:
        place = _place(root.start_mark)
        if isinstance(root, yaml.MappingNode):
            self._values[()] = place
            self._value = self._mapping((), root)
        else:
            self._report(place, (), "a rollout is a mapping that begins with apiVersion and kind")

    def _read(self, path: Path, node: yaml.Node) -> Value:
        place = self._values[path] = _place(node.start_mark)
        if len(path) > _DEEPEST or len(self._values) > _MOST_VALUES:
            # Said once: every further value would say the same.
            if not any(problem.path == "" for problem in self._problems):
                self._report(place, (), "this is too large or too deeply nested for a rollout")
            self._refused.add(path)
            return None
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(path, node)
        if node.tag not in _COLLECTIONS:
            self._refuse(path, f"{path_text(path)}: the tag {node.tag} is not supported")
            return None
        if isinstance(node, yaml.MappingNode):
            return self._mapping(path, node)
        return [self._read((*path, index), item) for index, item in enumerate(node.value)]

    def _mapping(self, path: Path, node: yaml.MappingNode) -> dict[str, Value]:
        mapping: dict[str, Value] = {}
        for key_node, value_node in node.value:
            place = _place(key_node.start_mark)
            if not isinstance(key_node, yaml.ScalarNode):
                self._report(place, path, "a key must be a plain text")
                continue
            inner = (*path, key_node.value)
            if key_node.tag == _MERGE:
                self._report(place, inner, "merge keys (<<) are not supported: write the keys out")
            elif inner in self._keys:
                line = self._keys[inner].line
                message = f"{path_text(inner)} stands twice, first in line {line}"
                self._report(place, inner, message, "keep one of them")
            else:
                self._keys[inner] = place
                mapping[key_node.value] = self._read(inner, value_node)
        return mapping

    def _scalar(self, path: Path, node: yaml.ScalarNode) -> Value:
        name = path_text(path)
        try:
            scalar = read_scalar(node)
        except ScalarError as error:
            self._refuse(path, f"{name}: {error}")
            return None
        self._scalars[path] = scalar
        if scalar.value is None:
            suggestion = "write one, or remove the key to get its default"
            self._refuse(path, f"{name} has no value", suggestion)
        if reason := misread(scalar):
            suggestion = "write the number meant, or put a text in quotes"
            self._refuse(path, f"{name}: {reason}", suggestion)
        return scalar.value

    def _refuse(self, path: Path, message: str, suggestion: str | None = None) -> None:
        """Report a value; one without any text of its own is shown by its key."""
        empty = path in self._scalars and not self._scalars[path].text
        place = self._keys.get(path, self._values[path]) if empty else self._values[path]
        self._refused.add(path)
        self._report(place, path, message, suggestion)

    def _report(
        self, place: Place, path: Path, message: str, suggestion: str | None = None
    ) -> None:
        line = self._lines[place.line - 1] if place.line <= len(self._lines) else ""
        self._problems.append(
            Problem(
                file=self._source,
                line=place.line,
                column=place.column,
                path=path_text(path),
                message=message,
                suggestion=suggestion,
                excerpt=line,
            )
        )


def _roots(text: str) -> list[yaml.Node]:
    """The documents that hold anything; raises what PyYAML raises."""
    loader = yaml.CSafeLoader(text)
    nodes: list[yaml.Node] = []
    try:
        while loader.check_node():
            node = loader.get_node()
            if node is not None and not _is_nothing(node):
                nodes.append(node)
    finally:
        loader.dispose()
    return nodes


def _is_nothing(node: yaml.Node) -> bool:
    """Whether a document is empty, as after a closing ``---``."""
    return isinstance(node, yaml.ScalarNode) and node.value == "" and not node.style


def _place(mark: yaml.Mark) -> Place:
    return Place(mark.line + 1, mark.column + 1)


def _control_character(text: str) -> Place:
    """The first character that YAML refuses."""
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    before = text[: found.start()] if found else ""
    return Place(before.count("\n") + 1, len(before) - before.rfind("\n"))

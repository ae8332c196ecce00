"""The documents of a YAML file as plain values, each with its line.

Read as kubectl reads YAML where that differs from PyYAML (sigs.k8s.io/yaml, a fork of go-yaml 2):
dates and ``1:30`` are texts, ``1e3`` is a number, and every key is a text.
"""

import re
from collections.abc import Iterator

import yaml

from bridgehead.core.findings.manifest import Path, Place
from bridgehead.core.model.json import JsonValue
from bridgehead.sources.parsed import Parsed, TextError

# An object that holds itself through an alias has no end; no API object is so deep.
_DEEPEST = 100
# A file of 8 MiB that is nothing but short values has fewer. Aliases of aliases can stand for any
# number of values in a few lines ("billion laughs").
_MOST = 4_000_000
_TAGS = "tag:yaml.org,2002:"
# yamlStyleFloat and resolve() of go-yaml 2.
_INT = re.compile(r"[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*)$")
_FLOAT = re.compile(
    r"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$"
)


class _Loader(yaml.CSafeLoader):
    """PyYAML's C loader with kubectl's reading of plain texts."""


_REPLACED = {f"{_TAGS}{name}" for name in ("int", "float", "timestamp", "value")}
_Loader.yaml_implicit_resolvers = {
    first: [entry for entry in entries if entry[0] not in _REPLACED]
    for first, entries in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
# The first pattern that matches wins.
_Loader.add_implicit_resolver(f"{_TAGS}int", _INT, list("-+0123456789"))
_Loader.add_implicit_resolver(f"{_TAGS}float", _FLOAT, list("-+0123456789."))


def yaml_documents(text: str, *, with_places: bool = False) -> Iterator[Parsed]:
    """The documents in their order; raises TextError at the first that cannot be read.

    With places, each comes with the line and column of all its keys and list entries.
    """
    try:
        loader = _Loader(text)
        try:
            while loader.check_node():
                node = loader.get_node()
                if node is not None:
                    if "*" in text:
                        _check_size(node)
                    yield _document(loader, node, with_places)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        context = f" {error.context}" if error.context else ""
        raise TextError(f"{error.problem}{context}", line + 1, column + 1) from None
    except yaml.reader.ReaderError:
        line, column = _control_character(text)
        raise TextError("a control character must not occur in it", line, column) from None


def _document(loader: _Loader, node: yaml.Node, with_places: bool) -> Parsed:
    line = node.start_mark.line + 1
    try:
        value = _plain(loader.construct_document(node), 0)
    except (ValueError, RecursionError) as error:
        raise TextError(str(error), line, node.start_mark.column + 1) from None
    except (
        LookupError,
        AttributeError,
        TypeError,
    ):  # PyYAML's, of a tag on a value of another sort
        reason = "a value is none of what its tag (!!) says"
        raise TextError(reason, line, node.start_mark.column + 1) from None
    places = dict(_places(node, ())) if with_places else {}
    return Parsed(value, line, tuple(_item_lines(node)), places)


def _check_size(root: yaml.Node) -> None:
    """Raises TextError where aliases make more of a document than anybody would write."""
    try:
        size = _size(root, {})
    except RecursionError:
        return  # it is told as nested too deeply when it is read
    if size > _MOST:
        line, column = root.start_mark.line + 1, root.start_mark.column + 1
        raise TextError("its aliases stand for more values than can be read", line, column)


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """How many values a node stands for, with all that its aliases repeat."""
    if id(node) not in known:
        known[id(node)] = 1  # for a node that holds itself, which is told when it is read
        parts: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            parts = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            parts = node.value
        known[id(node)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(node)]


def _places(node: yaml.Node, path: Path) -> Iterator[tuple[Path, Place]]:
    """Where each key and list entry begins; what an alias stands for, where it is written."""
    if len(path) > _DEEPEST:
        return
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*path, str(key.value))
            yield inner, (key.start_mark.line + 1, key.start_mark.column + 1)
            yield from _places(value, inner)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            inner = (*path, number)
            yield inner, (value.start_mark.line + 1, value.start_mark.column + 1)
            yield from _places(value, inner)


def _item_lines(node: yaml.Node) -> Iterator[int]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == "items" and isinstance(value, yaml.SequenceNode):
                yield from (item.start_mark.line + 1 for item in value.value)


def _plain(value: object, depth: int) -> JsonValue:
    """The value as JSON would hold it; raises ValueError for what JSON cannot hold."""
    if depth > _DEEPEST:
        raise ValueError("it is nested too deeply, or holds itself")
    match value:
        case dict():
            return {_key(key): _plain(inner, depth + 1) for key, inner in value.items()}
        case list():
            return [_plain(inner, depth + 1) for inner in value]
        case bool() | int() | float() | str() | None:
            return value
        case _:
            raise ValueError(f"it holds a {type(value).__name__}, which no API object can")


def _key(key: object) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def _control_character(text: str) -> tuple[int, int]:
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    before = text[: found.start()] if found else ""
    return before.count("\n") + 1, len(before) - before.rfind("\n")

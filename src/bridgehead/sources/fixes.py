"""Fixes written into the files they are about: the text is edited, and never written anew.

Comments, order and layout stay. Every edit is proven before it is handed out: the edited text is
read again, and must say what it said before but for the one value. An edit that cannot be proven
(an anchor that others use, a value within a template) is not made, and told.
"""

import json
from collections.abc import Iterator
from copy import deepcopy

import msgspec
import yaml

from bridgehead.core.findings.manifest import Fix, Path
from bridgehead.core.model.json import JsonValue, canonical
from bridgehead.sources.parsed import TextError
from bridgehead.sources.positions import is_json
from bridgehead.sources.yaml_file import yaml_documents

_STEP = 2
"""Spaces by which new blocks are indented."""


class Edit(msgspec.Struct, frozen=True):
    """A piece of a text, from ``begin`` to before ``end``, and what takes its place."""

    begin: int
    end: int
    text: str


class NotFixableError(Exception):
    """Why a fix cannot be written into a text."""


def fixed(content: str, line: int, fix: Fix, *, as_json: bool = False) -> str:
    """The text with the fix in the object that begins at a line; raises NotFixableError."""
    documents = _nodes(content)
    for number, root in enumerate(documents):
        for base, node in _objects(root):
            if node.start_mark.line + 1 == line:
                edit = _edit(content, node, fix)
                edited = content[: edit.begin] + edit.text + content[edit.end :]
                _prove(content, edited, number, (*base, *fix.path), fix.value)
                if as_json and not is_json(edited):
                    raise NotFixableError("it would be no JSON any more: change it by hand")
                return edited
    raise NotFixableError(f"no object begins at line {line} any more")


def _nodes(content: str) -> list[yaml.Node]:
    try:
        found = yaml.compose_all(content, yaml.CSafeLoader)
        return [node for node in found if node is not None]
    except yaml.YAMLError as error:
        raise NotFixableError(f"the file is no YAML any more: {error}") from None


def _objects(root: yaml.Node) -> Iterator[tuple[Path, yaml.MappingNode]]:
    """The object of a document, and those of a list, with their paths in the document."""
    if not isinstance(root, yaml.MappingNode):
        return
    for key, value in root.value:
        if key.value == "items" and isinstance(value, yaml.SequenceNode):
            for number, item in enumerate(value.value):
                if isinstance(item, yaml.MappingNode):
                    yield ("items", number), item
    yield (), root


def _edit(content: str, root: yaml.MappingNode, fix: Fix) -> Edit:
    """The one change of the text that makes the value at the path what it should be."""
    node: yaml.Node = root
    for depth, step in enumerate(fix.path):
        found = _entry(node, step)
        if found is None:
            if fix.value is None:
                raise NotFixableError("what should be removed is not there any more")
            return _added(content, node, fix.path[depth:], fix.value)
        key, value = found
        if depth == len(fix.path) - 1:
            if fix.value is None:
                return _removed(content, node, key, value)
            return _replaced(value, fix.value)
        node = value
    raise NotFixableError("the fix names no value")


def _entry(node: yaml.Node, step: str | int) -> tuple[yaml.Node | None, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode) and isinstance(step, str):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None


def _replaced(node: yaml.Node, value: object) -> Edit:
    if not isinstance(node, yaml.ScalarNode) and not _is_flow(node):
        raise NotFixableError("the value is written over several lines: change it by hand")
    begin, end = node.start_mark.index, node.end_mark.index
    text = _flow(value)
    if begin == end:  # a key without a value
        text = f" {text}"
    return Edit(begin, end, text)


def _removed(content: str, parent: yaml.Node, key: yaml.Node | None, value: yaml.Node) -> Edit:
    """The lines of the entry go, if they hold nothing else."""
    if key is None or _is_flow(parent) or len(parent.value) == 1:
        raise NotFixableError("it cannot be taken out without changing what is around it")
    begin = content.rfind("\n", 0, key.start_mark.index) + 1
    if content[begin : key.start_mark.index].strip():
        raise NotFixableError("something else stands on its line: take it out by hand")
    return Edit(begin, _line_end(content, value), "")


def _added(content: str, parent: yaml.Node, path: Path, value: object) -> Edit:
    """A new entry at the end of a mapping."""
    if not all(isinstance(step, str) for step in path):
        raise NotFixableError("there is no such entry of a list any more")
    if not isinstance(parent, yaml.MappingNode) or not parent.value:
        raise NotFixableError("there is no mapping to add it to")
    key, last = parent.value[-1]
    if _is_flow(parent):
        inner = _flow(value)
        for step in reversed(path[1:]):
            inner = f"{{{_flow(step)}: {inner}}}"
        end = last.end_mark.index
        return Edit(end, end, f", {_flow(path[0])}: {inner}")
    newline = "\r\n" if "\r\n" in content else "\n"
    lines = []
    for depth, step in enumerate(path):
        shift = " " * (key.start_mark.column + _STEP * depth)
        said = f" {_flow(value)}" if depth == len(path) - 1 else ""
        lines.append(f"{shift}{_flow(step)}:{said}{newline}")
    end = _line_end(content, last)
    broken = "" if content[end - 1] == "\n" else newline
    return Edit(end, end, broken + "".join(lines))


def _line_end(content: str, node: yaml.Node) -> int:
    """Where the line after a value begins; comments below it belong to what follows."""
    while not isinstance(node, yaml.ScalarNode) and node.value and not _is_flow(node):
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    end = node.end_mark.index
    if content[end - 1 : end] == "\n":
        return end
    found = content.find("\n", end)
    return len(content) if found < 0 else found + 1


def _is_flow(node: yaml.Node) -> bool:
    return bool(getattr(node, "flow_style", False))


def _flow(value: object) -> str:
    """A value on one line, as YAML writes it."""
    text = yaml.dump(value, default_flow_style=True, width=10**9, Dumper=yaml.SafeDumper)
    plain = text.removesuffix("...\n").rstrip("\n")
    return json.dumps(value, ensure_ascii=False) if plain.startswith("'") else plain


def _prove(before: str, after: str, document: int, path: Path, value: object) -> None:
    """Raises NotFixableError unless only the one value differs."""
    try:
        old = [parsed.value for parsed in yaml_documents(before)]
        new = [parsed.value for parsed in yaml_documents(after)]
    except TextError as error:
        raise NotFixableError(f"it cannot be written there: {error.reason}") from None
    wanted = deepcopy(old)
    _set(wanted[document], path, value)
    if canonical(wanted) != canonical(new):
        raise NotFixableError("more than the value would change: change it by hand")


def _set(root: JsonValue, path: Path, value: object) -> None:
    node: object = root
    for step in path[:-1]:
        if isinstance(node, dict):
            node = node.setdefault(step, {})
        elif isinstance(node, list) and isinstance(step, int):
            node = node[step]
    if isinstance(node, dict):
        if value is None:
            node.pop(path[-1], None)
        else:
            node[path[-1]] = value
    elif isinstance(node, list) and isinstance(path[-1], int):
        node[path[-1]] = value

"""Comments for the linter: ``# bridgehead: ignore[RULE, RULE] reason``.

A YAML reader throws comments away; they are found in the text, and what looks like one inside a
quoted or literal text is told from a comment by the places of the texts.
"""

import re
from collections.abc import Iterator

import yaml

from bridgehead.core.findings.suppression import Ignore

_COMMENT = re.compile(r"#[ \t]*bridgehead:[ \t]*ignore\b[ \t]*(\[[^\]\n]*\])?[ \t]*(?P<reason>.*)")
_EMPTY = re.compile(r"\s*(#.*)?$")
_DOCUMENT = re.compile(r"---\s*(#.*)?$")
# What people put between the brackets and the reason.
_LEADING = ":-\u2013\u2014 \t"


def ignores_in(content: str, file: str) -> tuple[Ignore, ...]:
    """The comments of a YAML text, in their order."""
    found = [match for match in _COMMENT.finditer(content) if _begins(content, match.start())]
    if not found:
        return ()
    texts = list(_texts(content))
    lines = content.split("\n")
    return tuple(
        _ignore(match, content, lines, file)
        for match in found
        if not any(begin <= match.start() < end for begin, end in texts)
    )


def _begins(content: str, at: int) -> bool:
    """Whether YAML begins a comment here: at the start of a line, or after white space."""
    return at == 0 or content[at - 1] in " \t\n"


def _ignore(match: re.Match[str], content: str, lines: list[str], file: str) -> Ignore:
    line = content.count("\n", 0, match.start()) + 1
    column = match.start() - content.rfind("\n", 0, match.start())
    before = lines[line - 1][: column - 1].strip()
    named = (match.group(1) or "").strip("[]").split(",")
    return Ignore(
        file=file,
        line=line,
        column=column,
        target=line if before not in ("", "---") else _next(lines, line),
        rules=tuple(name.strip() for name in named if name.strip()),
        reason=match.group("reason").strip().lstrip(_LEADING).strip(),
    )


def _next(lines: list[str], after: int) -> int:
    """The number of the next line that holds anything, from 1; 0 if there is none."""
    for number, line in enumerate(lines[after:], after + 1):
        if not _EMPTY.match(line) and not _DOCUMENT.match(line):
            return number
    return 0


def _texts(content: str) -> Iterator[tuple[int, int]]:
    """From where to where the quoted and literal texts of a YAML text reach."""
    try:
        for node in yaml.compose_all(content, yaml.CSafeLoader):
            yield from _below(node)
    except (yaml.YAMLError, RecursionError):
        return  # what can be read has been; that the rest cannot is told elsewhere


def _below(root: yaml.Node) -> Iterator[tuple[int, int]]:
    left, seen = [root], set()
    while left:
        node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            left.extend(part for pair in node.value for part in pair)
        elif isinstance(node, yaml.SequenceNode):
            left.extend(node.value)
        elif isinstance(node, yaml.ScalarNode) and node.style:
            yield node.start_mark.index, node.end_mark.index

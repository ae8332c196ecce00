"""Core and rules are pure: what they may import is listed here, and nothing else is allowed."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "bridgehead"

ALLOWED = frozenset(
    {
        "base64",
        "bridgehead.core",
        "bridgehead.rules",
        "collections",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "enum",
        "functools",
        "hashlib",
        "itertools",
        "json",
        "math",
        "msgspec",
        "posixpath",
        "re",
        "string",
        "types",
        "typing",
    }
)

CLOCKS = frozenset({"now", "today", "utcnow", "time", "monotonic", "perf_counter"})
"""Calls that would ask a clock; the time is an argument in the core."""

ENTRIES = frozenset({SOURCE / "rules" / "__main__.py"})
"""What is run and never imported: it writes a reference page."""

FILES = sorted({*SOURCE.glob("core/**/*.py"), *SOURCE.glob("rules/**/*.py")} - ENTRIES)


def _imports(tree: ast.AST) -> list[str]:
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.extend(item.name for item in node.names)
        if isinstance(node, ast.ImportFrom):
            found.append(node.module or "")
    return found


def _is_allowed(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in ALLOWED)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_core_imports_only_what_is_pure(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert [name for name in _imports(tree) if not _is_allowed(name)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_core_asks_no_clock_and_opens_no_file(file: Path) -> None:
    calls = [
        node.func
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    clocks = [
        call.attr
        for call in calls
        if isinstance(call, ast.Attribute)
        and call.attr in CLOCKS
        and isinstance(call.value, ast.Name)
        and call.value.id in {"datetime", "date", "time"}
    ]
    doors = [
        call.id
        for call in calls
        if isinstance(call, ast.Name) and call.id in {"open", "print", "input"}
    ]
    assert (clocks, doors) == ([], [])

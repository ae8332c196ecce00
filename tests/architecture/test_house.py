"""The house rules that no linter knows: sizes, rooms, broad handlers, layers."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "testbed").rglob("*.py")])
LONGEST_FILE = 400
LONGEST_FUNCTION = 50
BROAD_HANDLERS = {
    "src/bridgehead/cli/main.py": 1,
    "src/bridgehead/core/findings/runner.py": 1,
}
"""The command line's handler and the rule runner's."""


def _named(file: Path) -> str:
    return str(file.relative_to(ROOT))


def test_no_file_is_longer_than_its_limit() -> None:
    lengths = {_named(file): len(file.read_text(encoding="utf-8").splitlines()) for file in SOURCES}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_function_is_longer_than_its_limit() -> None:
    long = [
        f"{_named(file)}:{node.name}"
        for file in SOURCES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert long == []


def test_broad_handlers_stand_only_where_they_are_named() -> None:
    broad = re.compile(r"except\s*(\(?\s*(Base)?Exception\b|:)")
    found: dict[str, int] = {}
    for file in (ROOT / "src").rglob("*.py"):
        lines = file.read_text(encoding="utf-8").splitlines()
        count = sum(bool(broad.search(line)) for line in lines)
        if count:
            found[_named(file)] = count
    assert found == BROAD_HANDLERS


@pytest.mark.parametrize("word", ["utils", "helpers", "common", "misc", "manager"])
def test_no_room_has_a_name_that_says_nothing(word: str) -> None:
    assert [_named(file) for file in SOURCES if word in file.stem] == []


def test_layers_hold() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout

"""The schema and the page are made from the models; their copies in the repository are current."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridgehead.spec.__main__ import generated
from bridgehead.spec.schema import JsonObject, homes_of, keys_at, resolved, rollout_schema

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", sorted(generated()))
def test_the_file_in_the_repository_is_current(name: str) -> None:
    text = (ROOT / "docs/reference" / name).read_text(encoding="utf-8")
    assert text == generated()[name], "run: python -m bridgehead.spec"


def test_the_generator_writes_what_is_stale_and_then_finds_it_current(tmp_path: Path) -> None:
    (tmp_path / "docs/reference").mkdir(parents=True)

    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "bridgehead.spec", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    assert run("--check") == (
        1,
        "docs/reference/rollout.schema.json: not current\ndocs/reference/spec.md: not current\n",
    )
    assert run()[0] == 0
    assert run("--check") == (0, "")
    assert run("--chek")[0] == 2


def test_every_key_has_a_description_and_no_mapping_is_open() -> None:
    def check(node: JsonObject, path: str) -> None:
        for key, child in node.get("properties", {}).items():
            inner = resolved(child)
            assert inner.get("description"), f"{path}.{key}"
            item = resolved(inner.get("items", inner))
            if "properties" in item:
                assert item["additionalProperties"] is False
                check(item, f"{path}.{key}")

    check(rollout_schema(), "")


def test_the_schema_knows_no_null() -> None:
    assert "null" not in json.dumps(rollout_schema())


def test_keys_of_a_path() -> None:
    assert keys_at(("waves", 3)) == ("nodes", "parallel")
    assert keys_at(("change", "images")) == ()
    assert keys_at(("nowhere", "at", 0)) == ()


def test_homes_of_a_key() -> None:
    assert homes_of("wave") == ("verify.soak", "onFailure")
    assert homes_of("waves") == ()

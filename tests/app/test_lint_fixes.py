"""Several fixes in several files: one diff a file, and what is left out is told."""

from pathlib import Path

from bridgehead.app.lint import lint
from bridgehead.app.lint_fixes import mending
from bridgehead.core.findings.result import Reported
from bridgehead.rules.lint.updates import surge_on_device_plugin
from bridgehead.sources.lint_files import read_paths
from tests.sources.plugin import SURGE

SECOND = SURGE.replace("name: plugin\nspec", "name: second\nspec")
FIXED = SURGE.replace("maxSurge: 1", "maxSurge: 0")
FIXED_SECOND = SECOND.replace("maxSurge: 1", "maxSurge: 0")


def _findings(path: Path) -> tuple[Reported, ...]:
    return lint(read_paths([path]), None, rules=(surge_on_device_plugin.RULE,)).findings


def test_every_object_of_a_file_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"{SURGE}---\n{SECOND}", encoding="utf-8")
    (file,) = mending(_findings(path)).files
    assert file.after == f"{FIXED}---\n{FIXED_SECOND}"
    assert len(file.mends) == 2
    assert file.diff.startswith(f"--- {path}\n+++ {path}\n@@")


def test_byte_order_mark_and_line_ends_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(SURGE.replace("\n", "\r\n").encode("utf-8-sig"))
    (file,) = mending(_findings(path)).files
    file.write()
    assert path.read_bytes() == FIXED.replace("\n", "\r\n").encode("utf-8-sig")


def test_what_has_changed_in_the_meantime_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(SURGE, encoding="utf-8")
    findings = _findings(path)
    path.write_text(f"# moved\n{SURGE}", encoding="utf-8")
    found = mending(findings)
    assert (found.files, [why for _, why in found.left]) == (
        (),
        ["no object begins at line 1 any more"],
    )
    path.unlink()
    ((_, why),) = mending(findings).left
    assert why.startswith("the file cannot be read")


def test_what_needs_no_mending_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(FIXED, encoding="utf-8")
    found = mending(_findings(path))
    assert (found.files, found.left) == ((), ())

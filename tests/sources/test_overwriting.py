"""A file gets other content, whole or not at all."""

from pathlib import Path

import pytest

from bridgehead.sources.overwriting import overwrite


def test_rights_line_ends_and_links_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "a.yaml", tmp_path / "link.yaml"
    file.write_text("old", encoding="utf-8")
    file.chmod(0o640)
    link.symlink_to(file)
    overwrite(link, "new\r\nlines\n")
    assert file.read_bytes() == b"new\r\nlines\n"
    assert (file.stat().st_mode & 0o777, link.is_symlink()) == (0o640, True)


def test_what_cannot_be_written_leaves_the_file_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        overwrite(file, "\ud800")
    assert file.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [file]

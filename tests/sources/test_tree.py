"""What a folder holds; loops, hidden folders, folders that may not be read."""

from pathlib import Path

from bridgehead.sources.tree import tree_of


def test_files_kustomizations_and_charts_are_told_apart(tmp_path: Path) -> None:
    for name in (
        "a.yaml",
        "k/kustomization.yaml",
        "k/b.json",
        "c/Chart.yaml",
        "c/templates/t.yaml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "README.md").write_text("", encoding="utf-8")
    found = tree_of(tmp_path)
    assert [path.name for path in found.files] == ["a.yaml", "b.json"]
    assert [path.name for path in found.kustomizations] == ["k"]
    assert [path.name for path in found.charts] == ["c"]


def test_hidden_files_and_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "a.yaml").write_text("", encoding="utf-8")
    (tmp_path / ".b.yaml").write_text("", encoding="utf-8")
    assert tree_of(tmp_path).files == []


def test_a_loop_of_links_ends_and_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.yaml").write_text("", encoding="utf-8")
    (tmp_path / "a" / "back").symlink_to(tmp_path)
    found = tree_of(tmp_path)
    assert found.files == [tmp_path / "a" / "x.yaml"]
    assert found.loops == [(tmp_path / "a" / "back", tmp_path)]


def test_a_link_to_nowhere_is_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere")
    assert tree_of(tmp_path).files == [tmp_path / "gone.yaml"]


def test_a_folder_that_is_gone_is_a_problem(tmp_path: Path) -> None:
    (problem,) = tree_of(tmp_path / "none").problems
    assert "cannot be read" in problem.message

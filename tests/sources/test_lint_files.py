"""What lint is pointed at: any mixture; what cannot be read costs nothing else its turn."""

import os
import socket
from pathlib import Path

import pytest

from bridgehead.sources.lint_files import LARGEST, STDIN, read_paths
from bridgehead.sources.lintable import Lintable
from tests.sources.plugin import SURGE
from tests.sources.programs import program

SPEC = "apiVersion: bridgehead.dev/v1alpha1\nkind: Rollout\n"


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _names(found: Lintable) -> list[list[str]]:
    return [[Path(item.file).name for item in unit.manifests] for unit in found.units]


def test_a_folder_may_mix_everything(tmp_path: Path) -> None:
    _write(
        tmp_path, a_yaml=SURGE, b__spec_yaml=SPEC, c_json="{}", values_yaml="a: 1\n", n_bu="a: ["
    )
    found = read_paths([tmp_path])
    assert _names(found) == [["a.yaml"]]
    assert found.specs == (tmp_path / "b" / "spec.yaml",)
    assert [Path(item.file).name for item in found.passed_over] == ["c.json", "values.yaml"]
    assert [Path(item.file).name for item in found.problems] == ["n.bu"]
    assert found.asked == ()


def test_files_that_are_named_belong_together(tmp_path: Path) -> None:
    _write(tmp_path, a_yaml=SURGE, b_txt=SURGE.replace("name: plugin\nspec", "name: other\nspec"))
    found = read_paths([tmp_path / "a.yaml", tmp_path / "b.txt"])
    assert _names(found) == [["a.yaml", "b.txt"]]


def test_folders_that_share_an_object_are_for_several_clusters(tmp_path: Path) -> None:
    _write(tmp_path, dev__a_yaml=SURGE, prod__b_yaml=SURGE)
    assert _names(read_paths([tmp_path])) == [["a.yaml"], ["b.yaml"]]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("\ufeffa: 1".encode("utf-16"), "not UTF-8"),
        (b"a: \xe4", "not UTF-8"),
        (b"a: [", "no YAML"),
        (b" " * (LARGEST + 1), "more than 8 MiB"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_and_the_rest_is_read(
    tmp_path: Path, content: bytes, why: str
) -> None:
    _write(tmp_path, good_yaml=SURGE)
    (tmp_path / "bad.yaml").write_bytes(content)
    found = read_paths([tmp_path])
    assert _names(found) == [["good.yaml"]]
    (problem,) = found.problems
    assert why in problem.message
    (asked,) = read_paths([tmp_path / "bad.yaml"]).asked
    assert why in asked.message


def test_a_byte_order_mark_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(SURGE.encode("utf-8-sig"))
    assert _names(read_paths([tmp_path])) == [["a.yaml"]]


def test_a_path_that_is_not_there_is_told(tmp_path: Path) -> None:
    _write(tmp_path, a_yaml=SURGE)
    found = read_paths([tmp_path / "none.yaml", tmp_path / "a.yaml"])
    assert _names(found) == [["a.yaml"]]
    assert [item.message for item in found.asked] == ["there is no such file or folder"]


def test_a_folder_with_nothing_to_lint_is_told(tmp_path: Path) -> None:
    _write(tmp_path, values_yaml="a: 1\n")
    (problem,) = read_paths([tmp_path]).asked
    assert "nothing that lint knows is here" in problem.message


def test_a_named_file_without_objects_is_passed_over(tmp_path: Path) -> None:
    _write(tmp_path, values_yaml="a: 1\n")
    found = read_paths([tmp_path / "values.yaml"])
    assert (len(found.passed_over), found.asked) == (1, ())


def test_a_pipe_is_read_where_it_is_named(tmp_path: Path) -> None:
    read, write = os.pipe()
    with os.fdopen(write, "w") as pipe:
        pipe.write(SURGE)
    try:
        found = read_paths([Path(f"/dev/fd/{read}")])
    finally:
        os.close(read)
    assert sum(len(unit.manifests) for unit in found.units) == 1


def test_a_pipe_in_a_folder_holds_nobody_up(tmp_path: Path) -> None:
    _write(tmp_path, a_yaml=SURGE)
    os.mkfifo(tmp_path / "b.yaml")
    (problem,) = read_paths([tmp_path]).problems
    assert problem.message == "it is a named pipe, no file to be read"


@pytest.mark.parametrize("name", ["b.yaml", "kustomization.yaml"])
def test_a_named_pipe_is_not_waited_for_where_it_is_named(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    (problem,) = read_paths([tmp_path / name]).asked
    assert problem.message == "it is a named pipe, no file to be read"


def test_a_socket_and_a_device_are_no_files(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as plugin:
        plugin.bind(str(tmp_path / "s.yaml"))
        (tmp_path / "d.yaml").symlink_to("/dev/zero")
        problems = read_paths([tmp_path]).problems
    assert [item.message for item in problems] == [
        "it is a device, no file to be read",
        "it is a socket, no file to be read",
    ]


@pytest.mark.parametrize("name", ["kustomization.yaml", "Chart.yaml"])
def test_a_pipe_with_the_name_of_a_kustomization_or_chart_is_none(
    tmp_path: Path, name: str
) -> None:
    _write(tmp_path, a_yaml=SURGE)
    os.mkfifo(tmp_path / name)
    found = read_paths([tmp_path])
    assert _names(found) == [["a.yaml"]]
    assert [item.message for item in found.problems] == ["it is a named pipe, no file to be read"]


def test_a_kustomization_that_names_a_pipe_is_not_rendered(tmp_path: Path) -> None:
    _write(tmp_path, kustomization_yaml="resources: [pipe.yaml]\n")
    os.mkfifo(tmp_path / "pipe.yaml")
    (problem,) = read_paths([tmp_path]).asked
    assert problem.file == str(tmp_path / "pipe.yaml")
    assert "kustomization.yaml names it, and it is a named pipe" in problem.message


def test_the_standard_input_may_stand_beside_files(tmp_path: Path) -> None:
    _write(tmp_path, a_yaml=SURGE)
    found = read_paths([tmp_path / "a.yaml", STDIN], SURGE.encode())
    assert _names(found) == [["a.yaml"], ["<stdin>"]]


def test_another_encoding_on_the_standard_input_is_told() -> None:
    (problem,) = read_paths([STDIN], SURGE.encode("utf-16")).asked
    assert problem.file == "<stdin>"


def test_a_loop_of_links_is_passed_over(tmp_path: Path) -> None:
    _write(tmp_path, a_yaml=SURGE)
    (tmp_path / "back").symlink_to(tmp_path)
    found = read_paths([tmp_path])
    assert _names(found) == [["a.yaml"]]
    assert [item.what for item in found.passed_over] == [f"a link back to {tmp_path}"]


def test_a_link_to_itself_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    _write(tmp_path, a_yaml=SURGE)
    (tmp_path / "self.yaml").symlink_to(tmp_path / "self.yaml")
    (tmp_path / "selves").symlink_to(tmp_path / "selves")
    found = read_paths([tmp_path])
    assert _names(found) == [["a.yaml"]]
    assert [Path(item.file).name for item in found.problems] == ["self.yaml"]


def test_a_standard_input_without_anything_is_told(tmp_path: Path) -> None:
    """As of a pipe whose first command has failed: that is no clean result."""
    _write(tmp_path, a_yaml=SURGE)
    for nothing in (b"", b"\n", b"---\n# Source: x\n"):
        (told,) = read_paths([STDIN, tmp_path / "a.yaml"], nothing).asked
        assert "nothing came in" in told.message


def test_files_of_a_kustomization_are_seen_through_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin", "kustomize", prints=SURGE)
    _write(
        tmp_path,
        k__base__kustomization_yaml="resources: [a.yaml]\n",
        k__base__a_yaml=SURGE,
        k__top__kustomization_yaml="resources: [../base]\npatches: [{path: p.yaml}]\n",
        k__top__p_yaml="kind: no object\n",
        k__other_yaml=SURGE,
    )
    found = read_paths([tmp_path / "k"])
    # The base is a part of the one on top, which alone is rendered; what neither names is a file.
    assert _names(found) == [["other.yaml"], ["a.yaml"]]
    assert found.problems == ()
    assert _names(read_paths([tmp_path / "k" / "base" / "kustomization.yaml"])) == [["a.yaml"]]


def test_a_kustomization_that_was_named_and_cannot_be_rendered_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    _write(tmp_path, k__kustomization_yaml="resources: []\n", c__Chart_yaml="name: c\n")
    assert len(read_paths([tmp_path]).problems) == 2
    assert len(read_paths([tmp_path / "k"]).asked) == 1
    assert len(read_paths([tmp_path / "c"]).asked) == 1

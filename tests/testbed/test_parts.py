"""A part's key changes with all that its result depends on."""

import shutil
from pathlib import Path

import pytest

from testbed.errors import TestbedError
from testbed.go_toolchain import Toolchain, find_toolchain
from testbed.parts import Part, binary, earlier_releases, parts

GO = Toolchain("go", "go1.26.8")


@pytest.fixture
def part(tmp_path: Path) -> Part:
    (tmp_path / "go.mod").write_text("module example.com/hello\n\ngo 1.26.0\n")
    (tmp_path / "main.go").write_text('package main\n\nfunc main() { println("hello") }\n')
    return Part("hello", tmp_path)


def test_every_folder_with_a_go_mod_is_a_part() -> None:
    assert {"kubernetes", "etcd", "containerd", "kwok", "registry", "fakedriver"} <= set(parts())


@pytest.fixture
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.mark.parametrize("file", ["go.mod", "main.go", "inner/new.go"])
def test_a_changed_source_is_another_key(part: Part, file: str) -> None:
    before = part.key(GO)
    path = part.folder / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("// changed\n")
    assert part.key(GO) != before


def test_another_go_is_another_key(part: Part) -> None:
    assert part.key(GO) != part.key(Toolchain("go", "go1.27.0"))


def test_the_same_sources_elsewhere_are_the_same_key(
    part: Part, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("other") / "folder"
    shutil.copytree(part.folder, elsewhere)
    assert Part("hello", elsewhere).key(GO) == part.key(GO)


def test_kubernetes_says_its_version() -> None:
    flags = " ".join(parts()["kubernetes"].flags)
    assert "gitVersion=v1.37." in flags
    assert "gitMajor=1" in flags
    assert "gitMinor=37" in flags


def test_a_part_that_is_not_built_says_how_to_build_it(own_cache: Path) -> None:
    binary.cache_clear()
    with pytest.raises(TestbedError, match="uv run python -m testbed build"):
        binary("etcd", "etcd")
    assert parts()["etcd"].built() is None
    assert list((own_cache / "bridgehead" / "testbed").iterdir()) == []


@pytest.mark.cluster
def test_a_build_is_whole_or_not_there(part: Part, own_cache: Path) -> None:
    folder = part.build()
    assert [path.name for path in folder.iterdir()] == ["hello"]
    assert part.built() == folder

    (part.folder / "main.go").write_text("package main\n\nfunc main() { nonsense }\n")
    with pytest.raises(TestbedError, match="undefined: nonsense"):
        part.build()
    assert part.built() is None
    left = {path.name for path in (own_cache / "bridgehead" / "testbed").iterdir()}
    assert left == {folder.name, "hello.lock"}


def test_without_go_the_parts_are_built_by_a_pinned_one(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("testbed.go_toolchain._own", lambda: None)
    toolchain = find_toolchain()
    assert toolchain.version == "go1.27.3"
    assert Path(toolchain.go).is_relative_to(own_cache)
    assert not Path(toolchain.go).exists()


def test_an_earlier_release_says_its_version_and_is_no_usual_part() -> None:
    earlier = earlier_releases()["1.30"]
    assert "gitVersion=v1.30." in " ".join(earlier.flags)
    assert earlier.name not in parts()

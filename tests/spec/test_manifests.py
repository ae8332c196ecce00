"""A spec whose change is a manifest: what is read beside it, and what is wrong with that."""

from pathlib import Path

from bridgehead.core.model.problem import Problem, Unfit
from bridgehead.core.plan.settings import ComponentRef, ManifestChange
from bridgehead.spec import SpecAccepted, SpecRejected, read_spec
from bridgehead.spec.read import ManifestReader, read_spec_file
from tests.spec.specs import MINIMAL, only_problem

TEXT = MINIMAL.replace(
    '  images: {plugin: "registry.example:5000/plugin:1.2.3"}', "  manifests: deploy/plugin.yaml"
)


def reads(found: ManifestChange | Unfit) -> ManifestReader:
    def reader(path: str, component: ComponentRef) -> ManifestChange | Unfit:
        assert (path, str(component)) == ("deploy/plugin.yaml", "daemonset/gpu-system/plugin")
        return found

    return reader


def test_what_the_manifest_says_is_in_the_settings() -> None:
    change = ManifestChange(path="deploy/plugin.yaml", template={"a": 1}, selector={})
    result = read_spec(TEXT, "b.yaml", reads(change))
    assert isinstance(result, SpecAccepted)
    assert result.spec.change == change
    assert result.text == TEXT


def test_what_is_wrong_with_the_path_is_told_at_the_key_that_names_it() -> None:
    result = read_spec(TEXT, "b.yaml", reads(Unfit("it does not exist", "look again")))
    assert isinstance(result, SpecRejected)
    (problem,) = result.problems
    assert str(problem) == "b.yaml:7:14: change.manifests: it does not exist; look again"


def test_what_is_wrong_within_is_told_at_its_own_place() -> None:
    within = Problem(file="deploy/plugin.yaml", line=3, column=1, message="it is another object")
    result = read_spec(TEXT, "b.yaml", reads(Unfit(problems=(within,))))
    assert isinstance(result, SpecRejected)
    assert result.problems == (within,)


def test_a_text_alone_has_no_folder_to_find_manifests_in() -> None:
    assert "there is no folder to find it in" in only_problem(TEXT).message


def test_a_file_s_manifests_are_read_by_the_reader_given(tmp_path: Path) -> None:
    file = tmp_path / "bridgehead.yaml"
    file.write_text(TEXT)
    change = ManifestChange(path="deploy/plugin.yaml", template={}, selector={})
    assert isinstance(read_spec_file(file, reads(change)), SpecAccepted)


def test_images_and_manifests_exclude_each_other() -> None:
    text = MINIMAL.replace("  images:", "  manifests: plugin.yaml\n  images:")
    message = only_problem(text).message
    assert message == "change takes exactly one of: manifests, images"


def test_a_change_of_nothing_is_refused() -> None:
    text = TEXT.replace("change:\n  manifests: deploy/plugin.yaml", "change: {}")
    assert only_problem(text).path == "change"


def test_an_empty_path_is_refused() -> None:
    text = TEXT.replace("deploy/plugin.yaml", '" "')
    assert "a path is needed" in only_problem(text).message

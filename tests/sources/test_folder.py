"""A folder of files becomes one recorded state; what cannot be read never counts as none."""

import json
import os
from pathlib import Path

import pytest

from bridgehead.sources import Recording, read_folder
from bridgehead.sources.folder import read_objects

NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\n"


def write(folder: Path, **files: str) -> Path:
    """Files by name; two underscores stand for a folder, one before the suffix for a dot."""
    for name, content in files.items():
        path = folder / (name.replace("__", "/").replace("_", "."))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def places(recording: Recording, folder: Path) -> list[tuple[str, str, int]]:
    return [
        (str(item), str(Path(item.file).relative_to(folder)), item.line)
        for item in recording.objects
    ]


def problems(recording: Recording, folder: Path) -> list[str]:
    return [str(problem).removeprefix(f"{folder}/") for problem in recording.problems]


def test_files_of_any_name_and_depth_are_read(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        nodes_yaml=f"{NODE % 'a'}---\n{NODE % 'b'}",
        deeper__still__c_yml=NODE % "c",
        d_json='{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "d"}}',
    )
    recording = read_folder(folder)
    assert recording.problems == ()
    assert places(recording, folder) == [
        ("Node/d", "d.json", 1),
        ("Node/c", "deeper/still/c.yml", 1),
        ("Node/a", "nodes.yaml", 1),
        ("Node/b", "nodes.yaml", 5),
    ]


def test_other_files_and_hidden_folders_are_not_read(tmp_path: Path) -> None:
    folder = write(tmp_path, a_yaml=NODE % "a", notes_txt="{", _git__x_yaml="{", logs__p_txt="x")
    assert [str(item) for item in read_folder(folder).objects] == ["Node/a"]


@pytest.mark.parametrize("indent", [None, 2])
def test_entries_of_lists_have_their_own_lines(tmp_path: Path, indent: int | None) -> None:
    pods = [{"metadata": {"name": name, "namespace": "x"}} for name in ("a", "b")]
    listed = {"kind": "PodList", "apiVersion": "v1", "items": pods}
    folder = write(tmp_path, pods_json=json.dumps(listed, indent=indent))
    lines = [1, 1] if indent is None else [5, 11]
    assert places(read_folder(folder), folder) == [
        ("Pod/x/a", "pods.json", lines[0]),
        ("Pod/x/b", "pods.json", lines[1]),
    ]


def test_a_list_of_anything_in_yaml(tmp_path: Path) -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n"
        "- apiVersion: v1\n  kind: Node\n  metadata: {name: a}\n"
        "- apiVersion: apps/v1\n  kind: DaemonSet\n  metadata: {name: b, namespace: x}\n"
    )
    recording = read_folder(write(tmp_path, all_yaml=text))
    assert places(recording, tmp_path) == [
        ("Node/a", "all.yaml", 4),
        ("DaemonSet/x/b", "all.yaml", 7),
    ]
    assert recording.objects[1].api_version == "apps/v1"
    assert recording.complete == {"Node", "DaemonSet"}


def test_a_list_inside_a_list_is_read(tmp_path: Path) -> None:
    inner = {"kind": "NodeList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}}]}
    outer = {"kind": "List", "apiVersion": "v1", "items": [inner]}
    assert places(read_folder(write(tmp_path, x_json=json.dumps(outer))), tmp_path) == [
        ("Node/a", "x.json", 1)
    ]


@pytest.mark.parametrize("items", ["[]", "null"])
def test_an_empty_list_of_a_kind_says_that_there_is_none(tmp_path: Path, items: str) -> None:
    text = f'{{"kind": "PodList", "apiVersion": "v1", "items": {items}}}'
    recording = read_folder(write(tmp_path, pods_json=text))
    assert recording.objects == ()
    assert recording.complete == {"Pod"}


def test_a_kind_that_occurs_is_complete_and_another_is_not(tmp_path: Path) -> None:
    assert read_folder(write(tmp_path, a_yaml=NODE % "a")).complete == {"Node"}


def test_recorded_yaml_names_kinds_of_which_there_are_none(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        a_yaml=NODE % "a",
        recorded_yaml="at: 2026-01-31T12:00:00Z\ncomplete: [Pod, Event]\n",
    )
    recording = read_folder(folder)
    assert recording.complete == {"Node", "Pod", "Event"}
    assert recording.now == 1769860800


def test_a_broken_file_is_named_with_its_line_and_the_rest_is_read(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        a_yaml=f"{NODE % 'a'}---\nkind: [Node\n---\n",
        b_json='{"kind": "Node",\n "apiVersion": }',
        c_yaml=NODE % "c",
    )
    (folder / "d.yaml").write_bytes(b"\xff")
    recording = read_folder(folder)
    assert [str(item) for item in recording.objects] == ["Node/a", "Node/c"]
    assert problems(recording, folder) == [
        "a.yaml:6:1: this is no YAML: did not find expected ',' or ']' while parsing a flow "
        "sequence; what follows in this file was not read",
        "b.json:2:16: this is no JSON: Expecting value; what follows in this file was not read",
        "d.yaml:1:1: the file is not UTF-8: invalid start byte at byte 0",
    ]


def test_while_a_file_is_broken_no_kind_is_complete(tmp_path: Path) -> None:
    folder = write(tmp_path, a_yaml=NODE % "a", b_yaml="{", recorded_yaml="complete: [Pod]\n")
    recording = read_folder(folder)
    assert not recording.whole
    assert recording.complete == frozenset()


def test_what_is_no_object_is_a_warning(tmp_path: Path) -> None:
    folder = write(tmp_path, a_yaml=NODE % "a", values_yaml="\nimage: x\n---\n---\n- 1\n")
    recording = read_folder(folder)
    assert recording.whole
    why = "warning: no Kubernetes object: it has no kind and apiVersion, and was not read"
    assert problems(recording, folder) == [f"values.yaml:2:1: {why}", f"values.yaml:5:1: {why}"]


def test_the_same_object_twice_is_one(tmp_path: Path) -> None:
    folder = write(tmp_path, a_yaml=NODE % "a", b_yaml=NODE % "a")
    recording = read_folder(folder)
    assert len(recording.objects) == 1
    assert recording.problems == ()


def test_two_states_of_one_object_are_a_warning_and_the_first_is_kept(tmp_path: Path) -> None:
    folder = write(tmp_path, a_yaml=NODE % "a", b_yaml=NODE % "a" + "spec: {unschedulable: true}\n")
    recording = read_folder(folder)
    assert "spec" not in recording.objects[0].data
    assert problems(recording, folder) == [
        f"b.yaml:1:1: warning: Node/a stands here otherwise than in {folder}/a.yaml:1, "
        "which was kept"
    ]


def test_objects_without_a_name_are_different_ones(tmp_path: Path) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {generateName: p-}\n"
    assert len(read_folder(write(tmp_path, a_yaml=f"{pod}---\n{pod}")).objects) == 2


def test_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    assert [problem.message for problem in read_folder(tmp_path).problems] == [
        "no Kubernetes objects here: expected .yaml, .yml or .json files"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("at: today\n", "at: expected a time such as 2026-01-31T12:00:00Z, found today"),
        (
            "at: 2026-01-31T12:00:00\n",
            "at: expected a time such as 2026-01-31T12:00:00Z, found 2026-01-31T12:00:00",
        ),
        ("complete: pods\n", "complete: expected a list of kinds such as [Node, Pod]"),
        (
            "kinds: [Pod]\n",
            "kinds is an unknown key; known here: at, complete, incomplete, server, unread, logs",
        ),
        ("- Pod\n", "expected a mapping with at and complete"),
    ],
)
def test_a_wrong_recorded_yaml_is_a_problem(tmp_path: Path, text: str, message: str) -> None:
    recording = read_folder(write(tmp_path, a_yaml=NODE % "a", recorded_yaml=text))
    assert [problem.message for problem in recording.problems] == [message]


def test_now_is_the_given_time_before_the_recorded_one_before_the_newest(tmp_path: Path) -> None:
    created = 'apiVersion: v1\nkind: Node\nmetadata: {name: a, creationTimestamp: "%s"}\n'
    folder = write(tmp_path, a_yaml=created % "2026-01-01T00:00:00Z")
    assert read_folder(folder).now == 1767225600
    write(folder, recorded_yaml="at: 2026-01-02T00:00:00Z\n")
    assert read_folder(folder).now == 1767312000
    assert read_folder(folder, at=1.0).now == 1.0


def test_now_is_not_known_where_nothing_tells_it(tmp_path: Path) -> None:
    assert read_folder(write(tmp_path, a_yaml=NODE % "a")).now is None


HALF = """{
  "kind": "EventList",
  "apiVersion": "v1",
  "items": [
    {"metadata": {"name": "one", "namespace": "gpu"}, "reason": "BackOff"},
    {"metadata": {"name": "two", "namespace": "gpu"}, "reason": "Fail"""


def test_of_a_dump_that_broke_off_whole_entries_are_read_and_only_their_kind_is_incomplete(
    tmp_path: Path,
) -> None:
    folder = write(tmp_path, gpu__events_json=HALF, nodes_yaml=NODE % "a")
    recording = read_folder(folder)
    assert places(recording, folder) == [
        ("Event/gpu/one", "gpu/events.json", 5),
        ("Node/a", "nodes.yaml", 1),
    ]
    assert recording.complete == {"Node"}
    assert "what follows in this file was not read" in problems(recording, folder)[0]


def test_of_a_list_of_anything_that_broke_off_no_kind_is_complete(tmp_path: Path) -> None:
    text = HALF.replace("EventList", "List").replace(
        '"metadata"', '"kind": "Event", "apiVersion": "v1", "metadata"'
    )
    recording = read_folder(write(tmp_path, all_json=text, nodes_yaml=NODE % "a"))
    assert [item.name for item in recording.objects] == ["one", "a"]
    assert recording.complete == frozenset()


SAID = "complete: [Node, Pod, ConfigMap, Secret]\nincomplete: [Event]\n"
"""What a saved state says of itself; there are no Secrets in it."""


def saved(folder: Path, **broken: str) -> Path:
    """A saved state of files named after their kinds, some of them replaced."""
    files = {"Node_yaml": NODE % "a", "Pod_yaml": POD, "ConfigMap_yaml": CONFIG, **broken}
    return write(folder, **files, recorded_yaml=SAID)


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: x}\n"
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: x}\n"


@pytest.mark.parametrize(
    ("file", "text", "hurt"),
    [
        ("ConfigMap_yaml", CONFIG + "---\nkind: [", "ConfigMap"),
        ("ConfigMap_json", '{"apiVersion": "v1", "items": [{"apiVersion": "v1", "ki', "ConfigMap"),
        ("Pod-trimmed_json", "", "Pod"),
        ("Event_json", "{", "Event"),
    ],
)
def test_of_a_saved_state_only_the_kind_is_hurt_that_a_broken_file_is_named_after(
    tmp_path: Path, file: str, text: str, hurt: str
) -> None:
    recording = read_folder(saved(tmp_path, **{file: text}))
    assert not recording.whole
    assert recording.hurt == {hurt}
    assert recording.complete == {"Node", "Pod", "ConfigMap", "Secret"} - {hurt}


def test_a_file_that_cannot_be_told_hurts_all_kinds_but_complete_ones_with_a_file_of_their_own(
    tmp_path: Path,
) -> None:
    recording = read_folder(saved(tmp_path, notes_yaml="{"))
    assert recording.hurt == {""}
    assert recording.complete == {"Node", "Pod", "ConfigMap"}


def test_a_broken_file_that_holds_another_kind_than_its_name_says_may_hold_any(
    tmp_path: Path,
) -> None:
    recording = read_folder(saved(tmp_path, ConfigMap_yaml=NODE % "b" + "---\nkind: ["))
    assert recording.hurt == {""}
    assert recording.complete == {"Node", "Pod"}


def test_a_name_tells_no_kind_where_the_recording_says_nothing_of_it(tmp_path: Path) -> None:
    recording = read_folder(write(tmp_path, Pod_yaml="{", a_yaml=NODE % "a"))
    assert recording.complete == frozenset()


def test_a_pipe_in_a_recording_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    (problem,) = read_folder(tmp_path).problems
    assert problem.message == "it is a named pipe, no file to be read"


def test_a_named_pipe_as_a_manifest_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    (problem,) = read_objects(tmp_path / "a.yaml").problems
    assert problem.message == "it is a named pipe, no file to be read"

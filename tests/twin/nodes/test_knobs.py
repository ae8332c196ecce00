"""The twin's knobs are those of the test bed, and its log lines those of the Go driver."""

import re
from pathlib import Path

import pytest

from bridgehead.twin.nodes.driver import durations, lines
from bridgehead.twin.nodes.driver.knobs import TABLE, InvalidKnobError, Knobs, environment
from testbed.knobs import catalogue
from testbed.knobs import environment as image_environment

SOURCE = Path(__file__).parents[3] / "testbed" / "go" / "fakedriver"


def test_names_variables_groups_and_defaults_are_those_of_the_test_bed() -> None:
    known = catalogue()
    assert set(TABLE) == set(known)
    plain = Knobs.read({}, with_faults=True)
    for name, knob in known.items():
        assert TABLE[name].env == knob.env
        assert TABLE[name].fault == (knob.group == "fault")
        default = knob.default
        if knob.type == "duration" and isinstance(default, str):
            assert plain[name] == durations.seconds(default)
        else:
            assert plain[name] == default


def test_knobs_become_the_environment_that_the_image_builder_writes() -> None:
    knobs = {"devices": 0, "unhealthyAfter": "3s", "logLines": ["a", "b"], "allocateHang": True}
    own, theirs = environment(knobs), image_environment(knobs)
    assert own.keys() == theirs.keys()
    readings = [Knobs.read(variables, with_faults=True) for variables in (own, theirs)]
    assert all(readings[0][name] == readings[1][name] for name in TABLE)


def test_faults_can_be_left_out_and_settings_cannot() -> None:
    given = {"FAKE_DEVICE_COUNT": "0", "FAKE_INVENTORY": "8"}
    knobs = Knobs.read(given, with_faults=False)
    assert (knobs["devices"], knobs["inventory"]) == (None, 8)


def test_an_empty_variable_counts_as_unset() -> None:
    assert Knobs.read({"FAKE_INVENTORY": ""}, with_faults=True)["inventory"] == 4


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("FAKE_INVENTORY", "many", 'strconv.Atoi: parsing "many": invalid syntax'),
        ("FAKE_REGISTERS", "soon", "must be one of normally, late, never"),
        ("FAKE_REGISTER_DELAY", "5", 'time: missing unit in duration "5"'),
        ("FAKE_ALLOCATE_HANG", "maybe", 'strconv.ParseBool: parsing "maybe": invalid syntax'),
    ],
)
def test_a_value_that_cannot_be_read_is_named(variable: str, value: str, message: str) -> None:
    with pytest.raises(InvalidKnobError) as raised:
        Knobs.read({variable: value}, with_faults=True)
    assert str(raised.value) == f'invalid value "{value}" of {variable}: {message}'


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0s", 0), ("500ms", 0.5), ("1m30s", 90), ("1.5h", 5400), ("0", 0), ("-2s", -2)],
)
def test_durations_are_read_as_go_reads_them(text: str, seconds: float) -> None:
    assert durations.seconds(text) == seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(10, "10s"), (20.0, "20s"), (160, "2m40s"), (300, "5m0s"), (0.25, "250ms"), (1.204, "1.204s")],
)
def test_durations_are_written_as_go_writes_them(seconds: float, text: str) -> None:
    assert durations.written(seconds) == text


LINES = {name: line for name, line in vars(lines).items() if isinstance(line, lines.Line)}


@pytest.mark.parametrize("name", sorted(LINES))
def test_klog_names_the_place_in_the_source_from_which_the_line_comes(name: str) -> None:
    line = LINES[name]
    file, number = line.place.split(":")
    written = (SOURCE / file).read_text(encoding="utf-8").splitlines()[int(number) - 1]
    call = {"info": "info", "warning": "warn", "error": "error"}[line.level]
    assert re.search(rf"\.{call}\(", written)
    told = re.findall(r'"((?:[^"\\]|\\.)*)"|k\.crashMessage', written)
    assert line.text in {re.sub(r"%[sdv]", "{}", text) for text in told}


def test_each_style_has_the_shape_of_its_library() -> None:
    shaped = {
        style: lines.shaped(style, lines.SERVING, ("a/b", "/x.sock"), 1_767_225_600.25)
        for style in ("klog", "json", "logrus", "plain")
    }
    text = "serving 'a/b' on /x.sock"
    assert shaped == {
        "klog": f"I0101 00:00:00.250000       1 serve.go:43] {text}",
        "json": f'{{"level":"info","msg":"{text}","ts":"2026-01-01T00:00:00.25Z"}}',
        "logrus": f'time="2026-01-01T00:00:00Z" level=info msg="{text}"',
        "plain": f"2026/01/01 00:00:00 {text}",
    }

"""Knobs of the fake driver: judged before an image is built, and the same for Python and Go."""

from __future__ import annotations

import re

import pytest

from testbed.errors import TestbedError
from testbed.knobs import FILE, catalogue, environment

GO_TABLE = FILE.parent / "go" / "fakedriver" / "knobs.go"
GO_ENTRY = re.compile(
    r'^\t\t\{(setting|fault), "(\w+)", "([^"]*)", (\w+)\(&k\.\w+((?:, "\w+")*)\)\},$', re.MULTILINE
)
GO_PARSERS = {
    "string": "text",
    "integer": "integer",
    "boolean": "flag",
    "duration": "span",
    "choice": "choice",
    "strings": "texts",
    "integers": "integers",
}


def test_knobs_become_environment_variables() -> None:
    assert environment(
        {
            "devices": 0,
            "registers": "late",
            "allocateHang": True,
            "unhealthyAfter": "1m30s",
            "logLines": ["a, b"],
            "numaNodes": [0, 1],
        }
    ) == {
        "FAKE_ALLOCATE_HANG": "true",
        "FAKE_DEVICE_COUNT": "0",
        "FAKE_LOG_LINES": '["a, b"]',
        "FAKE_NUMA_NODES": "[0, 1]",
        "FAKE_REGISTERS": "late",
        "FAKE_UNHEALTHY_AFTER": "1m30s",
    }


def test_a_knob_without_default_may_be_left_empty() -> None:
    assert environment({"devices": None}) == {}


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("device", 3, "device: no such knob; did you mean devices?"),
        ("qqqq", 3, "qqqq: no such knob; see knobs.yaml"),
        ("devices", "3", "devices: must be of type integer, not '3'"),
        ("devices", True, "devices: must be of type integer, not True"),
        ("fewerDevices", None, "fewerDevices: must be of type integer, not empty"),
        ("registers", "soon", "registers: must be one of normally, late, never, not 'soon'"),
        ("crashAfter", "20", "crashAfter: must be a duration such as"),
        ("crashAfter", 20, "crashAfter: must be a duration such as"),
        ("logLines", "x", "logLines: must be a list of strings"),
        ("numaNodes", ["0"], "numaNodes: must be a list of integers"),
        ("allocateHang", "yes", "allocateHang: must be of type boolean"),
    ],
)
def test_a_wrong_knob_is_refused(name: str, value: object, complaint: str) -> None:
    with pytest.raises(TestbedError, match=re.escape(complaint)):
        environment({name: value})


def test_all_wrong_knobs_are_named_at_once() -> None:
    with pytest.raises(TestbedError, match=r"devises: .*; crashAfter: "):
        environment({"devises": 1, "crashAfter": 1})


@pytest.mark.parametrize("name", catalogue())
def test_every_default_fits_its_own_knob(name: str) -> None:
    environment({name: catalogue()[name].default})


def test_every_fault_number_has_a_knob() -> None:
    assert {knob.fault for knob in catalogue().values()} >= {f"F{n}" for n in range(1, 19)}


def test_go_reads_the_same_variables_with_the_same_types_and_defaults() -> None:
    in_go = {
        env: (group, initial, parser, tuple(re.findall(r"\w+", choices)))
        for group, env, initial, parser, choices in GO_ENTRY.findall(GO_TABLE.read_text())
    }
    in_yaml = {}
    for name, knob in catalogue().items():
        initial = environment({name: knob.default}).get(knob.env, "")
        parser = GO_PARSERS[knob.type]
        if knob.default is None:
            parser = f"optional{parser.capitalize()}"
        in_yaml[knob.env] = (knob.group, initial, parser, knob.choices)
    assert in_go == in_yaml


def test_every_entry_of_the_go_table_is_recognised() -> None:
    entries = re.findall(r"^\t\t\{(?:setting|fault),", GO_TABLE.read_text(), re.MULTILINE)
    assert len(entries) == len(catalogue())

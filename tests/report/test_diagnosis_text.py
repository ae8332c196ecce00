"""A diagnosis in words."""

from bridgehead.core.diagnose.diagnosis import Diagnosis, NodeView
from bridgehead.report.diagnosis_text import diagnosis_text


def header(resources: dict[str, str]) -> str:
    node = NodeView(name="n1", cohort="", ready=True, resources=resources, timeline=())
    shown = diagnosis_text(
        Diagnosis(at="", about="everything", healthy=True, causes=(), nodes=(node,))
    )
    return shown.splitlines()[-1]


def test_of_many_names_those_without_devices_are_counted() -> None:
    dead = {f"old.example/{number}": "0/0" for number in range(6)}

    assert header({"a.example/card": "0/0"}) == "node n1 (a.example/card 0/0)"
    assert (
        header(dead | {"a.example/card": "4/0"}) == "node n1 (a.example/card 4/0, 6 names at 0/0)"
    )


def test_a_name_over_two_lines_is_no_command_in_a_ci_log() -> None:
    shown = header({"x\n::error::y": "0/1"})
    assert shown == "node n1 (x ::error::y 0/1)"
    about = Diagnosis(at="", about="x\n::error::y", healthy=True, causes=(), nodes=())
    assert diagnosis_text(about) == "x ::error::y: healthy"

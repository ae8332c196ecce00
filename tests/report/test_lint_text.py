"""What lint found, for people."""

from bridgehead.core.findings.result import LintResult
from bridgehead.report.lint_text import lint_text, remarks
from tests.core.findings.lint_values import found
from tests.report.lint_results import EMPTY, FULL


def test_each_finding_begins_with_its_place() -> None:
    lines = lint_text(FULL).splitlines()
    assert lines[0] == "dir/a.yaml:7:5: error: 100% of it, is: broken [fault]"
    assert "    DaemonSet/gpu/plugin" in lines
    assert "    node n1: taint <a&b>" in lines
    assert "    do: mend it." in lines
    assert "dir/a.yaml:8:5: warning: it is broken [milder]" in lines
    assert "info: it is broken [a-remark]" in lines
    assert "    DaemonSet/gpu/plugin on node n1" in lines


def test_a_terminal_obeys_nothing_that_a_value_says() -> None:
    text = lint_text(LintResult(findings=(found(message="a\x1b[31mb\rc"),)))
    assert "a [31mb c" in text


def test_a_name_over_two_lines_is_no_command_in_a_ci_log() -> None:
    text = lint_text(LintResult(findings=(found(node="x\n::error::stop"),)))
    assert "    DaemonSet/gpu/plugin on node x ::error::stop" in text.splitlines()


def test_the_count_is_last() -> None:
    assert lint_text(FULL).splitlines()[-1] == (
        "1 error, 1 warning, 1 remark in 3 objects and 1 spec of 2 files; "
        "1 in the baseline, 1 set aside by comments"
    )
    assert lint_text(EMPTY) == "0 errors, 0 warnings, 0 remarks in 2 objects of 1 file"


def test_what_was_left_out_is_told_in_a_line_a_sort() -> None:
    lines = list(remarks(FULL, with_cluster=False))
    assert "not read: gone,1:2.yaml:1:1: there is no such file" in lines
    assert "not read: b c.yaml:3:4: this is no YAML" in lines
    assert "not read: pods: forbidden" in lines
    assert any(line.startswith("defect of bridgehead: rule broken failed") for line in lines)
    assert any(line.endswith("v.yaml:3 (no object) and 2 more") for line in lines)
    assert any(line.startswith("1 rule would know more with a cluster") for line in lines)
    assert any(line.startswith("2 entries of the baseline found no more") for line in lines)
    assert list(remarks(EMPTY, with_cluster=False)) == []


def test_with_a_cluster_it_is_said_that_it_was_not_enough() -> None:
    assert any("could not judge all" in line for line in remarks(FULL, with_cluster=True))

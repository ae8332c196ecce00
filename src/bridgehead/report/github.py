"""What lint found as workflow commands, which GitHub shows beside the changed lines.

Source of the form and of its escapes: ``escapeData`` and ``escapeProperty`` in
https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
"""

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.result import LintResult, Reported
from bridgehead.core.model.problem import Problem
from bridgehead.report.lint_text import summary

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def lint_github(result: LintResult) -> str:
    """One command a finding and a file that could not be read; then the count, as plain text."""
    lines = [_finding(item) for item in result.findings]
    lines += [_problem(item) for item in (*result.asked, *result.problems)]
    lines += [
        f"::error title=bridgehead::{_data(f'rule {failure.rule} failed: {failure.error}')}"
        for failure in result.failures
    ]
    return "\n".join([*lines, summary(result)])


def _finding(item: Reported) -> str:
    said = item.finding
    about = f"{said.object}: " if said.object.kind else ""
    message = _data(f"{about}{said.message}\n{said.remedy}")
    return _command(
        _COMMANDS[said.severity], (said.file, said.line, said.column), said.rule, message
    )


def _problem(item: Problem) -> str:
    place = (item.file, item.line, item.column)
    return _command("error", place, "not read", _data(item.message))


def _command(name: str, place: tuple[str, int, int], title: str, message: str) -> str:
    file, line, column = place
    where = [f"file={_property(file)}", f"line={line}", f"col={column}"] if file else []
    return f"::{name} {','.join([*where, f'title={_property(title)}'])}::{message}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

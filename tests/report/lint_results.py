"""Results of lint for tests of their forms."""

from bridgehead.core.findings.finding import NotKnown, RuleFailure, Severity
from bridgehead.core.findings.result import LintResult, PassedOver
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.problem import Problem
from bridgehead.core.model.snapshot import Unread
from tests.core.findings.lint_values import found

FULL = LintResult(
    findings=(
        found(message="100% of it,\nis: broken", evidence=(Evidence("node n1", "taint <a&b>"),)),
        found("milder", severity=Severity.WARNING, line=8),
        found("a-remark", severity=Severity.INFO, file="", line=0, first_line=0, node="n1"),
    ),
    aside=((found("aside", line=9), "known & accepted"),),
    old=(found("old", line=10),),
    gone=2,
    not_known=(NotKnown(rule="needy", why="no cluster"), NotKnown(rule="needy", why="no node")),
    failures=(RuleFailure(rule="broken", error="ValueError: x"),),
    problems=(Problem(file="b c.yaml", line=3, column=4, message="this is no YAML"),),
    asked=(Problem(file="gone,1:2.yaml", line=1, column=1, message="there is no such file"),),
    passed_over=tuple(PassedOver(file="v.yaml", line=n, what="no object") for n in range(1, 6)),
    unread=(Unread("pods", "forbidden", "list pods"),),
    objects=3,
    specs=1,
    files=2,
)
EMPTY = LintResult(objects=2, files=1)

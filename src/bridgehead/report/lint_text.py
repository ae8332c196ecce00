"""What lint found, for people."""

from collections.abc import Iterator

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.result import LintResult, Reported
from bridgehead.report.plain import plain_line

_SHOWN = 3
_MORE = "would know more with a cluster (--context NAME or --from STATE) or with --registry"
_LESS = "could not judge all of it, as not everything about the cluster is known"


def lint_text(result: LintResult) -> str:
    """Each finding with its place first, as editors and terminals know it; then the count."""
    lines = [plain_line(line) for item in result.findings for line in _finding(item)]
    return "\n".join([*lines, summary(result)])


def summary(result: LintResult) -> str:
    """One line: what was found in how much."""
    found = ", ".join(
        (
            counted(result.count(Severity.ERROR), "error"),
            counted(result.count(Severity.WARNING), "warning"),
            counted(result.count(Severity.INFO), "remark"),
        )
    )
    looked = counted(result.objects, "object")
    if result.specs:
        looked += f" and {counted(result.specs, 'spec')}"
    if result.files:
        looked += f" of {counted(result.files, 'file')}"
    more = [f"{len(result.old)} in the baseline"] if result.old else []
    more += [f"{len(result.aside)} set aside by comments"] if result.aside else []
    return f"{found} in {looked}" + (f"; {', '.join(more)}" if more else "")


def remarks(result: LintResult, *, with_cluster: bool) -> Iterator[str]:
    """What was left out, one line a sort: for stderr, beside any form of the result."""
    return map(plain_line, _remarks(result, with_cluster=with_cluster))


def _remarks(result: LintResult, *, with_cluster: bool) -> Iterator[str]:
    for problem in (*result.asked, *result.problems):
        yield f"not read: {problem}"
    for item in result.unread:
        yield f"not read: {item.what}: {item.why}"
    for failure in result.failures:
        yield f"defect of bridgehead: rule {failure.rule} failed, others went on: {failure.error}"
    if result.passed_over:
        named = [f"{item.file}:{item.line} ({item.what})" for item in result.passed_over[:_SHOWN]]
        more = len(result.passed_over) - len(named)
        rest = f" and {more} more" if more else ""
        yield f"passed over, as no rule is about them: {', '.join(named)}{rest}"
    if result.not_known:
        rules = counted(len({item.rule for item in result.not_known}), "rule")
        yield f"{rules} {_MORE if not with_cluster else _LESS}; -o json has each with its reason"
    if result.gone:
        gone = counted(result.gone, "entry", "entries")
        yield f"{gone} of the baseline found no more: write it anew"


def counted(number: int, one: str, several: str = "") -> str:
    """``1 error``, ``2 errors``."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def _finding(item: Reported) -> Iterator[str]:
    said = item.finding
    place = f"{said.file}:{said.line}:{said.column}: " if said.file else ""
    yield f"{place}{said.severity.value}: {said.message} [{said.rule}]"
    about = str(said.object) + (f" on node {said.node}" if said.node else "")
    if about:
        yield f"    {about}"
    for proof in said.evidence:
        yield f"    {proof.source}: {proof.text}"
    yield f"    do: {said.remedy}"

"""What lint found as JUnit XML: one test case a finding, so that every pipeline can show it.

There is no standard; written is what the readers of Jenkins, GitLab and others agree upon.
Source: https://github.com/testmoapp/junitxml
"""

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.result import LintResult, Reported

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


def lint_junit(result: LintResult, fail_on: Severity) -> str:
    """One suite. Findings milder than the threshold, and those set aside, are skipped tests.

    Where nothing was found one test has passed, since an empty suite is an error to some readers.
    """
    suite = Element("testsuite", name="bridgehead lint")
    failing = set(map(id, result.at_least(fail_on)))
    for item in result.findings:
        case = _case(suite, item)
        if id(item) in failing:
            failure = SubElement(
                case, "failure", message=_clean(item.finding.message), type=item.finding.rule
            )
            failure.text = _clean(_words(item))
        else:
            said = f"{item.finding.severity.value}: {item.finding.message}"
            SubElement(case, "skipped", message=_clean(said))
    for item, reason in result.aside:
        SubElement(_case(suite, item), "skipped", message=_clean(f"set aside: {reason}"))
    for name, message in _errors(result):
        case = SubElement(suite, "testcase", classname="not read", name=_clean(name))
        SubElement(case, "error", message=_clean(message), type="unread")
    if not len(suite):
        SubElement(suite, "testcase", classname="bridgehead", name="nothing was found")
    for key, tag in (
        ("tests", "testcase"),
        ("failures", "testcase/failure"),
        ("errors", "testcase/error"),
        ("skipped", "testcase/skipped"),
    ):
        suite.set(key, str(len(suite.findall(tag))))
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    return _XML + tostring(suites, encoding="unicode") + "\n"


def _case(suite: Element, item: Reported) -> Element:
    said = item.finding
    place = f"{said.file}:{said.line}:{said.column}" if said.file else ""
    name = " ".join(filter(None, (str(said.object), said.node, place))) or said.rule
    found = SubElement(suite, "testcase", classname=said.rule, name=_clean(name))
    if said.file:
        found.set("file", _clean(said.file))
        found.set("line", str(said.line))
    return found


def _words(item: Reported) -> str:
    said = item.finding
    proofs = [f"{proof.source}: {proof.text}" for proof in said.evidence]
    place = [f"{said.file}:{said.line}:{said.column}"] if said.file else []
    return "\n".join([*place, said.message, *proofs, f"do: {said.remedy}"])


def _errors(result: LintResult) -> Iterable[tuple[str, str]]:
    for problem in (*result.asked, *result.problems):
        yield f"{problem.file}:{problem.line}:{problem.column}", problem.message
    for item in result.unread:
        yield item.what, item.why
    for failure in result.failures:
        yield f"rule {failure.rule}", f"defect of bridgehead: {failure.error}"


def _clean(text: str) -> str:
    """XML 1.0 has no place for control characters and surrogates, whatever their escapes."""
    return "".join(item if _is_allowed(ord(item)) else "\ufffd" for item in text)


def _is_allowed(code: int) -> bool:
    """``Char`` of https://www.w3.org/TR/xml/#charsets."""
    return (
        code in (0x9, 0xA, 0xD)
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or code > 0xFFFF
    )

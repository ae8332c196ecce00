"""The gate on the component's log: it must not speak of a fault that its family is known for."""

from bridgehead.core.journal.entry import Evidence
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.evidence import fault_in
from bridgehead.core.verify.result import GateId, GateResult, Verdict


def log(case: Case) -> GateResult:
    """No known fault in the pod's log. A success line proves nothing and is not asked for.

    What the log says of the number and health of devices is left to the gates on the node's status:
    a node that had a broken device before is no worse for a plugin that says so.
    """
    ask = case.question(GateId.LOG, "no known fault")
    text = case.view.log
    if text is None:
        if case.view.log_unread:
            why = f"the log could not be read: {case.view.log_unread}"
            return ask.answer(Verdict.UNKNOWN, "not read", why)
        return ask.answer(Verdict.WAIT, "not read", "the log was not read yet")
    fault = fault_in(case.expected.family, text, counts=False)
    if fault is None:
        return ask.answer(Verdict.PASS, "no known fault")
    source = f"log of pod {case.pod.ref}" if case.pod else "log"
    why = "the log names a fault that its family is known for"
    return ask.answer(Verdict.FAIL, fault.cause, why, (Evidence(source, fault.line.strip()),))

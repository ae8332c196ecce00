"""The probe: a pod of ours that asks for one device, to see the whole way to it work.

By default it runs the component's own image, which is on the node already, with a command that is
absent on purpose: when the start fails naming that path, the pod was scheduled, admitted, given a
device, and its container was created, which is all that a device plugin has a part in.
"""

from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.pod import STARTING, Container, Pod
from bridgehead.core.plan.settings import ProbeSettings
from bridgehead.core.verify.result import GateId, GateResult, Question, Verdict

ABSENT_COMMAND = "/.bridgehead-probe"


def probe(
    pod: Pod | None,
    settings: ProbeSettings | None,
    log: str | None,
    *,
    node: str,
    now: float,
) -> GateResult:
    """The probe's answer for a node."""
    return started(pod, Question(GateId.PROBE, node, _expected(settings), now), settings, log)


def _expected(settings: ProbeSettings | None) -> str:
    if settings is None:
        return "a pod that asks for one device gets it and its container is created"
    if settings.expect:
        return f"exit code 0 and {settings.expect!r} in its output"
    return "exit code 0"


def started(
    pod: Pod | None, ask: Question, settings: ProbeSettings | None, log: str | None
) -> GateResult:
    """Whether a pod of ours, probe or pull, came as far as it should."""
    if pod is None:
        return ask.answer(Verdict.WAIT, "no pod", "the pod is not there yet")
    if pod.phase == "Failed" and not any(item.container_id for item in pod.containers):
        said = pod.message or pod.reason or "no reason given"
        shown = (Evidence(f"status of pod {pod.ref}", f"{pod.reason}: {pod.message}"),)
        return ask.answer(Verdict.FAIL, f"pod {pod.reason or 'Failed'}", said, shown)
    if not pod.containers or any(not item.state for item in pod.containers):
        return ask.answer(Verdict.WAIT, pod.phase or "Pending", "its container is not started")
    if settings is not None:
        return _user_command(pod, pod.containers[0], ask, settings, log)
    return _least([_absent_command(pod, item, ask) for item in pod.containers])


def _least(answers: list[GateResult]) -> GateResult:
    """Of several containers the one that is worst off speaks for the pod."""
    order = (Verdict.FAIL, Verdict.WAIT, Verdict.PASS)
    return min(answers, key=lambda answer: order.index(answer.verdict))


def _absent_command(pod: Pod, item: Container, ask: Question) -> GateResult:
    shown = (Evidence(f"container of pod {pod.ref}", f"{item.reason}: {item.message}"),)
    if item.container_id and ABSENT_COMMAND in item.message:
        return ask.answer(Verdict.PASS, "container created", evidence=shown)
    if item.reason == "InvalidImageName":
        return ask.answer(Verdict.FAIL, item.image, "the image reference is not valid", shown)
    if item.state == "waiting" and not item.container_id:
        if item.reason in STARTING:
            return ask.answer(Verdict.WAIT, item.reason, "its container is being created")
        return ask.answer(Verdict.WAIT, item.reason, item.message, shown)
    if item.state == "running":
        return ask.answer(Verdict.WAIT, "running", "its container is starting")
    return ask.answer(Verdict.FAIL, item.reason, item.message or "the start failed", shown)


def _user_command(
    pod: Pod, item: Container, ask: Question, settings: ProbeSettings, log: str | None
) -> GateResult:
    if item.state != "terminated":
        return ask.answer(Verdict.WAIT, item.reason or item.state, "it has not ended yet")
    output = (Evidence(f"output of pod {pod.ref}", (log or "").strip()[-500:]),)
    if item.exit_code != 0:
        return ask.answer(Verdict.FAIL, f"exit code {item.exit_code}", item.message, output)
    if settings.expect is None:
        return ask.answer(Verdict.PASS, "exit code 0", evidence=output)
    if log is None:
        return ask.answer(Verdict.WAIT, "exit code 0", "its output was not read yet")
    if settings.expect in log:
        return ask.answer(Verdict.PASS, "exit code 0", evidence=output)
    return ask.answer(Verdict.FAIL, "exit code 0", "the output lacks what was expected", output)

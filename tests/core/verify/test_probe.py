"""The probe: what its pod's end says of the way from device to container."""

import pytest

from bridgehead.core.model.pod import Container, Pod
from bridgehead.core.plan.settings import ProbeSettings
from bridgehead.core.verify.probe import ABSENT_COMMAND, probe, started
from bridgehead.core.verify.result import GateId, GateResult, Question, Verdict
from tests.core.verify.cases import NOW

ABSENT = f'exec: "{ABSENT_COMMAND}": stat {ABSENT_COMMAND}: no such file or directory'
USER = ProbeSettings(image="busybox", command=("ls", "/dev/gpu0"), expect="gpu0")


def pod(container: Container | None = None, **fields: str) -> Pod:
    containers = (container,) if container is not None else ()
    return Pod(
        namespace="plugins",
        name="probe",
        uid="p1",
        containers=containers,
        phase=fields.get("phase", "Pending"),
        reason=fields.get("reason", ""),
        message=fields.get("message", ""),
    )


def ask(
    value: Pod | None, settings: ProbeSettings | None = None, log: str | None = None
) -> GateResult:
    return probe(value, settings, log, node="n1", now=NOW)


def ended(**fields: object) -> Container:
    plain = {"name": "probe", "state": "terminated", "reason": "StartError", "container_id": "c1"}
    return Container(**{**plain, **fields})  # type: ignore[arg-type]


def test_a_start_that_fails_naming_the_absent_command_passes() -> None:
    result = ask(pod(ended(message=ABSENT), phase="Failed"))
    assert (result.verdict, result.seen) == (Verdict.PASS, "container created")


def test_the_same_message_without_a_container_fails() -> None:
    """Without an id no container was created: the message alone proves nothing."""
    assert ask(pod(ended(message=ABSENT, container_id=""))).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "message",
    ["failed to inject CDI devices: unresolvable CDI devices", "error mounting /dev/gpu0", ""],
)
def test_any_other_start_error_fails(message: str) -> None:
    assert ask(pod(ended(message=message))).verdict is Verdict.FAIL


def test_a_pod_that_the_kubelet_refuses_fails_with_what_it_said() -> None:
    result = ask(
        pod(phase="Failed", reason="UnexpectedAdmissionError", message="Allocate failed: no device")
    )
    assert result.verdict is Verdict.FAIL
    assert result.reason == "Allocate failed: no device"
    assert result.seen == "pod UnexpectedAdmissionError"


@pytest.mark.parametrize(
    "container",
    [
        None,
        Container(name="probe"),
        Container(name="probe", state="waiting", reason="ContainerCreating"),
        Container(name="probe", state="waiting", reason="CreateContainerError", message="busy"),
        Container(name="probe", state="running", container_id="c1"),
    ],
)
def test_a_start_under_way_is_waited_for(container: Container | None) -> None:
    assert ask(pod(container)).verdict is Verdict.WAIT


def test_no_pod_is_waited_for_and_an_invalid_image_fails_at_once() -> None:
    assert ask(None).verdict is Verdict.WAIT
    invalid = Container(name="probe", state="waiting", reason="InvalidImageName")
    assert ask(pod(invalid)).verdict is Verdict.FAIL


def test_the_users_probe_passes_with_exit_code_and_output() -> None:
    good = pod(ended(exit_code=0, reason="Completed"), phase="Succeeded")
    assert ask(good, USER, "/dev/gpu0\n").verdict is Verdict.PASS
    assert ask(good, USER, None).verdict is Verdict.WAIT
    other = ask(good, USER, "nothing here")
    assert other.verdict is Verdict.FAIL
    assert other.evidence[0].text == "nothing here"


def test_the_users_probe_fails_with_another_exit_code_and_waits_while_it_runs() -> None:
    bad = pod(ended(exit_code=2, reason="Error"), phase="Failed")
    assert ask(bad, USER, "/dev/gpu0").verdict is Verdict.FAIL
    running = pod(Container(name="probe", state="running", container_id="c1"))
    assert ask(running, USER).verdict is Verdict.WAIT


def test_without_an_expected_text_the_exit_code_is_enough() -> None:
    plain = ProbeSettings(image="busybox", command=("true",))
    assert ask(pod(ended(exit_code=0)), plain).verdict is Verdict.PASS


def test_pull_pod_of_two_images_is_good_only_when_both_are() -> None:
    question = Question(GateId.IMAGE, "n1", "both can be pulled", NOW)
    good = Container(name="a", state="terminated", container_id="containerd://1", message=ABSENT)
    bad = Container(name="b", state="waiting", reason="ErrImagePull", message="not found")

    def verdict(*containers: Container) -> Verdict:
        of = Pod(namespace="gpu", name="pull", uid="1", phase="Pending", containers=containers)
        return started(of, question, None, None).verdict

    assert verdict(good, bad) is Verdict.WAIT
    assert verdict(good, good) is Verdict.PASS

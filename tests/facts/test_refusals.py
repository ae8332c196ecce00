"""What kubelets say of pods that they refuse or hold up, as diagnosis reads it."""

import os
import signal
from collections.abc import Iterator

import pytest

from bridgehead.core.diagnose.admission_message import (
    AdmissionMessage,
    Refusal,
    parse_admission_message,
)
from testbed.process import marked_pids
from tests.facts.lab import Lab

pytestmark = pytest.mark.cluster


def refusal(lab: Lab, pod: str) -> AdmissionMessage:
    """Of a pod, once it has failed; the event says the same as the status."""
    lab.until(lambda: lab.status(pod)["phase"] == "Failed")
    status = lab.status(pod)
    said = parse_admission_message(status["reason"], status["message"])
    assert said is not None
    assert "startTime" in status
    told = [item for item in lab.events(pod) if item["reason"] == status["reason"]]
    assert told
    assert parse_admission_message(told[0]["reason"], told[0]["message"]) == said
    return said


def test_an_error_in_allocate_is_the_plugins_own_words(lab: Lab) -> None:
    lab.plugin(allocateError="failed to find gpu id, or so")
    lab.offers(("4", "4"))

    said = refusal(lab, lab.holder())

    assert (said.refusal, said.code) == (Refusal.ALLOCATE, "Unknown")
    assert "failed to find gpu id, or so" in said.said


def test_an_error_in_a_preferred_allocation_refuses_too(lab: Lab) -> None:
    lab.plugin(preferredError="no preference today")
    lab.offers(("4", "4"))

    said = refusal(lab, lab.holder())

    assert said.refusal is Refusal.PREFERRED
    assert "no preference today" in said.said


def test_unhealthy_devices_are_named_by_their_resource(lab: Lab) -> None:
    lab.plugin(unhealthyAfter="0s")
    lab.offers(("4", "0"))

    said = refusal(lab, lab.holder())

    assert (said.refusal, said.resource) == (Refusal.NONE_HEALTHY, lab.resource)


def test_more_than_is_free_is_refused_with_both_numbers(lab: Lab) -> None:
    lab.plugin()
    lab.offers(("4", "4"))
    first = lab.holder(3)
    lab.until(lambda: lab.status(first)["phase"] == "Running")

    said = refusal(lab, lab.holder(2))

    assert (said.refusal, said.resource) == (Refusal.TOO_FEW, lab.resource)
    assert (said.requested, said.available) == (2, 1)


@pytest.fixture
def hanging(lab: Lab) -> Iterator[str]:
    """A plugin that hangs in Allocate; its node is freed in the end, whatever comes."""
    yield lab.plugin(allocateHang=True)
    lab.node.restart_kubelet()


def test_a_plugin_that_hangs_in_allocate_leaves_pods_without_a_word(lab: Lab, hanging: str) -> None:
    """And the deletion of its own pod waits as well, until the kubelet is restarted."""
    lab.offers(("4", "4"))
    first, behind = lab.holder(), lab.holder(0)

    for pod in (first, behind):
        lab.stays(lambda pod=pod: "startTime" not in lab.status(pod), 3)  # type: ignore[misc]
        assert [it for it in lab.events(pod) if it["source"].get("component") == "kubelet"] == []
    lab.ask_removal(hanging)
    lab.stays(lambda: lab.pod(hanging) is not None, 5)

    lab.node.restart_kubelet()
    lab.until(lambda: lab.pod(hanging) is None)


def test_the_end_of_its_process_frees_the_node(lab: Lab, hanging: str) -> None:
    """Whoever ends it on the node itself: the call fails, and the pods behind it are taken up."""
    lab.offers(("4", "4"))
    first, behind = lab.holder(), lab.holder(0)
    lab.stays(lambda: "startTime" not in lab.status(behind), 3)

    [plugin] = marked_pids({"FAKE_RESOURCE": lab.resource})
    os.kill(plugin, signal.SIGKILL)

    assert refusal(lab, first).code == "Unavailable"
    lab.until(lambda: "startTime" in lab.status(behind))
    lab.remove(hanging)


def test_a_device_that_cannot_be_prepared_keeps_its_container_waiting(lab: Lab) -> None:
    lab.plugin(preStartError="card is asleep")
    lab.offers(("4", "4"))
    pod = lab.holder()

    waiting = lab.waits(pod, "CreateContainerConfigError")

    assert waiting == (
        "device plugin PreStartContainer rpc failed with err: "
        "rpc error: code = Unknown desc = card is asleep"
    )


def test_a_cdi_name_without_a_specification_keeps_its_container_waiting(lab: Lab) -> None:
    lab.plugin(cdiKind="vendor.com/class")
    lab.offers(("4", "4"))
    pod = lab.holder()

    waiting = lab.waits(pod, "CreateContainerError")

    assert "unresolvable CDI devices vendor.com/class=" in waiting

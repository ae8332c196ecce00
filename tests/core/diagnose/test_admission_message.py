"""What a kubelet says of a pod that it refuses is taken apart."""

import pytest

from bridgehead.core.diagnose.admission_message import Refusal, parse_admission_message

UNEXPECTED = "UnexpectedAdmissionError"


@pytest.mark.parametrize(
    ("cause", "refusal"),
    [
        ("cannot allocate unregistered device x.org/y", Refusal.UNREGISTERED),
        ("unknown Device Plugin x.org/y", Refusal.UNREGISTERED),
        (
            "no healthy devices present; cannot allocate unhealthy devices x.org/y",
            Refusal.NONE_HEALTHY,
        ),
        (
            "previously allocated devices are no longer healthy; "
            "cannot allocate unhealthy devices x.org/y",
            Refusal.NO_LONGER_HEALTHY,
        ),
    ],
)
@pytest.mark.parametrize("prefix", ["Pod was rejected: ", "Pod ", ""])
def test_refusals_name_their_resource_with_any_prefix(
    prefix: str, cause: str, refusal: Refusal
) -> None:
    text = f"{prefix}Allocate failed due to {cause}, which is unexpected"

    said = parse_admission_message(UNEXPECTED, text)

    assert said is not None
    assert (said.refusal, said.resource) == (refusal, "x.org/y")
    assert said.text.startswith("Allocate failed")


def test_counts_are_read() -> None:
    said = parse_admission_message(
        UNEXPECTED,
        "Pod was rejected: Allocate failed due to requested number of devices unavailable for "
        "x.org/y. Requested: 2, Available: 1, which is unexpected",
    )

    assert said is not None
    assert said.refusal is Refusal.TOO_FEW
    assert (said.resource, said.requested, said.available) == ("x.org/y", 2, 1)


@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        ("", Refusal.ALLOCATE),
        ("device plugin GetPreferredAllocation rpc failed with err: ", Refusal.PREFERRED),
    ],
)
def test_the_plugins_answer_is_told_with_its_code(call: str, refusal: Refusal) -> None:
    said = parse_admission_message(
        UNEXPECTED,
        f"Pod was rejected: Allocate failed due to {call}rpc error: code = Unknown desc = no, "
        "not now, which is unexpected",
    )

    assert said is not None
    assert (said.refusal, said.code, said.said) == (refusal, "Unknown", "no, not now")


def test_a_connection_that_has_ended_is_no_answer() -> None:
    said = parse_admission_message(
        UNEXPECTED,
        "Pod was rejected: Allocate failed due to endpoint &{{0 0} x.org/y /d/x.sock} has been "
        "stopped, which is unexpected",
    )

    assert said is not None
    assert said.refusal is Refusal.STOPPED


def test_topology_has_a_reason_of_its_own() -> None:
    said = parse_admission_message(
        "TopologyAffinityError",
        "Pod was rejected: Resources cannot be allocated with Topology locality",
    )

    assert said is not None
    assert said.refusal is Refusal.TOPOLOGY


def test_a_node_without_enough_says_how_much_it_has() -> None:
    said = parse_admission_message(
        "OutOfcpu",
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000000, used: 500, "
        "capacity: 2000",
    )

    assert said is not None
    assert said.refusal is Refusal.OUT_OF
    assert (said.resource, said.requested, said.available) == ("cpu", 1000000, 1500)


@pytest.mark.parametrize("reason", ["", "Evicted", "NodeAffinity", "Terminated"])
def test_pods_that_ended_otherwise_were_not_refused_for_devices(reason: str) -> None:
    assert parse_admission_message(reason, "Pod was rejected: whatever") is None

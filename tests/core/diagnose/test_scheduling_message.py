"""What the scheduler says of a pod that fits nowhere is taken apart, whatever its version."""

import pytest

from bridgehead.core.diagnose.scheduling_message import Check, parse_scheduling_message

OF_1_37 = (
    "0/10 nodes are available: 10 Insufficient cpu, 10 Insufficient example.com/none, "
    "10 Insufficient memory. preemption: 0/10 nodes are available: "
    "10 Preemption is not helpful for scheduling."
)
OF_1_30 = (
    "0/5 nodes are available: 1 node(s) had untolerated taint {gpu: yes}, 3 Insufficient x.org/y, "
    "1 node(s) were unschedulable. preemption: 0/5 nodes are available: "
    "3 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.."
)


def test_a_node_is_counted_under_everything_that_it_is_short_of() -> None:
    message = parse_scheduling_message(OF_1_37)

    assert message is not None
    assert message.nodes == 10
    assert message.short_of("example.com/none") == 10
    assert message.by(Check.ROOM) == 30
    assert message.after.startswith("preemption: 0/10 nodes are available")


def test_the_taint_is_named_up_to_some_version() -> None:
    message = parse_scheduling_message(OF_1_30)

    assert message is not None
    assert [(item.count, item.check, item.taint) for item in message.kept] == [
        (1, Check.TAINT, "gpu=yes"),
        (3, Check.ROOM, ""),
        (1, Check.CORDON, ""),
    ]


def test_and_not_named_in_later_ones() -> None:
    message = parse_scheduling_message(
        "0/2 nodes are available: 2 node(s) had untolerated taint(s)."
    )

    assert message is not None
    assert message.by(Check.TAINT) == 2
    assert message.kept[0].taint == ""
    assert message.after == ""


def test_a_reason_may_hold_a_comma_of_its_own() -> None:
    message = parse_scheduling_message(
        "0/4 nodes are available: 1 node(s) had taint {node-role.kubernetes.io/master: }, that the "
        "pod didn't tolerate, 3 Insufficient nvidia.com/gpu."
    )

    assert message is not None
    assert message.kept[0].taint == "node-role.kubernetes.io/master"
    assert message.short_of("nvidia.com/gpu") == 3


def test_what_is_said_before_nodes_were_looked_at_is_no_count() -> None:
    message = parse_scheduling_message(
        '0/3 nodes are available: persistentvolumeclaim "data" not found. preemption: not eligible '
        "due to preemptionPolicy=Never."
    )

    assert message is not None
    assert message.kept == ()
    assert message.before == 'persistentvolumeclaim "data" not found'


def test_words_about_claims_come_after_the_nodes() -> None:
    message = parse_scheduling_message(
        "0/1 nodes are available: 1 Insufficient x.org/y. no new claims to deallocate, preemption: "
        "0/1 nodes are available: 1 No preemption victims found for incoming pod."
    )

    assert message is not None
    assert len(message.kept) == 1
    assert message.after.startswith("no new claims to deallocate, preemption")


@pytest.mark.parametrize(
    ("reason", "check"),
    [
        ("node(s) didn't match Pod's node affinity/selector", Check.SELECTION),
        ("node(s) didn't satisfy plugin(s) [NodeAffinity]", Check.SELECTION),
        ("Too many pods", Check.ROOM),
        ("node(s) exceed max volume count", Check.VOLUMES),
        ("node(s) didn't match pod topology spread constraints", Check.OTHER_PODS),
        ("cannot allocate all claims", Check.CLAIMS),
        ("node(s) are something new", Check.OTHER),
    ],
)
def test_reasons_of_every_check_are_known(reason: str, check: Check) -> None:
    message = parse_scheduling_message(f"0/1 nodes are available: 1 {reason}.")

    assert message is not None
    assert [item.check for item in message.kept] == [check]


@pytest.mark.parametrize(
    "text", ["", "skip schedule deleting pod: lab/x", "1/2 nodes are available: fine"]
)
def test_other_texts_are_none(text: str) -> None:
    assert parse_scheduling_message(text) is None

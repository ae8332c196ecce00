"""What `status` proposes for an open run."""

from bridgehead.cli.status import onward
from bridgehead.core.rollout.standing import NodeStanding, Standing
from bridgehead.core.rollout.wishes import Wishes

REF = "daemonset/gpu/plugin"
RESUME, ROLLBACK = f"bridgehead resume {REF}", f"bridgehead rollback {REF}"


def standing(status: str = "passed", wishes: Wishes = Wishes()) -> Standing:  # noqa: B008 - frozen
    return Standing(
        run="gpu-1",
        component=REF,
        owner="team",
        mode="hold",
        stage="canary",
        template="former",
        holder="",
        nodes=(NodeStanding("a1", status, "1", held=False),),
        leftovers=(),
        summary="",
        wishes=wishes,
    )


def test_of_nodes_that_failed_something_is_to_be_said() -> None:
    assert "--without NODE or --retry NODE" in onward(standing("failed"), "", "state")


def test_where_no_node_failed_nothing_is_to_be_said_of_any() -> None:
    assert onward(standing(), "", "state") == f"{RESUME}, or {ROLLBACK}"


def test_what_cannot_be_read_is_shown_and_taken_out_first() -> None:
    told = onward(standing(wishes=Wishes(unreadable="line 1 cannot be read")), "", "state")
    assert told.startswith("kubectl edit configmap gpu-1 -n state")
    assert RESUME in told
    assert ROLLBACK in told

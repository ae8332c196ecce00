"""How runs stand, as text and data: what is dangerous comes first."""

import msgspec

from bridgehead.core.rollout.control import Abort, Pause
from bridgehead.core.rollout.leftovers import Leftover
from bridgehead.core.rollout.standing import NodeStanding, Standing
from bridgehead.core.rollout.wishes import Given, Wishes
from bridgehead.report.status import status_json, status_text

STANDING = Standing(
    run="gpu-1",
    component="daemonset/gpu/plugin",
    owner="platform",
    mode="forward",
    stage="canary (0 of 1 passed)",
    template="target",
    holder="",
    nodes=(NodeStanding("n1", "in flight: change", "h2", True),),
    leftovers=(
        Leftover(
            object="node/n1",
            what="cordoned by this run",
            owner="platform",
            since="2026-01-31T12:00:00.000Z",
            age=7500.4,
        ),
        Leftover(object="pod/p1", what="a pod of this run"),
    ),
    summary="",
)


def test_target_that_nobody_holds_is_told_first() -> None:
    assert status_text((STANDING,)).splitlines()[0].startswith("WARNING: the new template stands")


def test_target_under_a_live_runner_is_no_warning() -> None:
    held = msgspec.structs.replace(STANDING, holder="gpu-1/me@host/ab, renewed 10:00:00")
    assert "WARNING" not in status_text((held,))


def test_nodes_and_leftovers_are_listed() -> None:
    told = status_text((STANDING,))
    assert "n1  in flight: change" in told
    assert "left: node/n1: cordoned by this run, for 2h5m, owner platform" in told
    assert "left: pod/p1: a pod of this run, for how long is not known" in told


def test_leftovers_have_age_and_owner_in_the_data() -> None:
    found = msgspec.json.decode(msgspec.json.encode(status_json((STANDING,))))
    left = found["runs"][0]["leftovers"][0]
    assert (left["owner"], left["since"], left["age"]) == (
        "platform",
        "2026-01-31T12:00:00.000Z",
        7500.4,
    )


def test_mark_without_a_record_is_told_even_when_no_run_is_open() -> None:
    told = status_text((), (("daemonset/gpu/plugin", "bridgehead/gpu-1/1"),))
    assert "no record" in told
    assert "No run is open" not in told


def test_no_run_and_no_mark_is_said_in_words() -> None:
    assert status_text(()) == "No run is open."


def test_data_has_schema_runs_and_orphans() -> None:
    found = status_json((STANDING,), (("daemonset/gpu/plugin", "bridgehead/gpu-1/1"),))
    assert found["schema"] == "bridgehead.dev/status/v1"
    again = msgspec.json.decode(msgspec.json.encode(found))
    assert again["runs"][0]["open"] is True
    assert again["orphans"] == [
        {"component": "daemonset/gpu/plugin", "anchor": "bridgehead/gpu-1/1"}
    ]


PAUSE = Pause(time="2026-01-31T12:00:00.000Z", identity="sa", actor="ann", reason="lunch")
WISHES = Wishes(
    paused=PAUSE,
    awaited="afterCanary",
    approvals=(
        Given(
            point="afterCanary",
            by="bob",
            time="2026-01-31T12:01:00.000Z",
            expires="2026-01-31T13:01:00.000Z",
            objection="it expired",
        ),
    ),
    filed=(Abort(time="2026-01-31T12:02:00.000Z", identity="eve"),),
    window="closed until 2026-02-01T08:00:00Z",
    left=3,
)


def test_what_people_asked_is_told_with_claimed_names_as_claimed() -> None:
    told = status_text((msgspec.structs.replace(STANDING, wishes=WISHES),)).splitlines()
    assert "  paused    by ann (so claimed, as sa) at 2026-01-31T12:00:00.000Z: lunch" in told
    assert "  waits     for approval afterCanary" in told
    assert (
        "  approved  afterCanary by bob at 2026-01-31T12:01:00.000Z, until "
        "2026-01-31T13:01:00.000Z; does NOT count: it expired" in told
    )
    assert (
        "  filed     abort by eve at 2026-01-31T12:02:00.000Z; no runner has noted it yet" in told
    )
    assert "  window    closed until 2026-02-01T08:00:00Z" in told
    assert "  left      3 nodes have not had their turn" in told


def test_what_people_asked_is_in_the_data_with_its_kind() -> None:
    found = status_json((msgspec.structs.replace(STANDING, wishes=WISHES),))
    wishes = msgspec.json.decode(msgspec.json.encode(found))["runs"][0]["wishes"]
    assert wishes["paused"]["kind"] == "pause"
    assert wishes["filed"][0]["kind"] == "abort"
    assert (wishes["awaited"], wishes["left"]) == ("afterCanary", 3)


def test_of_a_run_that_is_over_no_wishes_are_told() -> None:
    over = msgspec.structs.replace(STANDING, mode="ended", wishes=WISHES)
    assert "paused" not in status_text((over,))


def test_a_run_that_cannot_be_read_is_told_as_text_and_as_unread_data() -> None:
    broken = (("gpu-1", "daemonset/gpu/plugin", "record 3 was changed"),)
    told = status_text((), (), broken)
    assert told.startswith("WARNING: run gpu-1 of daemonset/gpu/plugin cannot be read: record 3")
    assert status_json((), (), broken)["unread"] == [
        {"what": "run gpu-1 of daemonset/gpu/plugin", "why": "record 3 was changed", "grant": ""}
    ]


def test_an_approval_that_was_used_says_when() -> None:
    given = msgspec.structs.replace(
        WISHES.approvals[0], objection="", used="2026-01-31T12:01:03.000Z"
    )
    wishes = msgspec.structs.replace(WISHES, approvals=(given,))
    told = status_text((msgspec.structs.replace(STANDING, wishes=wishes),))
    assert "until 2026-01-31T13:01:00.000Z; used at 2026-01-31T12:01:03.000Z" in told
    assert "does NOT count" not in told


def test_of_a_run_that_is_over_no_template_and_lock_are_told_as_they_are_of_later_changes() -> None:
    told = status_text((msgspec.structs.replace(STANDING, mode="ended", summary="it is back"),))
    assert "template" not in told
    assert "lock" not in told
    assert "  it is back" in told


def test_nodes_that_recovery_keeps_are_shown_with_the_way_to_give_them_back() -> None:
    kept = (("n1", "daemonset/gpu/plugin"),)
    told = status_text((), kept=kept)
    assert told.startswith("No run is open.")
    assert "node n1 is kept cordoned by recovery of daemonset/gpu/plugin" in told
    assert "bridgehead release daemonset/gpu/plugin" in told
    assert status_json((), kept=kept)["keptByRecovery"] == [
        {"node": "n1", "component": "daemonset/gpu/plugin"}
    ]


def test_line_breaks_and_control_characters_stay_on_their_line() -> None:
    loud = "it broke\n::error::all is lost\x1b[31m"
    standing = msgspec.structs.replace(
        STANDING,
        owner=loud,
        holder=loud,
        summary=loud,
        nodes=(NodeStanding("n1", "failed", "h2", True, loud),),
        leftovers=(Leftover(object=loud, what=loud, owner=loud, since="", age=1.0),),
        wishes=Wishes(
            paused=Pause(time="", identity="me", actor=loud, reason=loud),
            unreadable=loud,
            window=loud,
        ),
    )
    told = status_text((standing,), ((loud, loud),), ((loud, loud, loud),), ((loud, loud),))
    for line in told.split("\n"):
        assert line.isprintable()
        assert not line.lstrip().startswith("::")
    assert told.count("\n\n") == 3

"""How runs stand, as text and data: what is dangerous comes first."""

import msgspec

from bridgehead.core.rollout.standing import Leftover, NodeStanding, Standing
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
    leftovers=(Leftover("node/n1", "cordoned by this run"),),
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
    assert "left: node/n1: cordoned by this run" in told


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

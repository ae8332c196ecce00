"""How long a turn is put off, and by whom it is not: our own mark, another reason's time."""

import msgspec

from bridgehead.core.model.device import Offer
from bridgehead.core.model.node import HELD_BY
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, with_node
from bridgehead.core.rollout.turns import turns
from bridgehead.core.rollout.world import World
from tests.core.rollout.scenes import Scene
from tests.core.standin.cluster import GPU

TIMEOUT = 60.0
NOW = 1_700_001_000.0


def set_up(node: NodeState, *, held_by: str = "", devices: int = 4) -> tuple[Run, World]:
    """The first stage's turn, ``node`` being its only node; its pod is old."""
    scene = Scene()
    seen = scene.cluster.nodes[node.name]
    if held_by:
        seen.annotations[HELD_BY] = held_by
    seen.offers = {GPU: Offer(devices, devices)}
    run = scene.runner.run_value
    return msgspec.structs.replace(run, state=with_node(run.state, node)), scene.cluster.world()


def said(run: Run, world: World, now: float) -> list[str]:
    return [draft.result for draft in turns(run, world, now).notes]


def test_our_own_mark_puts_no_turn_off() -> None:
    run, world = set_up(NodeState(name="a1"), held_by="test-1")
    assert [node.name for node in turns(run, world, NOW).ready] == ["a1"]


def test_the_mark_of_another_run_does() -> None:
    run, world = set_up(NodeState(name="a1"), held_by="another")
    found = turns(run, world, NOW)
    assert found.ready == ()
    assert said(run, world, NOW) == ["waits"]


def test_too_few_devices_are_believed_after_six_status_periods_and_no_sooner() -> None:
    waiting = NodeState(name="a1", waits_since=NOW, fewer_since=NOW)
    run, world = set_up(waiting, devices=3)
    patience = 6.0 * run.plan.timing.status_period
    assert said(run, world, NOW + patience - 0.1) == []
    assert said(run, world, NOW + patience) == ["fewer"]
    assert patience < TIMEOUT


def test_too_few_devices_have_a_time_of_their_own_after_another_wait() -> None:
    long_ago = NOW - TIMEOUT + 1
    run, world = set_up(NodeState(name="a1", waits_since=long_ago), devices=3)
    assert said(run, world, NOW) == ["waits"]
    run, world = set_up(NodeState(name="a1", waits_since=long_ago, fewer_since=NOW), devices=3)
    assert said(run, world, NOW + 1) == []


def test_any_other_reason_has_the_timeout_from_the_beginning_of_the_wait() -> None:
    run, world = set_up(NodeState(name="a1", waits_since=NOW, fewer_since=None), held_by="another")
    assert said(run, world, NOW + TIMEOUT - 0.1) == []
    assert said(run, world, NOW + TIMEOUT) == ["set-aside"]

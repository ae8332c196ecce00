"""After a crash the cluster says whether an effect is there."""

import msgspec
import pytest

from bridgehead.core.model.component import FORMER_STRATEGY, RUN
from bridgehead.core.model.node import HELD_BY
from bridgehead.core.rollout.commands import (
    Baseline,
    Command,
    Cordon,
    CreateOwnPod,
    DeleteOwnPod,
    DeletePod,
    Evict,
    Flip,
    LetGo,
    Position,
    Purpose,
    RestoreStrategy,
    Role,
    TakeOver,
    Uncordon,
)
from bridgehead.core.rollout.lookup import happened
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import RunState
from bridgehead.core.rollout.world import World
from tests.core.standin.cluster import Cluster
from tests.core.standin.controller import ON_DELETE
from tests.core.standin.hand import Hand
from tests.core.standin.plans import plan_of
from tests.core.standin.versions import GOOD

PLAN = plan_of(("a1",))
RUN_VALUE = Run(name="run-1", plan=PLAN, state=RunState())


def cluster() -> Cluster:
    made = Cluster(("a1",), {"v2": GOOD})
    assert made.daemonset is not None
    made.daemonset.annotations[RUN] = "bridgehead/run-1/1"
    return made


def commands(made: Cluster) -> list[Command]:
    """Each command with its opposite after it, so that each finds what it expects."""
    uid = made.pod_of("a1").uid
    return [
        TakeOver(),
        Flip(to=Position.TARGET),
        Cordon(node="a1", purpose=Purpose.CHANGE, baseline=Baseline(offers={}), schedulable=True),
        DeletePod(node="a1", namespace="plugins", name="p", uid=uid),
        Uncordon(node="a1"),
        CreateOwnPod(node="a1", role=Role.PROBE),
        DeleteOwnPod(node="a1", role=Role.PROBE),
        Flip(to=Position.FORMER),
        RestoreStrategy(),
        LetGo(),
    ]


def test_each_effect_is_seen_once_it_is_there_and_not_before() -> None:
    made = cluster()
    hand = Hand(made, PLAN, "run-1")
    for command in commands(made):
        assert not happened(command, RUN_VALUE, made.world()), command
        hand.perform(command)
        assert happened(command, RUN_VALUE, made.world()), command


def test_a_strategy_that_was_on_delete_before_is_no_takeover() -> None:
    made = cluster()
    assert made.daemonset is not None
    made.daemonset.strategy = ON_DELETE
    assert not happened(TakeOver(), RUN_VALUE, made.world())
    made.daemonset.annotations[FORMER_STRATEGY] = "{}"
    assert happened(TakeOver(), RUN_VALUE, made.world())


def test_a_pod_that_is_gone_altogether_was_deleted() -> None:
    made = cluster()
    gone = DeletePod(node="a1", namespace="plugins", name="p", uid="never-seen")
    assert happened(gone, RUN_VALUE, made.world())


@pytest.mark.parametrize("holder", ["", "other-7"])
def test_a_cordon_of_somebody_else_is_not_ours(holder: str) -> None:
    made = cluster()
    node = made.nodes["a1"]
    node.unschedulable = True
    if holder:
        node.annotations[HELD_BY] = holder
    cordon = commands(made)[2]
    assert not happened(cordon, RUN_VALUE, made.world())


def test_a_node_that_is_gone_was_not_cordoned_and_needs_no_uncordon() -> None:
    made = cluster()
    cordon = commands(made)[2]
    made.leave("a1")
    assert not happened(cordon, RUN_VALUE, made.world())
    assert happened(Uncordon(node="a1"), RUN_VALUE, made.world())


def test_a_component_that_is_gone_was_let_go_and_holds_no_template() -> None:
    world = msgspec.structs.replace(World(component=None))
    assert happened(LetGo(), RUN_VALUE, world)
    assert not happened(Flip(to=Position.TARGET), RUN_VALUE, world)
    assert not happened(RestoreStrategy(), RUN_VALUE, world)


def test_an_eviction_has_happened_once_its_pod_is_on_its_way_out_or_gone() -> None:
    made = cluster()
    uid = made.hold_devices("a1", owner="Job")
    command = Evict(node="a1", namespace="default", name=uid, uid=uid)
    assert not happened(command, RUN_VALUE, made.world())
    Hand(made, PLAN, "run-1").perform(command)
    assert happened(command, RUN_VALUE, made.world())
    made.advance(made.workload_grace + 1)
    assert happened(command, RUN_VALUE, made.world())


def test_where_the_pods_of_a_node_were_not_read_an_eviction_is_not_known_to_have_happened() -> None:
    command = Evict(node="a1", namespace="default", name="p", uid="p")
    unread = msgspec.structs.replace(cluster().world(), requesters={})
    assert not happened(command, RUN_VALUE, unread)

"""How a run stands: what is told of nodes that others hold and of nodes that were set aside."""

import msgspec

from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.node import HELD_BY, Node
from bridgehead.core.plan.plan import SetAside
from bridgehead.core.rollout.leftovers import leftovers
from bridgehead.core.rollout.standing import NodeStanding, Standing, standing
from bridgehead.core.rollout.state import NodeState, NodeStatus, RunState
from bridgehead.report.status import status_text
from tests.core.rollout.scenes import Scene
from tests.core.standin.plans import plan_of

NOW = 1_700_000_000.0
PLAN = plan_of(("a1", "a2"), set_aside=(SetAside("a3", "NotReady"),))


def stand(*nodes: Node, states: tuple[NodeState, ...] = ()) -> Standing:
    return standing(
        run="test-1",
        owner="",
        plan=PLAN,
        state=RunState(nodes={item.name: item for item in states}),
        component=None,
        pods=(),
        own=(),
        nodes=nodes,
        holder="",
        now=NOW,
    )


def by_name(found: Standing) -> dict[str, NodeStanding]:
    return {item.name: item for item in found.nodes}


def test_who_else_holds_a_node_is_named() -> None:
    nodes = (
        Node(name="a1", annotations={HELD_BY: "other-1"}),
        Node(name="a2", annotations={HELD_BY: "test-1"}),
    )
    found = stand(*nodes)
    assert by_name(found)["a1"].reason == "held by the bridgehead run other-1"
    assert (by_name(found)["a2"].reason, by_name(found)["a2"].held) == ("", True)
    assert "held by the bridgehead run other-1" in status_text((found,))


def test_nodes_that_the_plan_sets_aside_are_listed_with_their_reason() -> None:
    aside = by_name(stand(Node(name="a3", ready=False)))["a3"]
    assert (aside.status, aside.reason) == ("set-aside", "NotReady")


def test_a_node_that_came_up_after_it_was_set_aside_is_told_as_what_it_is_now() -> None:
    passed = NodeState(name="a3", status=NodeStatus.PASSED)
    aside = by_name(stand(Node(name="a3", ready=True), states=(passed,)))["a3"]
    assert (aside.status, aside.reason) == ("passed", "")


def test_why_a_node_was_set_aside_on_the_way_is_told_unless_somebody_holds_it_now() -> None:
    state = NodeState(name="a1", status=NodeStatus.SET_ASIDE, reason="its devices are still held")
    assert by_name(stand(Node(name="a1"), states=(state,)))["a1"].reason == state.reason
    held = msgspec.structs.replace(Node(name="a1"), holds=("it is in maintenance",))
    assert by_name(stand(held, states=(state,)))["a1"].reason == "it is in maintenance"


def test_leftovers_tell_since_when_they_are_there_and_whose_they_are() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: runner.steps_text[-1] == "create-own-pod a1 done")
    cordoned = next(item.at for item in scene.journal if item.step == "cordon" and not item.result)
    scene.cluster.advance(60.0)
    world, now = scene.cluster.world(), scene.cluster.now
    found = leftovers(
        scene.runner.run_value.name,
        "platform",
        scene.runner.state,
        component=world.component,
        own=tuple(world.own.values()),
        nodes=tuple(world.nodes.values()),
        now=now,
    )
    by_object = {item.object.split("/")[0]: item for item in found}
    assert {item.owner for item in found} == {"platform"}
    assert by_object["node"].since == stamp(cordoned)
    assert by_object["node"].age == now - cordoned
    assert by_object["daemonset"].since == stamp(scene.runner.state.began_at)
    assert by_object["pod"].age == 60.0


def test_of_a_mark_that_the_journal_does_not_know_the_age_is_not_known() -> None:
    (found,) = stand(Node(name="a1", annotations={HELD_BY: "test-1"})).leftovers
    assert (found.since, found.age) == ("", None)

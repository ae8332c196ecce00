"""A gained node to which no pod comes, where the plan says hold: both ways on are open."""

import msgspec

from bridgehead.app.going_on import Ways, problems_of
from bridgehead.core.plan.settings import OnFailure, Reaction
from bridgehead.core.rollout.state import NodeStatus
from tests.core.rollout.asking import retry, without
from tests.core.rollout.test_placement import STAYS, cluster, plan, runner
from tests.core.standin.cluster import Cluster
from tests.core.standin.runner import Runner


def held_for_a_gain(made: Cluster) -> Runner:
    """No pod comes to g1, and the plan says that a failed canary holds."""
    made.nodes["g1"].labels.clear()
    wish = plan()
    spec = msgspec.structs.replace(wish.spec, on_failure=OnFailure(canary=Reaction.HOLD))
    run = runner(made, msgspec.structs.replace(wish, spec=spec))
    assert run.run().exit == 4
    assert made.nodes["g1"].unschedulable
    return run


def test_a_held_move_goes_on_without_a_gained_node_to_which_no_pod_comes() -> None:
    made = cluster()
    run = held_for_a_gain(made)
    assert list(problems_of(run.run_value, Ways(without=("g1",)))) == []
    without("g1")(made)
    ending = run.run()
    assert ending.exit == 4
    assert "g1 (left out by bob)" in ending.summary
    assert {run.state.node(name).status for name in STAYS} == {NodeStatus.PASSED}


def test_another_try_awaits_its_pod_anew_and_gives_the_node_back() -> None:
    made = cluster()
    run = held_for_a_gain(made)
    assert list(problems_of(run.run_value, Ways(retry=("g1",)))) == []
    made.advance(300.0)
    made.nodes["g1"].labels.update({"new": "yes", "nvidia.com/gpu.product": "A"})
    retry("g1")(made)
    ending = run.run()
    assert ending.exit == 0, ending
    assert run.state.node("g1").status is NodeStatus.PASSED
    assert made.leftovers == []

"""Runners that die after a deletion park each time: the node is not to blame for its successor."""

from bridgehead.core.rollout.commands import DeletePod
from tests.core.rollout.scenes import Scene
from tests.core.standin.cluster import Cluster
from tests.core.standin.plans import canary, plan_of
from tests.core.standin.runner import Runner

DEATHS = 3


def _just_deleted(runner: Runner) -> bool:
    return any(
        pod.deleting is not None
        for item in runner.state.working
        if item.work is not None
        if not any(isinstance(command, DeletePod) for command in runner.state.pending.values())
        for pod in runner.cluster.pods.values()
        if pod.node == item.name and pod.uid in item.work.deleted
    )


def test_a_successor_that_came_while_parked_is_replaced_however_often_a_runner_died() -> None:
    plan = plan_of(("a1",), stages=(canary("canary", "a1", soak=2.0),), restart_tests=False)
    scene = Scene(nodes=("a1",), plan=plan)
    runner = scene.runner
    for _ in range(DEATHS):
        runner.until(_just_deleted)
        scene.cluster.advance(0.5)
        runner = Runner(scene.cluster, plan, journal=runner.journal)
        runner.interrupt()
        _successor_comes(scene.cluster)
    assert runner.run().exit == 0
    assert scene.cluster.tags() == {"a1": "v2"}
    assert "node a1 failed" not in runner.steps_text


def _successor_comes(cluster: Cluster) -> None:
    """Its pod comes up on the template that stands now, the former one."""
    cluster.advance(2.0)
    assert cluster.tags() == {"a1": "v1"}

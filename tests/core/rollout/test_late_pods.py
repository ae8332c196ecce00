"""Pods of another revision: how long the end waits for them, and whom a return is judged of."""

import msgspec
import pytest

from bridgehead.core.plan.plan import SetAside
from bridgehead.core.rollout.commands import Position
from bridgehead.core.rollout.finish import close
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.watch import newcomers
from bridgehead.core.rollout.world import World
from tests.core.rollout.scenes import Scene
from tests.core.standin.controller import hash_of, template_of

TIMEOUT = 60.0
TARGET = hash_of(template_of("v2"))


def closing(
    *, deleting: bool, created: float, last_at: float, now: float = 1_700_001_000.0
) -> tuple[Run, World, float]:
    """All nodes carry the target but b2; its pod and the last record are so many seconds old."""
    scene = Scene()
    for pod in scene.cluster.pods.values():
        pod.revision = TARGET
        if pod.node == "b2":
            pod.revision, pod.created = "another", now - created
            pod.deleting = now - created if deleting else None
    run = scene.runner.run_value
    state = msgspec.structs.replace(
        run.state, taken_over=True, template=Position.TARGET, last_at=now - last_at
    )
    return msgspec.structs.replace(run, state=state), scene.cluster.world(), now


@pytest.mark.parametrize(
    ("deleting", "created", "last_at", "waits"),
    [
        pytest.param(True, 1000, TIMEOUT - 1, True, id="on its way out since the last record"),
        pytest.param(True, 1000, TIMEOUT, False, id="on its way out for ever"),
        pytest.param(True, 1, TIMEOUT, False, id="on its way out for ever though young"),
        pytest.param(False, TIMEOUT - 1, 1000, True, id="young"),
        pytest.param(False, TIMEOUT, 1, False, id="old though a record was just written"),
    ],
)
def test_the_end_waits_for_a_pod_that_may_still_change_by_itself(
    deleting: bool,
    created: float,
    last_at: float,
    waits: bool,
) -> None:
    run, world, now = closing(deleting=deleting, created=created, last_at=last_at)
    step = close(run, world, now, keep=TARGET)
    assert step is not None
    assert step.commands == ()
    assert bool(step.waiting_for) is waits
    assert (step.ending is not None) is not waits


def test_a_node_that_was_set_aside_is_judged_on_the_target_only_once_it_is_ready() -> None:
    scene = Scene(set_aside=(SetAside("c1", "NotReady"),), nodes=("a1", "a2", "b1", "b2"))
    scene.cluster.join("c1")
    scene.cluster.advance(5.0)
    scene.runner.until(lambda runner: runner.state.template is Position.TARGET)
    scene.cluster.advance(2.0)
    node, pod = scene.cluster.nodes["c1"], scene.cluster.pod_of("c1")
    pod.revision = TARGET
    node.ready = False
    assert newcomers(scene.runner.run_value, scene.cluster.world()).notes == ()
    node.ready = True
    notes = newcomers(scene.runner.run_value, scene.cluster.world()).notes
    assert [(draft.node, draft.result) for draft in notes] == [("c1", "arrived")]

"""The state that a rehearsal begins with: whole where it matters, and only read."""

import json
from collections import Counter
from pathlib import Path

from bridgehead.app.rehearse_stage import staged
from bridgehead.app.rehearse_state import State, live_state, recorded_state
from bridgehead.core.plan.settings import (
    ComponentKind,
    ComponentRef,
    ContainerImage,
    ImagesChange,
    RolloutSpec,
)
from bridgehead.twin.seeding.generic import NAMESPACE, PLUGIN, generic_seed
from bridgehead.twin.seeding.recorded import seed_of
from bridgehead.twin.virtual.loop import run_virtual
from tests.cluster.use_cases import Nobody

AT = 1_767_225_600.0
SPEC = RolloutSpec(
    name="up",
    component=ComponentRef(ComponentKind.DAEMON_SET, NAMESPACE, PLUGIN),
    change=ImagesChange((ContainerImage("plugin", "registry.example/device-plugin:1.1.0"),)),
)


def _live(state: State | None = None) -> tuple[State, int]:
    """The state of a twin as a live cluster, and how many writes reading it took."""

    async def read() -> tuple[State, int]:
        seed = generic_seed(3, at=AT)
        if state is not None:
            seed = seed_of([dict(item) for item in state.objects], at=AT)
        async with staged(seed, SPEC, chance=0, watcher=Nobody()) as stage:
            before = stage.twin.store.version
            found = await live_state(stage.session.kube, now=AT, namespace=NAMESPACE)
            return found, stage.twin.store.version - before

    return run_virtual(read(), start=AT)


def test_a_live_cluster_gives_templates_whole_and_is_only_read() -> None:
    state, writes = _live()
    assert writes == 0
    kinds = Counter(str(item["kind"]) for item in state.objects)
    assert kinds == {"Node": 3, "Pod": 4, "DaemonSet": 1, "ControllerRevision": 1}
    daemon_set = next(item for item in state.objects if item["kind"] == "DaemonSet")
    assert "example.com/accelerator" in json.dumps(daemon_set)


def test_a_twin_of_a_twin_is_the_same_cluster() -> None:
    first, _ = _live()
    second, _ = _live(first)
    of_first = {(node.name, tuple(sorted(node.offers.items()))) for node in first.snapshot.nodes}
    of_second = {(node.name, tuple(sorted(node.offers.items()))) for node in second.snapshot.nodes}
    assert of_first == of_second
    assert {pod.name for pod in first.snapshot.pods} == {pod.name for pod in second.snapshot.pods}
    revisions = [state.snapshot.revisions[0][1] for state in (first, second)]
    assert revisions[0] == revisions[1]


def test_a_folder_of_objects_is_read_whole(tmp_path: Path) -> None:
    objects = generic_seed(2, at=AT).objects
    for number, item in enumerate(objects):
        (tmp_path / f"{number}.json").write_text(json.dumps(item), encoding="utf-8")
    (tmp_path / "recorded.yaml").write_text("at: 2026-01-01T00:00:00Z\n", encoding="utf-8")
    state = recorded_state(tmp_path, None)
    assert len(state.objects) == len(objects)
    assert state.snapshot.at == AT

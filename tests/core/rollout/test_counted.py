"""Of which nodes it is asked who holds their devices: only where an answer is used."""

from itertools import pairwise

from bridgehead.core.rollout.tracking import counted, in_flight
from tests.core.rollout.scenes import Scene
from tests.core.standin.runner import Runner
from tests.core.standin.versions import GOOD


def looks(settle: float) -> list[tuple[bool, bool, bool]]:
    """Of each turn with a node in flight: counted, its pod deleted, its probe begun by the turn."""
    seen: list[tuple[bool, bool, bool]] = []

    def watch(runner: Runner) -> None:
        run = runner.run_value
        for node in in_flight(run):
            now = node.name in counted(run, runner.tracks, runner.cluster.now)
            deleted = node.work is not None and node.work.deleted_at is not None
            seen.append((now, deleted, bool(node.own_pods)))

    Scene(GOOD, nodes=("a1",), settle=settle, watch=watch).run()
    return seen


def test_pods_are_read_before_a_deletion() -> None:
    assert all(now for now, deleted, _ in looks(20.0) if not deleted)


def test_pods_are_read_before_the_probe_and_not_while_the_node_settles() -> None:
    seen = looks(20.0)
    settling = [now for now, deleted, probing in seen if deleted and not probing]
    assert settling.count(False) > settling.count(True) > 0
    before = [first for first, second in pairwise(seen) if first[1] and not first[2] and second[2]]
    assert before
    assert all(now for now, _, _ in before)


def test_pods_are_not_read_while_the_probe_runs() -> None:
    assert not any(now for now, deleted, probing in looks(20.0) if deleted and probing)

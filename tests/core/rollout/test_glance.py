"""A node that is as it was is not looked at again, and nothing is missed for that."""

from collections.abc import Mapping

import msgspec
import pytest

from bridgehead.core.rollout.decide import decide
from bridgehead.core.rollout.tracking import follow
from bridgehead.core.verify.track import Track
from tests.core.rollout.scenes import Scene
from tests.core.standin.runner import Runner
from tests.core.standin.versions import BAD, GOOD, Version


def without_memory(tracks: Mapping[str, Track]) -> dict[str, Track]:
    return {name: msgspec.structs.replace(track, rests_on=()) for name, track in tracks.items()}


@pytest.mark.parametrize(
    "version",
    [
        GOOD,
        Version(flaps=8.0),
        Version(unready_after=25.0),
        BAD["crashes after 20 s"],
        BAD["devices turn unhealthy"],
        BAD["log names a fault"],
    ],
)
def test_every_decision_is_the_one_of_a_runner_that_always_looks(version: Version) -> None:
    plain: dict[str, Track] = {}
    remembered = 0

    def watch(runner: Runner) -> None:
        nonlocal plain, remembered
        run, world, now = runner.run_value, runner.cluster.world(), runner.cluster.now
        plain = without_memory(follow(run, world, plain, now))
        tracks = follow(run, world, runner.tracks, now)
        remembered += sum(bool(track.rests_on) for track in tracks.values())
        assert without_memory(tracks) == plain
        assert decide(run, world, tracks, now) == decide(run, world, plain, now)

    Scene(version, nodes=("a1", "a2", "b1"), watch=watch).run()
    assert remembered or version is not GOOD


def test_a_node_that_passed_and_is_as_it_was_keeps_its_track() -> None:
    kept: list[bool] = []

    def watch(runner: Runner) -> None:
        run, world, now = runner.run_value, runner.cluster.world(), runner.cluster.now
        tracks = follow(run, world, runner.tracks, now)
        later = follow(run, world, tracks, now + 60.0)
        kept.extend(later[name] is track for name, track in tracks.items() if track.rests_on)

    Scene(nodes=("a1", "a2"), watch=watch).run()
    assert kept
    assert all(kept)

"""A rollout in slices of time: the same command with `--for`, again and again until it is done.

How often that takes is chance: a node is as slow as its machine. Hence no scenario file.
"""

import asyncio
import re
from functools import partial

import pytest

from tests.scenarios.asking import command_line, options
from tests.scenarios.conftest import SetStage
from tests.scenarios.ground import Typed
from tests.scenarios.playing import LONGEST
from tests.scenarios.reading import parse_scenario
from tests.scenarios.setting import prepare
from tests.scenarios.sighting import Sighting, look
from tests.scenarios.stage import Stage

FILE = """
kind: Scenario
says: Slices of two estimates each, repeated, bring a rollout to its end.
runsOn: [kubelet]
images:
  fake:v1: {}
  fake:v2: {}
given:
  nodes: [{}, {}, {}]
  plugin: {image: fake:v1, devices: 4}
  workloads: [{node: 0, devices: 1}, {node: 2, devices: 1}]
spec:
  change: {images: {plugin: fake:v2}}
  canary: {nodes: ["${node0}"], restartTest: never}
  verify: {settle: 8s, timeout: 60s, soak: {canary: 10s, wave: 10s}}
  waves: [{nodes: 1, parallel: 1}, {nodes: 100%, parallel: 1}]
expect: {exit: 0}
"""
"""`settle` makes the estimate so long that one node of a slow machine does not use two of them up,
and the soaks make three nodes longer than that however fast the machine is.
"""


async def command(stage: Stage, words: str) -> tuple[int, str]:
    """Type it, and wait for its end: the exit code and all that was printed."""
    typed = Typed([*command_line(stage, words), *options(stage, None)])
    done = await stage.cluster.in_turn(partial(stage.cluster.command, typed, timeout=LONGEST))
    return done.exit, done.err + done.out


def changed(stage: Stage, seen: Sighting) -> int:
    """How many nodes run the new version."""
    return list(seen.images.values()).count(stage.image("fake:v2"))


@pytest.mark.cluster
async def test_slices_of_two_estimates_bring_a_rollout_to_its_end(set_stage: SetStage) -> None:
    stage = await set_stage(parse_scenario(FILE, "slices"))
    await asyncio.to_thread(prepare, stage)
    before = await asyncio.to_thread(look, stage)

    code, said = await command(stage, "rollout --for 1s")
    assert code == 2, said
    assert await asyncio.to_thread(look, stage) == before
    proposed = re.search(r"a node takes about 20s.*--for (40s) or more", said, re.DOTALL)
    assert proposed, said

    words = f"rollout --for {proposed[1]}"
    done = 0
    while True:
        code, said = await command(stage, words)
        if code == 0:
            break
        assert code == 5, said
        seen = await asyncio.to_thread(look, stage)
        assert seen.containers == before.containers
        assert "time used up" in said
        assert changed(stage, seen) > done, said
        done = changed(stage, seen)
        assert (seen.strategy, seen.leftovers) == ("OnDelete", ["component claimed"])

    assert done > 0, "one slice was enough"
    after = await asyncio.to_thread(look, stage)
    assert changed(stage, after) == len(stage.nodes)
    assert (after.devices, after.containers) == (before.devices, before.containers)
    assert (after.strategy, after.leftovers) == ("RollingUpdate", [])

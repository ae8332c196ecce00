"""A window that closes in the middle of a run, and the next one, a day later by the runner's clock.

The rollout runs in this process, with a clock of the test's own: the window closes a minute after
the beginning, and nobody waits a day for the next one.
"""

import asyncio
import time
from datetime import UTC, datetime, timedelta

import pytest

from bridgehead.app.rollout import Options, rollout
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session
from bridgehead.core.rollout.state import Ending
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.spec import SpecAccepted, read_spec
from tests.cluster.use_cases import Nobody
from tests.scenarios.conftest import SetStage
from tests.scenarios.reading import parse_scenario
from tests.scenarios.setting import prepare
from tests.scenarios.sighting import look
from tests.scenarios.stage import Stage

FILE = """
kind: Scenario
says: A window that closes in the middle parks the run between nodes; in the next one it goes on.
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
  verify: {soak: {canary: 50s}}
expect: {exit: 5}
"""
"""After this soak no node fits in before the window closes, however fast the canary was."""

OPEN = 60.0
"""Seconds for which the window is still open at the beginning."""


class Clock:
    """The machine's clock, put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead

    def put_to(self, moment: datetime) -> None:
        self.ahead = moment.timestamp() - time.time()


async def run(stage: Stage, clock: Clock, windows: str) -> Ending:
    """The rollout's command once."""
    read = read_spec(stage.spec_text + windows, "bridgehead.yaml")
    assert isinstance(read, SpecAccepted), read
    async with await Kube.connect(load_config(stage.kubeconfig)) as kube:
        session = Session(
            kube=kube,
            clock=clock,
            watcher=Nobody(),
            stop=asyncio.Event(),
            state_namespace=stage.state_namespace,
            host="scenario",
        )
        result = await rollout(session, read.spec, read.text, Options())
    assert isinstance(result, Ended), result
    return result.ending


@pytest.mark.cluster
async def test_a_run_whose_window_closes_goes_on_in_the_next_one(set_stage: SetStage) -> None:
    stage = await set_stage(parse_scenario(FILE, "window"))
    await asyncio.to_thread(prepare, stage)
    before = await asyncio.to_thread(look, stage)
    clock = Clock()
    closes = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(minutes=2)
    opens = closes - timedelta(hours=2)
    windows = f"windows: [{{from: '{opens:%H:%M}', to: '{closes:%H:%M}', timezone: UTC}}]\n"
    next_day = opens + timedelta(days=1)

    clock.put_to(closes - timedelta(seconds=OPEN))
    ending = await run(stage, clock, windows)

    assert ending.exit == 5
    assert f"the next opens {next_day:%Y-%m-%d %H:%M} UTC" in ending.summary
    parked = await asyncio.to_thread(look, stage)
    versions = [parked.images[number] for number in range(3)]
    assert versions == [stage.image(name) for name in ("fake:v2", "fake:v1", "fake:v1")]
    assert (parked.strategy, parked.leftovers) == ("OnDelete", ["component claimed"])

    clock.put_to(closes)
    ending = await run(stage, clock, windows)

    assert ending.exit == 5
    assert "no window is open" in ending.summary
    assert await asyncio.to_thread(look, stage) == parked

    clock.put_to(next_day)
    ending = await run(stage, clock, windows)

    assert ending.exit == 0, ending.summary
    after = await asyncio.to_thread(look, stage)
    assert set(after.images.values()) == {stage.image("fake:v2")}
    assert after.plugin_uids[0] == parked.plugin_uids[0]
    assert (after.devices, after.containers) == (before.devices, before.containers)
    assert (after.strategy, after.leftovers) == ("RollingUpdate", [])

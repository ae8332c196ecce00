"""What tests of scenarios share: a stage for each."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Protocol

import pytest

from testbed.cluster import Cluster
from testbed.fixtures import LeaseNodes
from tests.scenarios.real_ground import RealGround
from tests.scenarios.scenario import Scenario
from tests.scenarios.setting import clean
from tests.scenarios.stage import Stage


class SetStage(Protocol):
    """Type of the fixture `set_stage`."""

    def __call__(self, scenario: Scenario, *, administrator: bool = False) -> Awaitable[Stage]: ...


@pytest.fixture
async def set_stage(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str, tmp_path: Path
) -> AsyncIterator[SetStage]:
    """`await set_stage(scenario)`: nodes and a namespace for it; cleaned at the test's end."""
    async with AsyncExitStack() as stack:

        async def prepared(scenario: Scenario, *, administrator: bool = False) -> Stage:
            nodes = await lease_nodes(len(scenario.given.nodes))
            ordered = tuple(sorted(nodes, key=lambda node: node.name))
            stage = Stage(
                RealGround(cluster.name), scenario, ordered, namespace, tmp_path, administrator
            )
            return await stack.enter_async_context(_cleaned(stage))

        yield prepared


@asynccontextmanager
async def _cleaned(stage: Stage) -> AsyncIterator[Stage]:
    try:
        yield stage
    finally:
        await asyncio.to_thread(clean, stage)

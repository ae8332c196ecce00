"""The world of a run over many nodes: what changes at the same time is looked at together."""

import asyncio
from random import Random

from bridgehead.app.planning import plan_live
from bridgehead.app.rehearse_stage import staged
from bridgehead.cluster.feed import WorldFeed
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World
from bridgehead.kube.resources import NODES
from bridgehead.spec import SpecAccepted, read_spec
from bridgehead.twin.seeding.generic import NAMESPACE, PLUGIN, generic_seed
from tests.twin.virtually import START, virtually

NODE_COUNT = 200
CHANGED = 40
SPEC = f"""\
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata: {{name: many}}
component: {{daemonSet: {{namespace: {NAMESPACE}, name: {PLUGIN}}}}}
change: {{images: {{plugin: 'registry.example/device-plugin:1.1.0'}}}}
"""


class _Nobody:
    def tell(self, entry: object) -> None: ...
    def say(self, words: str) -> None: ...
    def look(self, run: Run, world: World, decision: Decision) -> None: ...


@virtually
async def test_many_nodes_that_change_within_a_moment_wake_a_run_a_few_times_only() -> None:
    read = read_spec(SPEC, "bridgehead.yaml")
    assert isinstance(read, SpecAccepted)
    seed = generic_seed(NODE_COUNT, at=START)
    async with staged(seed, read.spec, chance=1, watcher=_Nobody()) as stage:
        kube = stage.session.kube
        plan = (await plan_live(kube, read.spec, now=stage.session.clock())).result
        assert isinstance(plan, Plan)
        async with WorldFeed(kube, plan, "many-1") as feed:
            await feed.changed(1.0)
            names = Random(1).sample(plan.nodes, CHANGED)

            async def cordon() -> None:
                for name in names:
                    await kube.patch_merge(NODES, name, {"spec": {"unschedulable": True}})

            cordoning = asyncio.create_task(cordon())
            woken = 0
            while sum(node.unschedulable for node in feed.snapshot().nodes.values()) < CHANGED:
                await feed.changed(1.0)
                woken += 1
            await cordoning
    assert woken < CHANGED / 4

"""Short ways to set a scene: a cluster of four nodes of two kinds, a plan, a runner."""

from collections.abc import Callable, Mapping
from typing import Any

from bridgehead.core.journal.entry import Entry
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.state import Ending
from tests.core.standin.cluster import Cluster
from tests.core.standin.plans import plan_of
from tests.core.standin.runner import Runner
from tests.core.standin.versions import GOOD, Version

FOUR = ("a1", "a2", "b1", "b2")


class Scene:
    """A cluster under one run."""

    def __init__(
        self,
        version: Version = GOOD,
        *,
        nodes: tuple[str, ...] = FOUR,
        during: Mapping[str, Callable[[Cluster], None]] | None = None,
        plan: Plan | None = None,
        watch: Callable[[Runner], None] | None = None,
        **planned: Any,
    ) -> None:
        self.cluster = Cluster(nodes, {"v2": version})
        self.plan = plan or plan_of(nodes, **planned)
        self.runner = Runner(self.cluster, self.plan, during=during, watch=watch)
        self.before = self.cluster.uids()

    def run(self) -> Ending:
        return self.runner.run()

    @property
    def journal(self) -> list[Entry]:
        return self.runner.journal

    @property
    def steps(self) -> list[str]:
        return self.runner.steps_text

    @property
    def touched(self) -> set[str]:
        """Nodes whose plugin pod is not the one from before."""
        after = self.cluster.uids()
        return {name for name, uid in self.before.items() if after.get(name) != uid}

    @property
    def standing(self) -> str:
        """Version in the component's template, and its strategy."""
        component = self.cluster.daemonset
        assert component is not None
        value = component.value(component.annotations)
        return f"{value.images['plugin'].rpartition(':')[2]} {value.strategy_type}"

"""What a runner that takes over finds: a lost outcome beside a foreign write, an ending.

That a run ends the same wherever its runner dies is shown of the app's loop: tests/app/test_crash.
"""

import copy

import msgspec

from bridgehead.core.journal.entry import Entry
from bridgehead.core.plan.plan import Plan
from tests.core.standin.cluster import Cluster
from tests.core.standin.plans import canary, plan_of
from tests.core.standin.runner import Runner
from tests.core.standin.versions import GOOD

Crash = tuple[Cluster, list[Entry]]
"""What is left when a runner dies: the cluster and the journal."""


def crashes(plan: Plan) -> list[Crash]:
    """What would be left after each record and each effect of a good run."""
    found: list[Crash] = []
    runner = Runner(
        Cluster(("a1",), {"v2": GOOD}),
        plan,
        after_step=lambda runner: found.append(
            (copy.deepcopy(runner.cluster), list(runner.journal))
        ),
    )
    assert runner.run().exit == 0
    return found


PLAN = plan_of(("a1",), stages=(canary("canary", "a1", soak=3.0),), settle=2.0, timeout=12.0)


def test_a_write_of_somebody_else_beside_a_lost_outcome_does_not_pass_for_ours() -> None:
    cluster, journal = next(
        crash for crash in crashes(PLAN) if crash[1][-1].step == "flip" and _flipped(crash)
    )
    assert cluster.daemonset is not None
    cluster.daemonset.write(cluster.now, "kubectl", strategy={"type": "OnDelete", "x": 1})
    cluster.advance(2)
    ending = Runner(cluster, PLAN, journal=journal).run()
    assert ending.exit == 4
    assert "was changed by kubectl" in ending.summary


def _flipped(crash: Crash) -> bool:
    """Whether the effect is there and its outcome is not recorded."""
    component = crash[0].daemonset
    return component is not None and component.template == PLAN.target_template


def test_an_ended_run_gives_the_same_ending_again() -> None:
    cluster, journal = crashes(PLAN)[-1]
    first = Runner(cluster, PLAN, journal=journal).run()
    again = Runner(cluster, PLAN, journal=journal).run()
    assert first.exit == 0
    assert again == msgspec.structs.replace(first, failure=None)

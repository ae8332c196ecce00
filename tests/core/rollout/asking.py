"""Short ways to file requests with the stand-in, and to go on with a run in another runner."""

from collections.abc import Callable

import msgspec

from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.approvals import binding
from bridgehead.core.rollout.control import Abort, Approve, Pause, Resume
from bridgehead.core.rollout.limits import Limits
from tests.core.rollout.scenes import Scene
from tests.core.standin.cluster import Cluster
from tests.core.standin.runner import Runner

WHEN = "2026-01-02T03:04:05.000Z"

Act = Callable[[Cluster], None]


def pause(cluster: Cluster) -> None:
    """Alice asks for a pause."""
    cluster.control.append(Pause(time=WHEN, identity="alice", reason="lunch"))


def resume(cluster: Cluster) -> None:
    """Bob asks to go on, and says nothing of any node."""
    cluster.control.append(Resume(time=WHEN, identity="bob"))


def without(*nodes: str) -> Act:
    """Bob asks to go on without these nodes."""
    return lambda cluster: cluster.control.append(Resume(time=WHEN, identity="bob", without=nodes))


def retry(*nodes: str) -> Act:
    """Bob asks to go on, with another try of these nodes."""
    return lambda cluster: cluster.control.append(Resume(time=WHEN, identity="bob", retry=nodes))


def abort(cluster: Cluster) -> None:
    """Dave asks for an abort."""
    cluster.control.append(Abort(time=WHEN, identity="dave"))


def approve(plan: Plan, point: str, *, by: str = "carol", expires: str = "") -> Act:
    """An approval of a point of this plan."""
    request = Approve(
        time=WHEN,
        identity=by,
        point=point,
        change_digest=plan.change_digest,
        binds=binding(plan),
        expires=expires,
    )
    return lambda cluster: cluster.control.append(request)


def go_on(scene: Scene, limits: Limits = Limits(), *, after: float = 5.0) -> Runner:  # noqa: B008
    """Another runner takes the run up, some seconds later."""
    scene.cluster.advance(after)
    scene.runner = Runner(scene.cluster, scene.plan, journal=scene.runner.journal, limits=limits)
    return scene.runner


def asking(plan: Plan, **settings: object) -> Plan:
    """The plan with other settings of its spec: approvals, windows."""
    return msgspec.structs.replace(plan, spec=msgspec.structs.replace(plan.spec, **settings))

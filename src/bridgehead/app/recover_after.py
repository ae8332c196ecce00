"""Recovery without a person: after a run has stopped on a failure, as far as its spec allows.

It is never part of a run. The run has ended its own part, parked what it parks and given its lock
back; what is done here is done under the lock anew, one node at a time, with every precondition,
and only where the diagnosis names a cause that the rung repairs. The run stays as it stopped:
whether it goes on is still a person's to say.
"""

from collections.abc import Sequence

from bridgehead.app.loop import Stopped
from bridgehead.app.recover import Diagnose, LeftAlone, NodeUnclearError, Request, take_alone
from bridgehead.app.recover_acts import Acted, ActStopped
from bridgehead.app.recover_look import Asked, NoSuchPluginError
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session
from bridgehead.cluster.errors import ClusterError
from bridgehead.core.plan.settings import AllowedRecovery
from bridgehead.core.recover.limits import LIMITS, Limits
from bridgehead.core.recover.rung import Rung, rung_of
from bridgehead.core.rollout.resuming import FAILED
from bridgehead.kube.errors import KubeError
from bridgehead.report.plain import plain_line

STOPPED = 4
"""Exit of a run that waits for a person."""


async def after_a_stop(
    session: Session, ended: Ended, diagnose: Diagnose, *, limits: Limits = LIMITS
) -> tuple[Acted, ...]:
    """What was done on the nodes that failed; nothing where the spec allows nothing.

    A lock that somebody else has taken meanwhile, a server that does not answer, or the wish to
    stop ends it: it is said, and the run's own ending stands. ``diagnose`` looks anew each time.
    """
    spec = ended.run.plan.spec
    allowed = rung_of(spec.allow.recover.value)
    if spec.allow.recover is AllowedRecovery.NONE or ended.ending.exit != STOPPED:
        return ()
    done: list[Acted] = []
    for node in _failed(ended):
        request = Request(
            asked=Asked(component=spec.component, own_run=ended.run.name, limits=limits),
            node=node,
            owner=spec.owner or "",
        )
        try:
            acted = await take_alone(session, request, diagnose, allowed)
        except (KubeError, ClusterError, NoSuchPluginError, NodeUnclearError) as error:
            session.watcher.say(plain_line(f"no recovery on {node}: {error}"))
            break
        except Stopped as stopping:
            session.watcher.say(_broken_off(stopping, node))
            break
        if isinstance(acted, LeftAlone):
            session.watcher.say(plain_line(f"no recovery on {node}: {acted.why}"))
        else:
            session.watcher.say(_told(acted, allowed))
            done.append(acted)
    return tuple(done)


def _failed(ended: Ended) -> Sequence[str]:
    nodes = ended.run.state.nodes.values()
    return sorted(node.name for node in nodes if node.status in FAILED)


def _broken_off(stopping: Stopped, node: str) -> str:
    """What is left where it was told to stop."""
    if not isinstance(stopping, ActStopped):
        return f"no recovery on {node}: told to stop before anything was done"
    acted = stopping.acted
    return plain_line(f"recovery on {node} is not verified: {acted.said}")


def _told(acted: Acted, allowed: Rung | None) -> str:
    word = "has helped" if acted.verified else "has not helped"
    name = allowed.value if allowed else "none"
    return plain_line(
        f"recovery on {acted.situation.node.name} (allow.recover: {name}): "
        f"{acted.assessment.rung.value} {word}: {acted.said}"
    )

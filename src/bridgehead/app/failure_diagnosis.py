"""What went wrong on the nodes of a run that fails: read the moment it is noted, told at its end.

The way back removes the proof, so the cluster is read while the way back begins, beside it: nothing
waits for this, and whatever goes wrong with it is only said. At the end of a run, which has ended
anyway, a few seconds are spent on it and no more.
"""

import asyncio

import msgspec

from bridgehead.app.gathering import gather
from bridgehead.app.history import history_of_last_runs
from bridgehead.app.session import Session
from bridgehead.core.diagnose.as_they_failed import AsItFailed, as_they_failed
from bridgehead.core.diagnose.cause import Blame
from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.diagnose.explained import Explained
from bridgehead.core.diagnose.log_choice import logs_near
from bridgehead.core.diagnose.question import Question
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import text
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.rollout.commands import Purpose
from bridgehead.core.rollout.world import World
from bridgehead.kube.errors import KubeError

READING = 30.0
"""Seconds that reading the cluster may take."""
WAITING = 10.0
"""Seconds that the ending of a run waits for it at most."""
_BEFORE_OTHERS = 0.2
"""Seconds in which other nodes that fail at the same moment are still taken in."""
_OF_THE_FORMER = frozenset({Purpose.RESTART.value, Purpose.TAKE_BACK.value})
"""What nodes have done with the version that they had before."""
_LEFT_OUT = frozenset({Need.DRY_RUNS, Need.ACCESS, Need.REGISTRY, Need.NODE_EVIDENCE})


class FailureDiagnosis:
    """Listens to a run's records, and reads the cluster once when the first node fails."""

    def __init__(self, session: Session, component: ComponentRef) -> None:
        self._session = session
        self._component = component
        self._world: World | None = None
        self._own: dict[str, Pod] = {}
        """Pods of the run as they were seen last, but for those that have what they asked for: of
        those that never get it, some are gone before their node fails."""
        self._moments: dict[str, AsItFailed] = {}
        self._nodes: list[str] = []
        self._former_back: set[str] = set()
        self._reading: asyncio.Task[Observed] | None = None

    def look(self, world: World) -> None:
        """What the run looks at now; what it records of it comes next."""
        if not self._session.explains_failures:
            return
        self._world = world
        for pod in world.own.values():
            if _served(pod):
                self._own.pop(pod.uid, None)
            else:
                self._own[pod.uid] = pod

    def tell(self, entry: Entry) -> None:
        """A record was written."""
        if entry.step != "node" or not self._session.explains_failures:
            return
        former = text(entry.detail, "purpose") in _OF_THE_FORMER
        if former and entry.result == "verified":
            self._former_back.add(entry.node)
        if entry.result != "failed":
            return
        if former:
            self._former_back.discard(entry.node)
        if entry.node not in self._nodes:
            self._nodes.append(entry.node)
            self._keep(entry.node, text(entry.detail, "gate", "gate"))
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())

    def _keep(self, name: str, gate: str) -> None:
        """The node as it is at this moment: its pod may be gone before it is read."""
        world = self._world
        node = world.nodes.get(name) if world is not None else None
        if world is None or node is None:
            return
        own = (pod for pod in self._own.values() if pod.node == name)
        pods = world.pods.get(name, ())
        self._moments[name] = AsItFailed(
            gate=gate,
            node=node,
            pods=tuple(pod for pod in pods if not pod.deleting) or pods,
            users=(*world.refused.get(name, ()), *own),
            logs=world.logs,
        )

    def forget(self) -> None:
        """The run is left: nobody will ask."""
        if self._reading is not None:
            self._reading.cancel()

    async def explained(self) -> Explained | None:
        """What is to be told of the failure; None where no node failed. Raises nothing."""
        if self._reading is None:
            return None
        nodes = tuple(sorted(self._nodes))
        done, _ = await asyncio.wait({self._reading}, timeout=WAITING)
        if not done:
            self._reading.cancel()
            return _without(nodes, f"reading the cluster took more than {WAITING:.0f} s")
        if (error := self._reading.exception()) is not None:
            return _without(nodes, str(error) if isinstance(error, KubeError) else repr(error))
        judging = asyncio.create_task(self._judge(self._reading.result(), nodes))
        await asyncio.wait({judging})
        if (error := judging.exception()) is not None:
            return _without(nodes, repr(error))
        return judging.result()

    async def _read(self) -> Observed:
        from bridgehead.app.diagnose import needs  # noqa: PLC0415 - all rules: most runs go well

        await asyncio.sleep(_BEFORE_OTHERS)
        ref, wanted = str(self._component), tuple(self._nodes)
        session = self._session
        async with asyncio.timeout(READING):
            # Its own record has what the nodes offered before they were touched.
            before = await history_of_last_runs(session.kube, session.state_namespace, ref)
            return await gather(
                session.kube,
                needs() - _LEFT_OUT,
                now=session.clock(),
                namespaces=(self._component.namespace,),
                extra=before,
                whose_logs=lambda bare: logs_near(bare, ref, wanted),
            )

    async def _judge(self, observed: Observed, nodes: tuple[str, ...]) -> Explained:
        from bridgehead.app.diagnose import diagnosed  # noqa: PLC0415 - all rules
        from bridgehead.core.diagnose.scene import Scene  # noqa: PLC0415
        from bridgehead.core.diagnose.too_early import begun_lately  # noqa: PLC0415

        component = str(self._component)
        observed = as_they_failed(observed, component, self._moments, self._former_back)
        told = _told(diagnosed(observed, Question(component=component, nodes=nodes)), nodes)
        if told.causes or told.too_early:
            return told
        early = begun_lately(Scene(observed), component, nodes)
        return msgspec.structs.replace(told, too_early=early)


def _served(pod: Pod) -> bool:
    """Whether it came as far as it should: such a pod ends as soon as its container is made."""
    return pod.terminal and not pod.refused


def _told(diagnosis: Diagnosis, nodes: tuple[str, ...]) -> Explained:
    """What is only seen, or unexplained, is no cause: the failed gate has said that much."""
    causes = tuple(
        item
        for item in diagnosis.causes
        if item.severity is not Severity.INFO and item.blame is not Blame.UNKNOWN
    )
    return Explained(
        causes=causes, nodes=nodes, too_early=diagnosis.too_early, unread=diagnosis.unread
    )


def _without(nodes: tuple[str, ...], why: str) -> Explained:
    return Explained(nodes=nodes, failed=why)

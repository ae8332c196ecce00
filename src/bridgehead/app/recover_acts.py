"""Takes a rung: intent, effect, outcome, and the look at whether it has helped."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import msgspec

from bridgehead.app.loop import Stopped
from bridgehead.app.recover_records import granting
from bridgehead.app.recover_sampling import all_steady, pause, sampled
from bridgehead.app.session import Session
from bridgehead.cluster.convert import node_from, pod_from
from bridgehead.cluster.errors import ClusterError
from bridgehead.cluster.recover_writes import RecoverWrites
from bridgehead.cluster.recoveries import Recoveries
from bridgehead.core.components.resources import owns
from bridgehead.core.findings.observed import Reading
from bridgehead.core.findings.redaction import redacted_text, redacted_words
from bridgehead.core.findings.standing import few
from bridgehead.core.journal.entry import Draft, Evidence, Phase
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.core.recover.assessment import Assessment
from bridgehead.core.recover.coming_back import back
from bridgehead.core.recover.past import INTERRUPTED, STEP
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Answer, Situation
from bridgehead.core.rollout.commands import Failed
from bridgehead.kube.errors import Forbidden, KubeError, NotFound
from bridgehead.kube.resources import NODES, PODS

BETWEEN = 2.0
"""Seconds between two looks at whether it has helped."""
_GONE_WITHIN = 60.0
"""Seconds in which deleted pods must be gone."""
_STAYS_AWAY = 20.0
"""Seconds, two status periods, for which a removed name must not come back."""

Command = Callable[[tuple[str, ...]], Awaitable[tuple[int, str]]]
"""Runs a person's own command on this machine; its exit code and the end of what it said."""


class Acted(msgspec.Struct, frozen=True, kw_only=True):
    """A rung that was taken. ``verified`` is None where only a person can tell."""

    situation: Situation
    assessment: Assessment
    verified: bool | None
    said: str
    readings: tuple[Reading, ...] = ()
    head: str = ""
    """Digest of the journal's last record; empty where nothing was written."""


class ActStopped(Stopped):
    """Told to stop after a rung was begun: ``acted`` says what was done, not whether it helped."""

    def __init__(self, acted: Acted) -> None:
        super().__init__(parked=None, head=acted.head)
        self.acted = acted


class Acting:
    """One recovery under the component's lock. Every effect has an intent before it."""

    def __init__(
        self,
        session: Session,
        seen: Situation,
        fence: Callable[[], None],
        *,
        owner: str,
        identity: str,
    ) -> None:
        self._session = session
        self._seen = seen
        self._owner = owner
        self._identity = identity
        self._recoveries = recoveries_of(session, seen)
        self._writes = RecoverWrites(session.kube, self._recoveries.name, fence)
        self._readings: list[Reading] = []
        self._head = ""

    @staticmethod
    async def tried(session: Session, seen: Situation, chosen: Assessment) -> Answer:
        """What the server says to a dry run of the effect; nothing where there is no such thing."""
        writes = RecoverWrites(session.kube, seen.holder, lambda: None)
        try:
            match chosen.rung:
                case Rung.RESTART | Rung.PRUNE:
                    for pod in chosen.pods[:1]:
                        await writes.delete(pod, dry_run=True)
                case Rung.DEAD_NAME:
                    result = await writes.remove_name(seen.node, chosen.names[0], dry_run=True)
                    if isinstance(result, Failed):
                        return Answer(False, result.message)
                case _:
                    return Answer(None, "")
        except KubeError as error:
            grant = granting(error) if isinstance(error, Forbidden) else ""
            return Answer(False, f"the server refuses a dry run of it: {error}", grant)
        return Answer(True, "the server would take it (dry run)")

    async def act(self, chosen: Assessment) -> Acted:
        """Take R1, R3, R4 or R5. Raises KubeError, ClusterError, and ActStopped when told to."""
        hands = {
            Rung.RESTART: self._restart,
            Rung.PRUNE: self._prune,
            Rung.CORDON: self._cordon,
            Rung.DEAD_NAME: self._remove,
        }
        try:
            return await hands[chosen.rung](chosen)
        except _NotDoneError as error:
            return self._acted(chosen, False, str(error))
        except Stopped:
            raise ActStopped(await self._interrupted(chosen)) from None

    async def _interrupted(self, chosen: Assessment) -> Acted:
        """What is left in the middle: written, and told also where it cannot be written."""
        said = f"done: {chosen.would[0]}; stopped before it was known whether that has helped"
        try:
            await self._write(chosen, Phase.NOTE, INTERRUPTED, {"reason": said})
        except (KubeError, ClusterError) as error:
            said = f"{said} (this could not be recorded: {error})"
        return self._acted(chosen, None, said)

    async def by_command(
        self, chosen: Assessment, argv: tuple[str, ...], command: Command
    ) -> Acted:
        """Run a person's own command for what is done by hand; recorded is nothing secret of it."""
        shown = redacted_words(argv)
        await self._intend(chosen, " ".join(shown), {"command": list(shown)})
        code, told_by_it = await command(argv)
        said = redacted_text(told_by_it)
        result = "done" if code == 0 else "failed"
        message = f"exit code {code}" + (f": {said}" if said else "")
        await self._settle(chosen, result, message)
        node = await sampled(self._session, self._seen, self._readings)
        if code != 0:
            return self._acted(chosen, False, f"the command ended with {message}")
        shows = ", ".join(f"{name} {offer}" for name, offer in sorted(node.offers.items()))
        told = f"the command has ended; node {node.name} shows {shows or 'no devices'} now"
        return self._acted(chosen, None, told)

    async def _restart(self, chosen: Assessment) -> Acted:
        (pod,) = chosen.pods
        await self._intend(chosen, pod.ref, {"uid": pod.uid})
        await self._effect(chosen, partial(self._writes.delete, pod))
        began = self._session.clock()
        good = False
        while not good:
            node = await sampled(self._session, self._seen, self._readings)
            here = back(self._seen, node) and await self._replaced(pod)
            steady = self._seen.limits.steady
            good = here and all_steady(self._readings, self._seen.resources, steady)
            late = self._session.clock() - began > chosen.within + (steady if here else 0)
            if late and not good:
                break
            if not good:
                await pause(self._session, min(BETWEEN, steady / 2))
        seconds = self._session.clock() - began
        if good:
            return await self._verified(chosen, f"the devices are back after {seconds:.0f} s")
        return await self._not_back(
            chosen,
            f"the devices are not back after {seconds:.0f} s: a second restart would not help "
            "either, somebody must look",
        )

    async def _replaced(self, former: Pod) -> bool:
        """Whether another pod of the plugin is Ready on the node."""
        component = self._seen.plugin.component
        here = f"spec.nodeName={former.node}"
        found = await self._session.kube.list(PODS, component.namespace, field_selector=here)
        pods = [pod_from(item) for item in found.items]
        return any(
            owns(component, pod) and pod.uid != former.uid and pod.ready and not pod.deleting
            for pod in pods
        )

    async def _prune(self, chosen: Assessment) -> Acted:
        names = [pod.ref for pod in chosen.pods]
        await self._intend(chosen, f"{len(names)} refused pods", {"pods": list(names)})
        for pod in chosen.pods:
            await self._effect(chosen, partial(self._writes.delete, pod), quiet=True)
        await self._settle(chosen, "done", f"{len(names)} refused pods deleted")
        began = self._session.clock()
        left: Sequence[Pod] = chosen.pods
        while left and self._session.clock() - began < _GONE_WITHIN:
            left = [pod for pod in left if await self._is_there(pod)]
            if left:
                await pause(self._session, BETWEEN / 2)
        if left:
            return await self._not_back(chosen, f"{len(left)} of them are still there")
        more = await self._refused_since()
        if more:
            node = self._seen.node.name
            return await self._not_back(
                chosen, f"node {node} refuses pods still, {len(more)} meanwhile: {few(more)}"
            )
        return await self._verified(chosen, f"{len(names)} refused pods are gone")

    async def _refused_since(self) -> list[str]:
        """Pods that the node has refused since it was looked at: deleting helps against none."""
        here = f"spec.nodeName={self._seen.node.name}"
        found = await self._session.kube.list(PODS, field_selector=here)
        before = {pod.uid for pod in self._seen.scene.pods_on(self._seen.node.name) if pod.refused}
        names = set(self._seen.resources)
        pods = [pod_from(item) for item in found.items]
        return sorted(
            pod.ref
            for pod in pods
            if pod.refused and pod.uid not in before and names & pod.requests.keys()
        )

    async def _is_there(self, pod: Pod) -> bool:
        try:
            found = await self._session.kube.get(PODS, pod.name, pod.namespace)
        except NotFound:
            return False
        return found.metadata.uid == pod.uid

    async def _cordon(self, chosen: Assessment) -> Acted:
        name = self._seen.node.name
        await self._intend(chosen, name, {})
        await self._effect(chosen, partial(self._writes.cordon, name))
        found = await self._session.kube.get(NODES, name)
        node = node_from(found)
        if node.unschedulable and node.held_by == self._recoveries.name:
            return await self._verified(chosen, f"node {name} takes no new pods")
        return await self._not_back(chosen, f"somebody has uncordoned node {name} at once")

    async def _remove(self, chosen: Assessment) -> Acted:
        (name,) = chosen.names
        await self._intend(chosen, name, {})
        await self._effect(chosen, partial(self._writes.remove_name, self._seen.node, name))
        began = self._session.clock()
        wait = min(_STAYS_AWAY, self._seen.limits.dead_for)
        while self._session.clock() - began < wait:
            node = await sampled(self._session, self._seen, self._readings, (name,))
            if node.offer(name) is not None:
                return await self._not_back(
                    chosen, f"{name} is back on node {node.name}: its kubelet knows it still"
                )
            await pause(self._session, min(BETWEEN, wait / 2))
        return await self._verified(chosen, f"{name} is gone from node {self._seen.node.name}")

    async def _effect(
        self,
        chosen: Assessment,
        effect: Callable[[], Awaitable[object]],
        *,
        quiet: bool = False,
    ) -> None:
        """Do it; what came of it is written also where it failed. Raises KubeError."""
        try:
            result = await effect()
        except KubeError as error:
            await self._settle(chosen, "failed", str(error))
            raise
        if isinstance(result, Failed):
            await self._settle(chosen, "failed", result.message)
            raise _NotDoneError(result.message)
        if not quiet:
            await self._settle(chosen, "done", chosen.would[0])

    async def _intend(self, chosen: Assessment, what: str, more: JsonObject) -> None:
        proof = tuple(
            Evidence(item.what, f"{item.verdict.value}: {item.evidence}")
            for item in chosen.preconditions
        )
        await self._write(chosen, Phase.INTENT, "", {"what": what, **more}, proof)

    async def _settle(self, chosen: Assessment, result: str, message: str) -> None:
        await self._write(chosen, Phase.OUTCOME, result, {"message": message})

    async def _verified(self, chosen: Assessment, said: str) -> Acted:
        await self._write(chosen, Phase.NOTE, "verified", {"reason": said})
        return self._acted(chosen, True, said)

    async def _not_back(self, chosen: Assessment, said: str) -> Acted:
        await self._write(chosen, Phase.NOTE, "failed", {"reason": said})
        return self._acted(chosen, False, said)

    async def _write(
        self,
        chosen: Assessment,
        phase: Phase,
        result: str,
        detail: JsonObject,
        evidence: tuple[Evidence, ...] = (),
    ) -> None:
        draft = Draft(
            step=STEP,
            phase=phase,
            node=self._seen.node.name,
            result=result,
            detail={"rung": chosen.rung.value, **detail},
            evidence=evidence,
        )
        head = await self._recoveries.append(
            (draft,), owner=self._owner, identity=self._identity, now=self._session.clock()
        )
        self._head = head.digest

    def _acted(self, chosen: Assessment, verified: bool | None, said: str) -> Acted:
        return Acted(
            situation=self._seen,
            assessment=chosen,
            verified=verified,
            said=said,
            readings=tuple(self._readings),
            head=self._head,
        )


class _NotDoneError(Exception):
    """The effect did not take place, since what it was for has changed meanwhile."""


def recoveries_of(session: Session, seen: Situation) -> Recoveries:
    """The journal that the situation's component has."""
    component = seen.plugin.component
    ref = ComponentRef(ComponentKind.DAEMON_SET, component.namespace, component.name)
    return Recoveries(session.kube, session.state_namespace, ref)

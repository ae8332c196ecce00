"""The writes to pods: delete the component's pod of a node, evict pods that hold its devices,
create and remove pods of ours.
"""

from collections.abc import Callable
from typing import Any

from bridgehead.cluster.label_query import label_query
from bridgehead.cluster.names import ROLE_LABEL, RUN_LABEL, own_pod_labels, own_pod_name
from bridgehead.cluster.own_pods import own_pod, probe_container, selects
from bridgehead.cluster.refusals import is_refusal
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.commands import (
    CommandResult,
    DeletePod,
    Done,
    Evict,
    Failed,
    Role,
)
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    KubeError,
    NotFound,
    ServerError,
    TooManyRequests,
    Unreachable,
)
from bridgehead.kube.objects.pod import Pod
from bridgehead.kube.resources import DAEMON_SETS, PODS


class PodWrites:
    """Pods, written as one run."""

    def __init__(self, kube: Kube, run: str, plan: Plan, fence: Callable[[], None]) -> None:
        self._kube = kube
        self._run = run
        self._plan = plan
        self._fence = fence
        self._namespace = plan.spec.component.namespace
        self._selector: JsonObject | None = None

    async def delete(self, command: DeletePod) -> CommandResult:
        """Delete exactly that pod; one that is gone or was replaced counts as deleted."""
        try:
            await self._kube.delete(
                PODS, command.name, command.namespace, uid=command.uid, before_send=self._fence
            )
        except (NotFound, Conflict):
            return Done({"gone": True})
        return Done()

    async def evict(self, command: Evict) -> CommandResult:
        """Ask for the end of exactly that pod; one that is gone or was replaced counts as evicted.

        What stands against it is a rule of the pod's owner (a disruption budget, a webhook) and may
        pass: ``blocked``. So is an answer that went missing, or a server that was in trouble.
        """
        try:
            await self._kube.evict(
                command.name, command.namespace, uid=command.uid, before_send=self._fence
            )
        except (NotFound, Conflict):
            return Done({"gone": True})
        except (TooManyRequests, ServerError, Unreachable) as error:
            return _blocked(command, error)
        except ApiError as error:
            if not is_refusal(error):
                raise
            return _blocked(command, error)
        return Done()

    async def create_own(self, node: str, role: Role) -> CommandResult:
        """Create a pod of ours, unless it is there; one that is still ending must go first."""
        selector = await self._selector_of_component()
        labels = own_pod_labels(self._run, role)
        if selects(selector, labels):
            ref = self._plan.spec.component
            why = f"the selector of {ref} selects pods of ours, and it would delete or adopt them"
            return Failed("refused", why)
        running = await self._running_image(node, selector) if role is Role.PROBE else ""
        body = own_pod(self._plan, self._run, node, role, running=running)
        try:
            await self._kube.create(PODS, body, repeat=True, before_send=self._fence)
        except AlreadyExists:
            return await self._already_there(node, role)
        return Done({"pod": body["metadata"]["name"]})

    async def delete_own(self, node: str, role: Role) -> CommandResult:
        """Remove a pod of ours; done when the server has accepted, or when there is none."""
        name = own_pod_name(self._run, role, node)
        try:
            found = await self._kube.get(PODS, name, self._namespace)
            if not self._is_own(found, role):
                return Failed("conflict", f"pod {self._namespace}/{name} is not of this run")
            await self._kube.delete(
                PODS,
                name,
                self._namespace,
                uid=found.metadata.uid,
                before_send=self._fence,
            )
        except (NotFound, Conflict):
            return Done({"gone": True})
        return Done()

    async def _already_there(self, node: str, role: Role) -> CommandResult:
        name = own_pod_name(self._run, role, node)
        where = f"pod {self._namespace}/{name}"
        try:
            found = await self._kube.get(PODS, name, self._namespace)
        except NotFound:
            return Failed("conflict", f"{where} went away at this moment")
        if not self._is_own(found, role):
            return Failed("refused", f"{where} exists and is not of this run")
        if found.metadata.deletion_timestamp is not None:
            return Failed("conflict", f"the former {where} is still ending")
        return Done({"pod": name})

    def _is_own(self, pod: Pod, role: Role) -> bool:
        labels = pod.metadata.labels
        return labels.get(RUN_LABEL) == self._run and labels.get(ROLE_LABEL) == role.value

    async def _selector_of_component(self) -> JsonObject:
        """Read once: a DaemonSet's selector cannot change (apps/v1)."""
        if self._selector is None:
            name = self._plan.spec.component.name
            raw = await self._kube.get_raw(DAEMON_SETS, name, self._namespace)
            found: dict[str, Any] = raw["spec"]["selector"]
            self._selector = found
        return self._selector

    async def _running_image(self, node: str, selector: JsonObject) -> str:
        """The image that the component's newest live pod on the node runs; empty without one.

        On the way back that is the former image: the target's may be the one that cannot be pulled.
        """
        listing = await self._kube.list(
            PODS, self._namespace, label_query(selector), f"spec.nodeName={node}"
        )
        uid = self._plan.component_uid
        live = [
            pod
            for pod in listing.items
            if (owner := pod.metadata.controller) is not None
            and owner.uid == uid
            and pod.metadata.deletion_timestamp is None
            and pod.status.phase not in {"Failed", "Succeeded"}
        ]
        newest = max(live, key=lambda pod: str(pod.metadata.creation_timestamp), default=None)
        wanted = probe_container(self._plan)
        containers = newest.spec.containers if newest else ()
        return next((item.image for item in containers if item.name == wanted), "")


def _blocked(command: Evict, error: KubeError) -> Failed:
    """With the budget's own words, where there is one: they say how many pods it needs."""
    said = [error.message if isinstance(error, ApiError) else str(error)]
    said += [cause.message for cause in error.causes] if isinstance(error, ApiError) else []
    return Failed("blocked", f"pod {command.namespace}/{command.name}: {' '.join(said)}")

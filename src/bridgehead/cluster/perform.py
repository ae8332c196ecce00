"""The hand that changes the cluster: one command, one effect, one answer.

Before each sending of an effect, its repeats included, the fence is called on the spot: a holder
whose lock may be gone sends nothing.
"""

from collections.abc import Callable

from bridgehead.cluster.anchor import Anchor
from bridgehead.cluster.component_writes import ComponentWrites
from bridgehead.cluster.node_writes import NodeWrites
from bridgehead.cluster.pod_writes import PodWrites
from bridgehead.cluster.refusals import failed
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.commands import (
    Command,
    CommandResult,
    Cordon,
    CreateOwnPod,
    DeleteOwnPod,
    DeletePod,
    Evict,
    Flip,
    LetGo,
    RestoreStrategy,
    TakeOver,
    Uncordon,
)
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import ApiError

STATE_NAMESPACE = "bridgehead"
"""Where runs and locks live unless the user says otherwise."""


class Performer:
    """Performs the commands of one run as its ``holder``-th holder.

    Failed says that an effect did not happen and why: ``conflict``, ``held``, ``gone``,
    ``blocked``, or ``refused`` where the API server will refuse it again. Raised are LostLockError
    of the fence, Forbidden where a permission is missing, and Unreachable after the client's own
    repeats.
    """

    def __init__(
        self,
        kube: Kube,
        run: str,
        plan: Plan,
        holder: int,
        fence: Callable[[], None],
        *,
        state_namespace: str = STATE_NAMESPACE,
        known: int | None = None,
    ) -> None:
        """``known`` is the component's highest generation that is the run's, if it has one yet."""
        self.anchor = Anchor(state_namespace, run, holder)
        self._component = ComponentWrites(kube, plan, self.anchor, fence, known)
        self._nodes = NodeWrites(kube, run, fence)
        self._pods = PodWrites(kube, run, plan, fence)

    async def claim(self) -> None:
        """Anchor the component to this run and holder, before any command about it.

        Raises ClaimedError where it belongs to another run or to a later holder of this one.
        """
        await self._component.claim()

    async def perform(self, command: Command) -> CommandResult:
        """Carry out one command."""
        try:
            return await self._perform(command)
        except ApiError as error:
            return failed(error)

    async def _perform(self, command: Command) -> CommandResult:
        match command:
            case TakeOver(instead_of=instead_of):
                return await self._component.take_over(instead_of)
            case Flip(to=position):
                return await self._component.flip(position)
            case RestoreStrategy():
                return await self._component.restore_strategy()
            case LetGo():
                return await self._component.let_go()
            case Cordon(node=node):
                return await self._nodes.cordon(node)
            case Uncordon(node=node, leave=leave):
                return await self._nodes.uncordon(node, leave=leave)
            case DeletePod():
                return await self._pods.delete(command)
            case Evict():
                return await self._pods.evict(command)
            case CreateOwnPod(node=node, role=role):
                return await self._pods.create_own(node, role)
            case DeleteOwnPod(node=node, role=role):
                return await self._pods.delete_own(node, role)

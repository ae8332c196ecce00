"""The assembly of a simulated cluster: everything wired together on the running event loop."""

from bridgehead.twin.access.aggregation import RoleAggregation
from bridgehead.twin.access.bootstrap import make_roles
from bridgehead.twin.access.guard import Guard
from bridgehead.twin.access.reviews import Reviews
from bridgehead.twin.access.token_requests import TokenRequests
from bridgehead.twin.access.tokens import Tokens
from bridgehead.twin.admission.admission import Admission
from bridgehead.twin.api.service import Api
from bridgehead.twin.clock import Clock
from bridgehead.twin.controllers.accounts import NamespaceDefaults
from bridgehead.twin.controllers.daemonsets.controller import DaemonSetController
from bridgehead.twin.controllers.deployments import DeploymentController
from bridgehead.twin.controllers.disruption import DisruptionController
from bridgehead.twin.controllers.events import EventExpiry
from bridgehead.twin.controllers.eviction import evict
from bridgehead.twin.controllers.garbage import GarbageCollector
from bridgehead.twin.controllers.jobs import JobController
from bridgehead.twin.controllers.namespaces import NamespaceController
from bridgehead.twin.controllers.node_health import NodeLifecycleController, Timing
from bridgehead.twin.controllers.pod_garbage import PodGarbageCollector
from bridgehead.twin.controllers.replicasets import ReplicaSetController
from bridgehead.twin.controllers.system import make_system_objects
from bridgehead.twin.controllers.taint_eviction import TaintEvictionController
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kinds
from bridgehead.twin.nodes.fleet import Fleet
from bridgehead.twin.nodes.nodes import Nodes
from bridgehead.twin.registry import Registry
from bridgehead.twin.scheduling.scheduler import Scheduler
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.schema.custom.documents import custom_documents
from bridgehead.twin.schema.custom.serving import CustomKinds
from bridgehead.twin.schema.openapi import OpenApi
from bridgehead.twin.store import Store

NO_AUTHORITY = ""
"""The twin's API has no certificate, so there is none that could vouch for it."""


class Twin:
    """A cluster in memory and its API. Make it inside a running event loop."""

    def __init__(
        self,
        *,
        start: float,
        seed: int = 0,
        speed: float = 1.0,
        fleet: Fleet | None = None,
        timing: Timing | None = None,
        administrator: str = "administrator",
    ) -> None:
        """``start``: its time at first, in seconds since the epoch. ``speed``: of its clock.

        ``administrator``: the token of who may do everything; one that nobody can guess where the
        twin is served.

        ``fleet``: its machines and images; without one there are no nodes but those that clients
        make, and nothing runs on those. ``timing``: when a silent node counts as lost.
        """
        self.administrator = administrator
        self.fleet = fleet or Fleet()
        self.clock = Clock(start=start, speed=speed)
        self.kinds = Kinds(builtin_kinds())
        self.store = Store()
        self.identifiers = Identifiers(seed)
        admission = Admission(self.kinds, self.store, self.clock, self.identifiers)
        self.registry = Registry(self.kinds, self.store, self.clock, self.identifiers, admission)
        registry = self.registry
        tokens = Tokens(self.store, self.clock, self.identifiers, administrator)
        guard = Guard(self.store, tokens, administrator)
        self.nodes = Nodes(registry, self.fleet, refusal=guard.refusal)
        self.api = self._api(guard)
        self._parts = (
            RoleAggregation(registry),
            CustomKinds(registry),
            NamespaceController(registry),
            NamespaceDefaults(registry, NO_AUTHORITY),
            GarbageCollector(registry),
            PodGarbageCollector(registry),
            NodeLifecycleController(registry, timing),
            TaintEvictionController(registry),
            DisruptionController(registry),
            EventExpiry(registry),
            ReplicaSetController(registry),
            DeploymentController(registry),
            JobController(registry),
            DaemonSetController(registry),
            Scheduler(registry),
            self.nodes,
        )

    def _api(self, guard: Guard) -> Api:
        registry = self.registry
        requests = TokenRequests(registry, guard.tokens)
        return Api(
            registry,
            logs=self.nodes.logs,
            evict=evict,
            access=guard,
            parts={**Reviews(registry, guard).parts(), **requests.parts()},
            documents=OpenApi(lambda: custom_documents(self.kinds)),
        )

    def start(self) -> None:
        """Make what every cluster has, and let its parts begin to work."""
        make_system_objects(self.registry)
        make_roles(self.registry)
        for part in self._parts:
            part.start()

    async def stop(self) -> None:
        """End its watches. What its parts have planned is dropped with the event loop."""
        await self.api.close()

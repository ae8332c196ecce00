"""The assembly of a simulated cluster: everything wired together on the running event loop."""

from bridgehead.twin.admission.admission import Admission
from bridgehead.twin.api.service import Api
from bridgehead.twin.clock import Clock
from bridgehead.twin.controllers.daemonsets.controller import DaemonSetController
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kinds
from bridgehead.twin.registry import Registry
from bridgehead.twin.scheduling.scheduler import Scheduler
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.store import Store


class Twin:
    """A cluster in memory and its API. Make it inside a running event loop."""

    def __init__(self, *, start: float, seed: int = 0, speed: float = 1.0) -> None:
        """``start``: its time at first, in seconds since the epoch. ``speed``: of its clock."""
        self.clock = Clock(start=start, speed=speed)
        self.kinds = Kinds(builtin_kinds())
        self.store = Store()
        self.identifiers = Identifiers(seed)
        admission = Admission(self.kinds, self.store, self.clock, self.identifiers)
        self.registry = Registry(self.kinds, self.store, self.clock, self.identifiers, admission)
        self.api = Api(self.registry)

    def start(self) -> None:
        """Let its parts begin to work."""
        Scheduler(self.registry).start()
        DaemonSetController(self.registry).start()
        namespaces = self.kinds.named("", "namespaces")
        for name in ("default", "kube-node-lease", "kube-public", "kube-system"):
            self.registry.create(namespaces, {"metadata": {"name": name}})

    async def stop(self) -> None:
        """End its watches; nothing of it goes on."""
        await self.api.close()

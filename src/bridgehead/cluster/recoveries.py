"""The journal of recoveries: one for each component, beside the journals of its runs.

It is chained and fenced as a run's journal is, and is no run: nothing of it is gone on with or
taken back, so whatever looks for runs does not find it. What recovery did before
is counted from it.
"""

from collections.abc import Sequence
from typing import Any

from bridgehead.cluster.names import (
    COMPONENT_LABEL,
    PART_LABEL,
    RUN_LABEL,
    component_label,
    recoveries_name,
)
from bridgehead.cluster.record import RECOVERIES
from bridgehead.cluster.state_namespace import create_in
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Head, Signature
from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.model.json import digest
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.recover.past import Past, past_of
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import AlreadyExists
from bridgehead.kube.resources import CONFIG_MAPS

SCHEMA = "bridgehead.dev/recoveries/v1"


class Recoveries:
    """What recovery has done to one component, and the place where it writes what it does."""

    def __init__(self, kube: Kube, namespace: str, component: ComponentRef) -> None:
        self._kube = kube
        self._namespace = namespace
        self._component = component
        self._store = RunStore(kube, namespace)
        self.name = recoveries_name(component)
        """Of the journal; nodes that recovery cordons carry it."""

    async def exists(self) -> bool:
        """Whether recovery ever did something to the component."""
        return await self._store.is_recorded(self.name)

    async def entries(self) -> tuple[Entry, ...]:
        """All records; empty where there are none. Raises BrokenJournalError."""
        return await self._store.entries(self.name) if await self.exists() else ()

    async def past(self) -> tuple[Past, ...]:
        """What was begun before."""
        return past_of(await self.entries())

    async def append(
        self, drafts: Sequence[Draft], *, owner: str, identity: str, now: float
    ) -> Head:
        """Write the drafts as the next records; the head after them. Raises LostJournalError."""
        if not await self.exists():
            await self._begin(owner)
        signature = Signature(run=self.name, owner=owner, identity=identity)
        written = await self._store.append(self.name, drafts, signature, now)
        return Head(written[-1].seq, written[-1].digest)

    async def _begin(self, owner: str) -> None:
        try:
            await create_in(self._kube, self._namespace, CONFIG_MAPS, self._object(owner))
        except AlreadyExists:
            return

    def _object(self, owner: str) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": self.name,
                "namespace": self._namespace,
                "labels": {
                    RUN_LABEL: self.name,
                    PART_LABEL: RECOVERIES,
                    COMPONENT_LABEL: component_label(self._component),
                },
            },
            "data": {
                "schema": SCHEMA,
                "component": str(self._component),
                "owner": owner,
                "changeDigest": digest({"recoveries": str(self._component)}),
            },
        }


async def journals(kube: Kube, namespace: str) -> dict[str, str]:
    """All journals of recoveries in a state namespace, with their components."""
    found = await kube.list(CONFIG_MAPS, namespace, f"{PART_LABEL}={RECOVERIES}")
    return {item.metadata.name: item.data.get("component", "") for item in found.items}

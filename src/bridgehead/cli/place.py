"""Where a command's run is: as typed, until the mark of its component tells."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from bridgehead.app.component_ref import RunName
from bridgehead.app.open_run import at_its_run
from bridgehead.app.session import Session
from bridgehead.app.subject import Subject
from bridgehead.cli.bounds import NO_BOUNDS, Bounds
from bridgehead.cli.options import ClusterOptions
from bridgehead.cli.sessions import runner
from bridgehead.cli.signals import Stop
from bridgehead.cli.state_namespace import as_arguments
from bridgehead.core.plan.settings import RolloutSpec


class Place(msgspec.Struct):
    """A cluster and a state namespace: what is proposed next must reach the run's own."""

    cluster: ClusterOptions
    state_namespace: str

    @property
    def as_arguments(self) -> str:
        """The options that name both, for a command that is proposed next."""
        return as_arguments(self.cluster, self.state_namespace)

    @asynccontextmanager
    async def runner(
        self, subject: Subject, bounds: Bounds = NO_BOUNDS
    ) -> AsyncIterator[tuple[Session, Stop]]:
        """What a use case works with; the namespace of the component's run is known from here."""
        async with runner(self.cluster, self.state_namespace, bounds) as (typed, stop):
            if isinstance(subject, RunName):
                yield typed, stop
                return
            ref = subject.component if isinstance(subject, RolloutSpec) else subject
            session = await at_its_run(typed, ref)
            self.state_namespace = session.state_namespace
            yield session, stop

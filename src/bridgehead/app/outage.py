"""An API server that is away for a while: a runner waits for it, and takes over from itself.

What it had sent when the answers stopped may have taken effect or not. It knows no more of that
than any other runner would, so it goes on as one: it reads the journal, raises the holder's number,
looks its open intents up in the cluster, and parks first.
"""

import asyncio

from bridgehead.app.loop import Stopped
from bridgehead.app.session import Session, unless_stopped
from bridgehead.cluster.errors import StaleLockError
from bridgehead.cluster.lock import Lock
from bridgehead.cluster.store import RunStore
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import RunState
from bridgehead.core.rollout.transition import fold
from bridgehead.kube.errors import Forbidden, KubeError, Unauthorized

PATIENCE = 300.0
"""Seconds that an API server may be away: an upgrade of a single control plane takes less."""

IN_A_ROW = 5
"""Outages, each less than a minute after the one before, after which waiting does not help."""

REFUSALS_IN_A_ROW = 3
"""Refusals that are taken for passing: an API server that has just started has not read its role
bindings yet and forbids for a second or two what it allows after that (Kubernetes 1.37.2).
"""

REFUSAL = 3.0
"""Seconds that are given to such a server."""

REFUSED = 10.0
"""Seconds of nothing but refusals after which they are believed."""

APART = 60.0
"""Seconds without trouble after which the next outage is counted as the first."""


class Outages:
    """The outages that one runner has waited out."""

    def __init__(self, session: Session, store: RunStore, lock: Lock) -> None:
        self._session = session
        self._store = store
        self._lock = lock
        self._count = 0
        self._over = -APART

    async def waited_out(self, run: Run, error: KubeError | StaleLockError) -> RunState:
        """The run's state as its journal tells it once the API server answers again.

        Raises the error where waiting does not help, Stopped when told to stop meanwhile, and
        LostLockError where somebody else has the lock by then.
        """
        self._count = self._count + 1 if self._session.steady() - self._over < APART else 1
        refused = isinstance(error, Forbidden | Unauthorized)
        if not (is_passing(error) or refused):
            raise error
        if self._count > (REFUSALS_IN_A_ROW if refused else IN_A_ROW):
            raise error
        self._session.watcher.say(f"{error}; waiting for the API server, at most {PATIENCE:g} s")
        try:
            state = await unless_stopped(self._session, self._again(run.name, error))
        except Stopped:
            raise Stopped(parked=run.parked, left=run) from error
        self._over = self._session.steady()
        self._session.watcher.say("the API server answers again; going on")
        return state

    async def _again(self, name: str, error: KubeError | StaleLockError) -> RunState:
        give_up = self._session.steady() + PATIENCE
        refused: float | None = None
        if isinstance(error, Forbidden | Unauthorized):
            await asyncio.sleep(REFUSAL)
        while True:
            try:
                await self._lock.fresh(give_up - self._session.steady())
                return fold(await self._store.entries(name))
            except (Forbidden, Unauthorized) as again:
                refused = refused or self._session.steady()
                if self._session.steady() > refused + REFUSED:
                    raise again from error
                await asyncio.sleep(0.5)
            except (KubeError, StaleLockError) as again:
                refused = None
                if not is_passing(again) or self._session.steady() > give_up:
                    raise error from again


def is_passing(error: KubeError | StaleLockError) -> bool:
    """Whether the same may succeed later without anybody changing anything."""
    return isinstance(error, StaleLockError) or error.retryable

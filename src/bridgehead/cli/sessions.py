"""The way from options to a cluster: a client to read with, or all that a run needs."""

import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bridgehead.app.session import Session
from bridgehead.cli.bounds import NO_BOUNDS, Bounds
from bridgehead.cli.options import ClusterOptions
from bridgehead.cli.signals import Stop, stop_on_signals
from bridgehead.cli.surroundings import here
from bridgehead.core.rollout.limits import Limits
from bridgehead.kube.client import Kube
from bridgehead.kube.config import load_config
from bridgehead.report.left_behind import left_behind

if TYPE_CHECKING:
    from bridgehead.cli.progress import Progress

NOTHING_CHANGED = "nothing was changed by this command"


@asynccontextmanager
async def client(cluster: ClusterOptions) -> AsyncIterator[Kube]:
    """The cluster that the options name. Raises ConfigError, CredentialError."""
    config = load_config(cluster.kubeconfig, cluster.context)
    around = here()
    async with await Kube.connect(
        config,
        request_timeout=cluster.request_timeout,
        connector=around.connector(),
        chance=around.chance(),
    ) as kube:
        yield kube


@asynccontextmanager
async def runner(
    cluster: ClusterOptions,
    state_namespace: str,
    bounds: Bounds = NO_BOUNDS,
    without_run: str = NOTHING_CHANGED,
) -> AsyncIterator[tuple[Session, Stop]]:
    """What a use case that changes a cluster works with; signals ask it to stop.

    The time of ``bounds`` runs from here. ``without_run`` says how it is left at the second signal
    where no run was taken up.
    """
    from bridgehead.cli.progress import Progress  # noqa: PLC0415 - rich: help cannot wait for it

    async with client(cluster) as kube:
        with (
            Progress(sys.stderr) as progress,
            stop_on_signals(_Told(progress, without_run)) as stop,
        ):
            session = Session(
                kube=kube,
                clock=here().clock,
                steady=here().steady,
                watcher=progress,
                stop=stop.event,
                state_namespace=state_namespace,
                host=here().host(),
                explains_failures=True,
                limits=_limits(bounds),
            )
            yield session, stop


class _Told:
    """What is said at signals."""

    def __init__(self, progress: "Progress", without_run: str) -> None:
        self._progress = progress
        self._without_run = without_run

    def first(self) -> None:
        """It stops in order, which may take some seconds."""
        parks = ": the former template is parked first" if self._progress.run is not None else ""
        self._progress.say(f"stopping{parks}; again to leave at once")

    def second(self) -> None:
        """It leaves at once, in the middle of whatever it does."""
        run = self._progress.run
        how = left_behind(run) if run is not None else self._without_run
        self._progress.say(f"interrupted; {how}")
        if run is not None and run.state.pending:
            self._progress.say("what was just being written may have arrived: 'status' shows it")
        self._progress.say(f"next: {shlex.join(('bridgehead', *sys.argv[1:]))}")


def _limits(bounds: Bounds) -> Limits:
    until = here().clock() + bounds.seconds if bounds.seconds is not None else None
    return Limits(until=until, waits=bounds.waits)

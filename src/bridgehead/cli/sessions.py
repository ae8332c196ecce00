"""The way from options to a cluster: a client to read with, or all that a run needs."""

import platform
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bridgehead.app.session import Session
from bridgehead.cli.bounds import NO_BOUNDS, Bounds
from bridgehead.cli.options import ClusterOptions
from bridgehead.cli.signals import Stop, stop_on_signals
from bridgehead.core.rollout.limits import Limits
from bridgehead.kube.client import Kube
from bridgehead.kube.config import load_config


@asynccontextmanager
async def client(cluster: ClusterOptions) -> AsyncIterator[Kube]:
    """The cluster that the options name. Raises ConfigError, CredentialError."""
    config = load_config(cluster.kubeconfig, cluster.context)
    async with await Kube.connect(config, request_timeout=cluster.request_timeout) as kube:
        yield kube


@asynccontextmanager
async def runner(
    cluster: ClusterOptions, state_namespace: str, bounds: Bounds = NO_BOUNDS
) -> AsyncIterator[tuple[Session, Stop]]:
    """What a use case that changes a cluster works with; signals ask it to stop.

    The time of ``bounds`` runs from here.
    """
    from bridgehead.cli.progress import Progress  # noqa: PLC0415 - rich: help cannot wait for it

    async with client(cluster) as kube:
        with stop_on_signals() as stop, Progress(sys.stderr) as progress:
            session = Session(
                kube=kube,
                clock=time.time,
                watcher=progress,
                stop=stop.event,
                state_namespace=state_namespace,
                host=platform.node(),
                limits=_limits(bounds),
            )
            yield session, stop


def _limits(bounds: Bounds) -> Limits:
    until = time.time() + bounds.seconds if bounds.seconds is not None else None
    return Limits(until=until, waits=bounds.waits)

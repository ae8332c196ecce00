"""A live cluster becomes a snapshot: connect, read, close. The wall clock is read here."""

import time
from collections.abc import Sequence

from bridgehead.cluster.read import read_snapshot
from bridgehead.core.model.snapshot import Snapshot
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection


async def read_live(
    connection: Connection,
    *,
    namespaces: Sequence[str] | None = None,
    request_timeout: float | None = None,
    with_namespaces: bool = False,
) -> Snapshot:
    """The cluster as it is now. Raises the errors of ``kube.errors``; only reads."""
    async with await Kube.connect(connection, request_timeout=request_timeout) as kube:
        return await read_snapshot(
            kube, now=time.time(), namespaces=namespaces, with_namespaces=with_namespaces
        )

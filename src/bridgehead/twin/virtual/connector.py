"""Joins the product's own HTTP client to a server in the same event loop, without a socket."""

import asyncio
from collections.abc import Callable

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.tracing import Trace

from bridgehead.twin.virtual.pipe import join

Accept = Callable[[], asyncio.Protocol]
"""Makes the server's end of a new connection, as an ``aiohttp.web.Server`` does when it is called.

Raises OSError where nobody listens, which the client sees as a refused connection.
"""


class MemoryConnector(aiohttp.BaseConnector):
    """A connector whose every connection leads to one server; names and ports are ignored."""

    def __init__(self, accept: Accept, *, latency: float = 0.0) -> None:
        """``latency``: simulated seconds that each message takes, one way."""
        # Idle connections do not end by age: aiohttp measures that on the machine's clock.
        super().__init__(limit=0, keepalive_timeout=None)
        self._accept = accept
        self._latency = latency

    async def _create_connection(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],  # noqa: ARG002 - the signature is aiohttp's
        timeout: aiohttp.ClientTimeout,  # noqa: ARG002, ASYNC109 - the signature is aiohttp's
    ) -> ResponseHandler:
        client = self._factory()
        try:
            server = self._accept()
        except OSError as error:
            raise aiohttp.ClientConnectorError(req.connection_key, error) from error
        join(client, server, latency=self._latency)
        return client

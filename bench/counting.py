"""A client's transport that counts what it sends: every request by verb and resource."""

from collections import Counter
from random import SystemRandom

import aiohttp

from bridgehead.kube.call import Call
from bridgehead.kube.client import Kube
from bridgehead.kube.config.credentials import Credential, credential_source
from bridgehead.kube.config.values import Connection
from bridgehead.kube.retry import RetryPolicy
from bridgehead.kube.transport import Transport

WRITES = frozenset({"create", "update", "patch", "delete"})
"""Verbs that change something; a review is a `create` that changes nothing."""


class CountingTransport(Transport):
    """Counts single requests, repeats included, and watches that were opened."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(
            connection,
            credential_source(connection.tokens, terminal=False, plugin_time_limit=60.0),
            user_agent="bridgehead",
            request_timeout=30.0,
            retry=RetryPolicy(),
            chance=SystemRandom(),
        )
        self.sent: Counter[tuple[str, str]] = Counter()

    async def _open(
        self,
        call: Call,
        credential: Credential,
        limits: aiohttp.ClientTimeout,
        compress: bool,
    ) -> aiohttp.ClientResponse:
        self.sent[call.request.verb, _named(call)] += 1
        return await super()._open(call, credential, limits, compress)


def _named(call: Call) -> str:
    """The resource; the pods of one node apart from others, since they are asked for per node."""
    of_a_node = any("spec.nodeName" in value for _, value in call.query)
    dry = " (dry run)" if ("dryRun", "All") in call.query else ""
    return call.request.resource + (" of a node" if of_a_node else "") + dry


async def connect(connection: Connection) -> tuple[Kube, CountingTransport]:
    """A client and its counter."""
    transport = CountingTransport(connection)
    await transport.prepare()
    return Kube(transport), transport

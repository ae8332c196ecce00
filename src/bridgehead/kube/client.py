"""The client: verbs of the Kubernetes API over one connection.

Reading gives structs (`get`, `list`) or plain values (`get_raw`, `list_raw`). Writing takes plain
values and gives back the stored object as plain values, since what the server made of a template
is what gets compared. Every write says `fieldManager=bridgehead`. Errors are those of
`kube.errors`; single calls are repeated where that is safe (`kube.retry`).
"""

from contextlib import AsyncExitStack
from random import Random, SystemRandom
from types import TracebackType
from typing import TYPE_CHECKING, Self

from bridgehead.kube.call import Sender
from bridgehead.kube.config.credentials import credential_source
from bridgehead.kube.config.values import Connection
from bridgehead.kube.reading import Reading
from bridgehead.kube.retry import RetryPolicy
from bridgehead.kube.reviews import Reviewing
from bridgehead.kube.writing import Writing

if TYPE_CHECKING:
    import aiohttp


class Kube(Reading, Writing, Reviewing):
    """One API server as one user. Use as `async with await Kube.connect(load_config()) as kube`."""

    def __init__(self, transport: Sender, chance: Random | None = None) -> None:
        self._transport = transport
        self.chance = chance or SystemRandom()
        """Where this client's jitter comes from, and its user's names that nobody else has."""

    @classmethod
    async def connect(
        cls,
        config: Connection,
        *,
        request_timeout: float | None = 30.0,
        user_agent: str = "bridgehead",
        retry: RetryPolicy | None = None,
        terminal: bool = False,
        plugin_time_limit: float = 60.0,
        connector: "aiohttp.BaseConnector | None" = None,
        chance: Random | None = None,
    ) -> Self:
        """Prepare a connection and load its credentials; sends nothing yet.

        `request_timeout` bounds a single answer, in seconds; None for no bound. `terminal` says
        whether an exec plugin may ask the user questions, and `plugin_time_limit` how long it may
        take. `connector` is another network than the system's, and `chance` another source of
        jitter: with both, and a loop of simulated time, a client can be repeated bit for bit.
        Raises ConfigError or CredentialError.
        """
        from bridgehead.kube.transport import Transport  # noqa: PLC0415 - aiohttp: help cannot wait

        chance = chance or SystemRandom()
        credentials = credential_source(
            config.tokens, terminal=terminal, plugin_time_limit=plugin_time_limit
        )
        transport = Transport(
            config,
            credentials,
            user_agent=user_agent,
            request_timeout=request_timeout or None,
            retry=retry or RetryPolicy(),
            chance=chance,
            connector=connector,
        )
        async with AsyncExitStack() as unless_prepared:
            unless_prepared.push_async_callback(transport.close)
            await transport.prepare()
            unless_prepared.pop_all()
        return cls(transport, chance)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.close()

    @property
    def config(self) -> Connection:
        """What this client was connected with."""
        return self._transport.connection

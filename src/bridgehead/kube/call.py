"""One HTTP request as a value, and who sends it: what verbs need to know of a transport.

Apart from the transport itself, so that whoever only names a client does not import one.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from bridgehead.kube.config.values import Connection
from bridgehead.kube.errors import Request

BeforeSend = Callable[[], None]
"""Asked on the spot whether a request may still go out; a connection that must be made first takes
up to ten seconds more."""


class Call(msgspec.Struct, frozen=True):
    """One HTTP request, before anything of a user or server is added."""

    request: Request
    method: str
    path: str
    """Absolute, already quoted."""
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    content_type: str = "application/json"
    accept: str = "application/json"
    repeatable: bool = False
    """Whether sending it twice has the effect of sending it once."""
    before_send: BeforeSend | None = None
    """Called before each sending, repeats included; what it raises ends the call, unsent."""


def query(**fields: str | int | None) -> tuple[tuple[str, str], ...]:
    """Query parameters, without those that are None."""
    return tuple((key, str(value)) for key, value in fields.items() if value is not None)


class Sender(Protocol):
    """Sends requests to one API server; ``kube.transport.Transport`` is the real one."""

    @property
    def connection(self) -> Connection:
        """Where it sends to, and as whom."""
        ...

    async def send(self, call: Call) -> bytes:
        """The body of a successful answer."""
        ...

    def stream(
        self, call: Call, *, silence: float
    ) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """The chunks of an answer that goes on; ``silence`` is in seconds."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...

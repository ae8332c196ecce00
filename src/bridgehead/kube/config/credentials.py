"""Credentials as they are at this moment: static, re-read from a file, or from an exec plugin.

Each source answers two questions: what is valid now, and, after the server has refused that, is
there anything newer. A source that has nothing valid raises; nothing is ever sent without it.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

import msgspec

from bridgehead.kube.config.exec_plugin import Issued, run_exec_plugin
from bridgehead.kube.config.values import (
    CertificatePair,
    ExecPlugin,
    NoToken,
    StaticToken,
    TokenFile,
    TokenSource,
    is_sendable,
)
from bridgehead.kube.errors import CredentialError

_FILE_MAX_AGE = 55.0
"""Seconds. A rotated token must be in use within 60 s (AU-14); the kubelet rotates at 80 % of the
life time, so the former one is still valid meanwhile."""


class Credential(msgspec.Struct, frozen=True):
    """What proves who we are. `certificate` is set only when a plugin issued one."""

    token: str | None = None
    certificate: CertificatePair | None = None

    def __repr__(self) -> str:
        return "Credential(<hidden>)"


class CredentialSource(Protocol):
    """Where credentials come from."""

    async def current(self) -> Credential:
        """A credential that is valid as far as we know; raises CredentialError."""

    async def renewed(self, refused: Credential) -> Credential | None:
        """A newer credential than the refused one, or None when there cannot be one."""


class _Static:
    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    async def current(self) -> Credential:
        return self._credential

    async def renewed(self, refused: Credential) -> Credential | None:  # noqa: ARG002
        return None


class _FromFile:
    def __init__(self, source: TokenFile, monotonic: Callable[[], float]) -> None:
        self._source = source
        self._monotonic = monotonic
        self._credential: Credential | None = None
        self._read_at = 0.0

    async def current(self) -> Credential:
        if self._credential is None or self._monotonic() - self._read_at >= _FILE_MAX_AGE:
            return self._read()
        return self._credential

    async def renewed(self, refused: Credential) -> Credential | None:
        fresh = self._read()
        return fresh if fresh != refused else None

    def _read(self) -> Credential:
        path, owner = self._source.path, self._source.owner
        try:
            token = path.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not text"
            raise CredentialError(
                f"{owner}: cannot read the token file {path}: {reason}"
            ) from error
        if not token or not is_sendable(token):
            raise CredentialError(f"{owner}: the token file {path} holds no usable token")
        self._credential, self._read_at = Credential(token), self._monotonic()
        return self._credential


class _FromPlugin:
    def __init__(
        self,
        plugin: ExecPlugin,
        monotonic: Callable[[], float],
        time_limit: float,
        terminal: bool,
    ) -> None:
        self._plugin = plugin
        self._monotonic = monotonic
        self._time_limit = time_limit
        self._terminal = terminal
        self._issued: Issued | None = None
        self._credential = Credential()
        self._running = asyncio.Lock()

    async def current(self) -> Credential:
        async with self._running:
            if self._issued is None or self._issued.due(self._monotonic()):
                await self._run()
            return self._credential

    async def renewed(self, refused: Credential) -> Credential | None:
        async with self._running:
            # Of many requests that were refused at once, the first one has run the plugin.
            if self._credential == refused:
                await self._run()
            return self._credential

    async def _run(self) -> None:
        self._issued = await run_exec_plugin(
            self._plugin,
            time_limit=self._time_limit,
            terminal=self._terminal,
            monotonic=self._monotonic,
        )
        self._credential = Credential(self._issued.token, self._issued.certificate)


def credential_source(
    tokens: TokenSource,
    *,
    monotonic: Callable[[], float] = time.monotonic,
    plugin_time_limit: float = 60.0,
    terminal: bool = False,
) -> CredentialSource:
    """The source for what a kubeconfig says. `terminal`: a plugin may ask the user questions."""
    match tokens:
        case StaticToken(token=token):
            return _Static(Credential(token))
        case NoToken():
            return _Static(Credential())
        case TokenFile():
            return _FromFile(tokens, monotonic)
        case ExecPlugin():
            return _FromPlugin(tokens, monotonic, plugin_time_limit, terminal)

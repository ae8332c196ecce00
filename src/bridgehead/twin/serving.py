"""A twin as a server: TLS on one port, and the kubeconfig that reaches it.

kubectl sends tokens over TLS only, so there is no serving without a certificate.
"""

import asyncio
import base64
import secrets
import ssl
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from aiohttp import web

from bridgehead.twin.api.http import server
from bridgehead.twin.twin import Twin

if TYPE_CHECKING:
    from bridgehead.twin.certificates import Certificates

LOOPBACK = "127.0.0.1"
_CLOSING = 2.0
"""Seconds that requests get to end when the server stops."""


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """Where a twin is, and how to get in."""

    address: str
    """``https://HOST:PORT``."""
    kubeconfig: str
    """YAML with the authority and the token of its administrator; whoever has it may do all."""


def new_token() -> str:
    """A token that nobody can guess, for the administrator of a twin that is served.

    The one thing about a twin that no seed gives.
    """
    return secrets.token_urlsafe(32)


class NoCryptographyError(Exception):
    """The package that makes certificates is not installed."""

    def __init__(self) -> None:
        super().__init__("serving needs certificates: install bridgehead[serve]")


@asynccontextmanager
async def serving(twin: Twin, host: str = LOOPBACK, port: int = 0) -> AsyncIterator[Served]:
    """Serve a twin that has been started, until the context ends.

    Make the twin with a ``new_token`` as its administrator's.
    ``port`` 0 lets the system choose. Raises NoCryptographyError, and OSError where the port
    cannot be had.
    """
    try:
        from bridgehead.twin.certificates import certificates  # noqa: PLC0415 - an extra
    except ImportError:
        raise NoCryptographyError from None
    made = certificates(host)
    runner = web.ServerRunner(server(twin.api), shutdown_timeout=_CLOSING)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, ssl_context=_context(made)).start()
        shown = f"[{host}]" if ":" in host else host
        address = f"https://{shown}:{runner.addresses[0][1]}"
        yield Served(
            address=address, kubeconfig=kubeconfig(address, made.authority, twin.administrator)
        )
    finally:
        await twin.api.close()
        await _close(runner)


async def _close(runner: web.ServerRunner) -> None:
    """End all connections: left alone, TLS waits half a minute for each client's goodbye."""
    connections = runner.server.connections if runner.server else []
    transports = [connection.transport for connection in connections]
    await runner.cleanup()
    for transport in transports:
        if transport is not None:
            transport.abort()
    await asyncio.sleep(0)  # sockets are closed in the loop's next round


def _context(made: "Certificates") -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    with tempfile.TemporaryDirectory() as folder:  # a key can be handed over as a file only
        file = Path(folder) / "tls.pem"
        file.touch(mode=0o600)
        file.write_bytes(made.key + made.server)
        context.load_cert_chain(file)
    return context


def kubeconfig(address: str, authority: bytes, token: str) -> str:
    """The text of a kubeconfig for one cluster."""
    name = "twin"
    value = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": name,
                "cluster": {
                    "server": address,
                    "certificate-authority-data": base64.b64encode(authority).decode(),
                },
            }
        ],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    return msgspec.yaml.encode(value).decode()

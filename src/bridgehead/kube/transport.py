"""Sends one request as the right user over the right connection, and repeats it where that is safe.

Everything above this file speaks of resources; everything here of HTTP.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from urllib.parse import urlencode

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from bridgehead.kube.answers import refusal
from bridgehead.kube.call import Call
from bridgehead.kube.config.credentials import Credential, CredentialSource
from bridgehead.kube.config.tls import tls_context
from bridgehead.kube.config.values import CertificatePair, Connection
from bridgehead.kube.errors import KubeError, Request, Unauthorized, UnexpectedAnswer
from bridgehead.kube.headers import fixed_headers
from bridgehead.kube.network import ConnectionLost, unreachable
from bridgehead.kube.retry import RetryPolicy, may_repeat, wait_for

_NETWORK_ERRORS = (aiohttp.ClientError, OSError, TimeoutError)
_CONNECT_TIMEOUT = 10.0


class Transport:
    """A pool of connections to one API server."""

    def __init__(
        self,
        connection: Connection,
        credentials: CredentialSource,
        *,
        user_agent: str,
        request_timeout: float | None,
        retry: RetryPolicy,
        chance: Random,
        connector: aiohttp.BaseConnector | None = None,
    ) -> None:
        """``connector`` makes the connections; None for those of the system's network."""
        self.connection = connection
        self._credentials = credentials
        self._timeout = request_timeout
        self._retry = retry
        self._chance = chance
        self._answered = False
        self._tls: tuple[CertificatePair | None, ssl.SSLContext] | None = None
        self._fixed = fixed_headers(user_agent, connection.impersonation)
        # No limit of connections: each watch keeps one for itself, and must not starve the others.
        self._session = aiohttp.ClientSession(
            connector=connector or aiohttp.TCPConnector(limit=0),
            cookie_jar=aiohttp.DummyCookieJar(),
            middlewares=(_send_once,),
        )

    async def prepare(self) -> None:
        """Load credentials and certificates now, so that what is wrong with them shows at once."""
        self._ssl(await self._credentials.current())

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    async def send(self, call: Call) -> bytes:
        """The body of a successful answer; repeats within the bounds of the retry policy."""
        clock = asyncio.get_running_loop().time
        started = clock()
        attempt = 0
        unanswered = False
        while True:
            try:
                return await self._authorized(call, repeated=unanswered)
            except KubeError as error:
                attempt += 1
                wait = wait_for(error, attempt, self._retry, self._chance.random())
                policy = self._retry
                patience = policy.patience if self._answered else policy.first_contact
                if clock() - started + wait > patience:
                    raise
                if not may_repeat(error, repeatable=call.repeatable):
                    raise
                unanswered = unanswered or getattr(error, "sent", False)
                await asyncio.sleep(wait)

    async def _authorized(self, call: Call, *, repeated: bool) -> bytes:
        """Send; after a 401 get a newer credential, once, and send again."""
        credential = await self._credentials.current()
        try:
            return await self._once(call, credential, repeated=repeated)
        except Unauthorized:
            renewed = await self._credentials.renewed(credential)
            if renewed is None:
                raise
        return await self._once(call, renewed, repeated=repeated)

    async def _once(self, call: Call, credential: Credential, *, repeated: bool) -> bytes:
        limits = aiohttp.ClientTimeout(total=self._timeout, sock_connect=self._connect_timeout())
        response = await self._open(call, credential, limits, self.connection.compress)
        async with response:
            body = await self._body(response)
        self._answered = True
        _check(call.request, response, body, repeated=repeated)
        return body

    @asynccontextmanager
    async def stream(self, call: Call, *, silence: float) -> AsyncIterator[AsyncIterator[bytes]]:
        """The chunks of an answer that goes on, as they come; no repeats, except after a 401.

        `silence`: seconds without a byte after which the connection counts as dead.
        """
        limits = aiohttp.ClientTimeout(
            total=None, sock_connect=self._connect_timeout(), sock_read=silence
        )
        credential = await self._credentials.current()
        response = await self._open(call, credential, limits, compress=False)
        if response.status == 401:
            renewed = await self._credentials.renewed(credential)
            if renewed is not None:
                response.close()
                response = await self._open(call, renewed, limits, compress=False)
        async with response:
            self._answered = True
            if response.status != 200:
                _check(call.request, response, await self._body(response), repeated=False)
            yield self._chunks(response, silence)

    async def _chunks(
        self, response: aiohttp.ClientResponse, silence: float
    ) -> AsyncIterator[bytes]:
        try:
            async for chunk in response.content.iter_any():
                yield chunk
        except _NETWORK_ERRORS as error:
            raise unreachable(self.connection, error, silence) from error

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        try:
            return await response.read()
        except _NETWORK_ERRORS as error:
            raise unreachable(self.connection, error, self._timeout) from error

    async def _open(
        self, call: Call, credential: Credential, limits: aiohttp.ClientTimeout, compress: bool
    ) -> aiohttp.ClientResponse:
        query = f"?{urlencode(call.query)}" if call.query else ""
        if call.before_send is not None:
            call.before_send()
        try:
            return await self._session.request(
                call.method,
                URL(f"{self.connection.server}{call.path}{query}", encoded=True),
                data=call.body,
                headers=self._headers(call, credential, compress),
                timeout=limits,
                ssl=self._ssl(credential),
                server_hostname=self.connection.trust.server_name,
                proxy=self.connection.proxy,
                allow_redirects=False,  # a credential goes where the kubeconfig says, nowhere else
            )
        except _NETWORK_ERRORS as error:
            raise unreachable(self.connection, error, limits.total) from error

    def _headers(self, call: Call, credential: Credential, compress: bool) -> CIMultiDict[str]:
        headers = self._fixed.copy()
        headers["Accept"] = call.accept
        headers["Accept-Encoding"] = "gzip" if compress else "identity"
        if call.body is not None:
            headers["Content-Type"] = call.content_type
        if credential.token is not None:
            headers["Authorization"] = f"Bearer {credential.token}"
        return headers

    def _ssl(self, credential: Credential) -> ssl.SSLContext | bool:
        """A context for each certificate: pooled connections must not outlive their identity."""
        if self.connection.server.startswith("http://"):
            return True
        certificate = credential.certificate or self.connection.certificate
        if self._tls is None or self._tls[0] != certificate:
            context = tls_context(self.connection.trust, certificate, origin=self.connection.origin)
            self._tls = (certificate, context)
        return self._tls[1]

    def _connect_timeout(self) -> float:
        return min(_CONNECT_TIMEOUT, self._timeout or _CONNECT_TIMEOUT)


async def _send_once(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Keep aiohttp from sending a DELETE or PUT again by itself when a connection breaks.

    It does so for all methods that HTTP calls idempotent (seen in 3.14: `IDEMPOTENT_METHODS`);
    what a repeat may do here is decided by `retry.may_repeat`.
    """
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise ConnectionLost from error


def _check(
    request: Request, response: aiohttp.ClientResponse, body: bytes, *, repeated: bool
) -> None:
    if 200 <= response.status < 300:
        return
    if response.status < 400:
        raise UnexpectedAnswer(
            f"{request}: the server answered with a redirect, which is not followed"
        )
    try:
        retry_after = float(response.headers.get("Retry-After", ""))
    except ValueError:  # absent, or a date, which would need a clock that both sides share
        retry_after = None
    raise refusal(request, response.status, body, retry_after=retry_after, repeated=repeated)

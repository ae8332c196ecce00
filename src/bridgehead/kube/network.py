"""Tells apart the ways in which a server gives no answer."""

import errno
import socket
import ssl

import aiohttp

from bridgehead.kube.config.values import Connection
from bridgehead.kube.errors import Failure, Unreachable

_TRANSIENT_DNS = {socket.EAI_AGAIN}


class ConnectionLost(aiohttp.ClientError):
    """An open connection broke while it carried a request."""


def unreachable(connection: Connection, error: Exception, timeout: float | None) -> Unreachable:
    """The error for what aiohttp or the system raised."""
    server = connection.server
    match error:
        case aiohttp.ClientConnectorDNSError():
            again = getattr(error.os_error, "errno", None) in _TRANSIENT_DNS
            detail = f"its host name does not resolve ({error.os_error.strerror or 'no address'})"
            return _failure(server, "dns", detail, sent=False, retryable=again)
        case aiohttp.ClientConnectorCertificateError():
            reason = getattr(error.certificate_error, "verify_message", "") or "not trusted"
            detail = f"its certificate does not verify: {reason} ({connection.origin})"
            return _failure(server, "tls", detail, sent=False, retryable=False)
        case aiohttp.ClientSSLError() | ssl.SSLError():
            reason = _tls_reason(error)
            return _failure(server, "tls", f"TLS failed: {reason}", sent=False, retryable=False)
        case aiohttp.ClientProxyConnectionError():
            detail = "its proxy does not answer"
            return _failure(server, "proxy", detail, sent=False, retryable=True)
        case aiohttp.ClientHttpProxyError():
            detail = f"its proxy refused with status {error.status}"
            return _failure(server, "proxy", detail, sent=False, retryable=error.status >= 500)
        case aiohttp.ClientConnectorError():
            return _connector(server, error)
        case aiohttp.ConnectionTimeoutError():
            detail = f"no connection within {timeout:g} s" if timeout else "no connection in time"
            return _failure(server, "timeout", detail, sent=False, retryable=True)
        case TimeoutError():
            detail = f"no answer within {timeout:g} s" if timeout else "no answer in time"
            return _failure(server, "timeout", detail, sent=True, retryable=True)
        case _:
            detail = "it closed the connection without a whole answer"
            return _failure(server, "reset", detail, sent=True, retryable=True)


def _connector(server: str, error: aiohttp.ClientConnectorError) -> Unreachable:
    number = error.os_error.errno
    reason = error.os_error.strerror or "no connection"
    failure: Failure = "timeout" if number == errno.ETIMEDOUT else "refused"
    text = "connection refused" if number == errno.ECONNREFUSED else reason
    return _failure(server, failure, text, sent=False, retryable=True)


def _tls_reason(error: Exception) -> str:
    inner = getattr(error, "os_error", error)
    reason = getattr(inner, "reason", None) or "no secure connection"
    return str(reason).replace("_", " ").lower()


def _failure(
    server: str,
    failure: Failure,
    detail: str,
    *,
    sent: bool,
    retryable: bool,
) -> Unreachable:
    return Unreachable(server, failure, detail, sent=sent, retryable=retryable)

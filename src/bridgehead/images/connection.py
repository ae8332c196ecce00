"""One user's way to registries: HTTP requests, with the logins that registries ask for."""

from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

import aiohttp
import msgspec

from bridgehead.images.answer import NoAnswer
from bridgehead.images.challenge import challenge_of
from bridgehead.images.credentials import Login, Logins
from bridgehead.images.place import Place
from bridgehead.kube.config.proxy import is_loopback, proxy_from_environment
from bridgehead.kube.errors import ConfigError

LARGEST = 4 << 20
"""Bytes of an answer: registries need not take manifests above 4 MiB (distribution specification,
"Pushing Manifests")."""

T = TypeVar("T")


class Answer(msgspec.Struct, frozen=True):
    """What came back."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class _Token(msgspec.Struct):
    token: str = ""
    access_token: str = ""


class RegistryConnection:
    """Connections to registries. Tokens are kept by repository while it lives."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        logins: Logins,
        *,
        environ: Mapping[str, str],
        plain_http: frozenset[str],
    ) -> None:
        self._session = session
        self._logins = logins
        self._environ = environ
        self._plain = plain_http
        self._authorized: dict[tuple[str, str], str] = {}

    async def get(self, place: Place, what: str, accept: str) -> Answer:
        """A GET in the repository; logs in where the registry asks for it, once."""
        url = f"{self._scheme(place)}://{place.host}/v2/{place.path}/{what}"
        key = (place.registry, place.path)
        authorization = self._authorized.get(key, "")
        answer = await self._send(url, accept, authorization)
        if answer.status != 401:
            return answer
        renewed = await self._authorize(place, answer.headers.get("WWW-Authenticate", ""))
        if not renewed or renewed == authorization:
            return answer
        self._authorized[key] = renewed
        return await self._send(url, accept, renewed)

    async def _authorize(self, place: Place, header: str) -> str:
        """A header that answers the challenge; empty where nobody is logged in."""
        challenge = challenge_of(header)
        login = await self._logins.of(place.registry, place.path)
        match challenge.scheme:
            case "basic":
                return login.basic if login is not None else ""
            case "bearer":
                return await self._token(place, challenge.parameters, login)
            case _:
                return ""

    async def _token(self, place: Place, parameters: Mapping[str, str], login: Login | None) -> str:
        realm = parameters.get("realm", "")
        parts = urlsplit(realm)
        plain = parts.scheme == "http" and self._scheme(place) == "http"
        if parts.scheme != "https" and not plain:
            raise NoAnswer(f"{place.host} asks for a token of '{realm}', which is no https address")
        fields = {
            "service": parameters.get("service", ""),
            "scope": parameters.get("scope") or f"repository:{place.path}:pull",
        }
        if login is not None and login.identity_token:
            form = {
                **fields,
                "grant_type": "refresh_token",
                "client_id": "bridgehead",
                "refresh_token": login.identity_token,
            }
            answer = await self._send(realm, "application/json", "", form=form)
        else:
            mark = "&" if parts.query else "?"
            basic = login.basic if login is not None else ""
            url = f"{realm}{mark}{urlencode(fields)}"
            answer = await self._send(url, "application/json", basic)
        if answer.status != 200:
            if answer.status in (401, 403):
                return ""
            raise NoAnswer(f"{parts.hostname} answered {answer.status} instead of a token")
        token = decoded(answer.body, _Token, parts.hostname or "")
        found = token.token or token.access_token
        return f"Bearer {found}" if found else ""

    async def _send(
        self, url: str, accept: str, authorization: str, form: Mapping[str, str] | None = None
    ) -> Answer:
        headers = {"Accept": accept} | ({"Authorization": authorization} if authorization else {})
        host = urlsplit(url).netloc
        try:
            # Blobs may be kept elsewhere: aiohttp follows without the login to another origin.
            async with self._session.request(
                "GET" if form is None else "POST",
                url,
                headers=headers,
                data=form,
                proxy=proxy_from_environment(url, self._environ),
            ) as response:
                body = await response.content.read(LARGEST + 1)
                while not response.content.at_eof() and len(body) <= LARGEST:
                    body += await response.content.read(LARGEST + 1 - len(body))
                if len(body) > LARGEST:
                    raise NoAnswer(f"{host} answered with more than {LARGEST >> 20} MiB")
                return Answer(response.status, body, response.headers)
        except aiohttp.ClientSSLError as error:
            raise NoAnswer(
                f"{host} is not reached by TLS ({_reason(error)}); if it has none: "
                f"--plain-http {host}"
            ) from error
        except (aiohttp.ClientError, ConfigError, OSError) as error:
            raise NoAnswer(f"{host} is not reached: {_reason(error)}") from error

    def _scheme(self, place: Place) -> str:
        host = urlsplit(f"//{place.host}").hostname or ""
        return "http" if place.registry in self._plain or is_loopback(host) else "https"


def decoded(body: bytes, kind: type[T], host: str) -> T:
    """The body of an answer as a value. Raises NoAnswer."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise NoAnswer(f"{host} answered with what is no answer of a registry: {error}") from error


def _reason(error: Exception) -> str:
    inner = getattr(error, "os_error", error)
    return str(getattr(inner, "strerror", None) or getattr(inner, "reason", None) or inner)

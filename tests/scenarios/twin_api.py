"""The twin's API for scenarios: requests of the administrator, and a log of what users ask."""

import asyncio
import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from bridgehead.twin.api.addresses import address_of
from bridgehead.twin.api.exchange import Answer, Request, Stream
from bridgehead.twin.api.gate import attributes_of
from bridgehead.twin.api.http import Handles
from bridgehead.twin.api.service import verb_of
from testbed.api import Api, ApiError, Object
from tests.scenarios.turns import wait_for

_READS = frozenset({"get", "list", "watch"})


class Audited:
    """An API whose writes are logged as the real server's audit log has them."""

    def __init__(self, api: Handles, log: Path) -> None:
        self._api = api
        self._log = log
        log.touch()

    async def handle(self, request: Request) -> Answer | Stream:
        """The API's answer."""
        address = address_of(request.path)
        if address is not None and address.plural:
            asked = attributes_of(request, address, verb_of(request, address))
            if asked.verb not in _READS:
                self._write(request, _event(request, asked))
        return await self._api.handle(request)

    def _write(self, request: Request, event: Object) -> None:
        if "json" in request.headers.get("content-type", "json") and request.body:
            event["requestObject"] = json.loads(request.body)
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"{json.dumps(event)}\n")


def _event(request: Request, asked: Any) -> Object:
    target = {
        "resource": asked.resource,
        "apiGroup": asked.group,
        "subresource": asked.subresource,
        "namespace": asked.namespace,
        "name": asked.name,
    }
    return {
        "user": {"username": _user(request.headers)},
        "verb": asked.verb,
        "requestURI": f"{request.path}?{urlencode(request.query)}",
        "objectRef": {key: value for key, value in target.items() if value},
    }


def _user(headers: Mapping[str, str]) -> str:
    """Whom a request is from: as it says, or by the token of a service account."""
    if user := headers.get("impersonate-user"):
        return user
    token = headers.get("authorization", "").removeprefix("Bearer ")
    if token.count(".") != 2:
        return ""
    claims = json.loads(base64.urlsafe_b64decode(f"{token.split('.')[1]}=="))
    return str(claims["sub"])


class TwinApi(Api):
    """The administrator's requests, for code that takes turns with the loop."""

    def __init__(self, api: Handles, token: str, *, latency: float) -> None:
        """``latency``: seconds that a message takes."""
        self._latency = latency
        self._handles = api
        self._token = token

    def request(
        self,
        method: str,
        path: str,
        body: Object | list[Object] | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> Object:
        """Send a request and return the decoded answer. Raises ApiError for an error status."""
        return wait_for(self.ask(method, path, body, content_type, accept))

    async def ask(
        self,
        method: str,
        path: str,
        body: Object | list[Object] | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> Object:
        """The same for code of the loop."""
        split = urlsplit(path)
        request = Request(
            method=method,
            path=split.path,
            query=tuple(parse_qsl(split.query, keep_blank_values=True)),
            headers={
                "authorization": f"Bearer {self._token}",
                "content-type": content_type,
                "accept": accept,
            },
            body=b"" if body is None else json.dumps(body).encode(),
        )
        await asyncio.sleep(self._latency)
        answer = await self._handles.handle(request)
        await asyncio.sleep(self._latency)
        assert isinstance(answer, Answer)
        if answer.status >= 400:
            raise ApiError(answer.status, answer.body.decode(errors="replace")[:2000])
        decoded: Object = json.loads(answer.body) if answer.body.startswith(b"{") else {}
        return decoded

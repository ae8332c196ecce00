"""The same request to a real API server and to a twin, and answers that can be compared."""

import asyncio
import base64
import http.client
import json
import re
import ssl
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlencode, urlsplit

import yaml

from bridgehead.twin.api.exchange import Answer, Request
from bridgehead.twin.twin import Twin

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


class Asked(NamedTuple):
    """One request."""

    method: str
    path: str
    body: Any = None
    """Bytes as they are; anything else as JSON."""
    content_type: str = JSON
    query: tuple[tuple[str, str], ...] = ()
    token: str | None = None
    """Whose request it is; None for the administrator, empty for nobody."""
    headers: tuple[tuple[str, str], ...] = ()


class Server(Protocol):
    def ask(self, asked: Asked) -> tuple[int, Any]:
        """The status and the decoded body."""


class RealServer:
    """Speaks to the API server of a kubeconfig, as its administrator or with a token."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        address = urlsplit(cluster["server"])
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()

        def connection(tls: ssl.SSLContext) -> http.client.HTTPSConnection:
            return http.client.HTTPSConnection(
                address.hostname or "", address.port or 443, context=tls, timeout=60
            )

        anonymous = ssl.create_default_context(cadata=authority)
        administrator = ssl.create_default_context(cadata=authority)
        with tempfile.NamedTemporaryFile() as pair:
            for part in ("client-certificate-data", "client-key-data"):
                pair.write(base64.b64decode(user[part]) + b"\n")
            pair.flush()
            administrator.load_cert_chain(pair.name)
        self._administrator = connection(administrator)
        self._anonymous = connection(anonymous)

    def close(self) -> None:
        self._administrator.close()
        self._anonymous.close()

    def ask(self, asked: Asked) -> tuple[int, Any]:
        connection = self._administrator if asked.token is None else self._anonymous
        path = f"{asked.path}?{urlencode(asked.query)}" if asked.query else asked.path
        connection.putrequest(asked.method, path)
        for name, value in _headers(asked):
            connection.putheader(name, value)
        body = _encoded(asked)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, _decoded(answer.read())


class TwinServer:
    """Speaks to a twin in its own event loop."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self.twin = self._runner.run(_made())

    def close(self) -> None:
        self._runner.run(self.twin.stop())
        self._runner.close()

    def ask(self, asked: Asked) -> tuple[int, Any]:
        if asked.token is None:
            asked = asked._replace(token=self.twin.administrator)
        headers = _headers(asked)
        request = Request(
            method=asked.method,
            path=asked.path,
            query=asked.query,
            headers={name.lower(): value for name, value in headers},
            all_headers=tuple(headers),
            body=_encoded(asked),
        )
        answer = self._runner.run(self.twin.api.handle(request))
        assert isinstance(answer, Answer)
        return answer.status, _decoded(answer.body)

    def settled(self, asked: Asked) -> tuple[int, Any]:
        """Ask once the controllers have done what they do at once."""
        version = -1
        while version != self.twin.store.version:
            version = self.twin.store.version
            self._runner.run(asyncio.sleep(_QUIET))
        return self.ask(asked)


def _headers(asked: Asked) -> list[tuple[str, str]]:
    always = [("Accept", JSON), ("User-Agent", "tester/1"), ("Content-Type", asked.content_type)]
    token = [("Authorization", f"Bearer {asked.token}")] if asked.token else []
    return [*always, *token, *asked.headers]


def _encoded(asked: Asked) -> bytes:
    if isinstance(asked.body, bytes):
        return asked.body
    return b"" if asked.body is None else json.dumps(asked.body).encode()


async def _made() -> Twin:
    twin = Twin(start=1_767_225_600.0, seed=1)
    twin.start()
    return twin


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode()


_QUIET = 0.05
"""Seconds: longer than a controller takes to hear of a change (``WorkQueue``); timers of one loop
come in their order however slow the machine is."""
_MASKED = ("uid", "resourceVersion", "creationTimestamp", "generation")
_UID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def masked(answer: tuple[int, Any]) -> tuple[int, Any]:
    """An answer without what differs between any two servers, and without controllers' writes."""
    status, body = answer
    if not isinstance(body, dict):
        return status, body
    body = json.loads(_UID.sub("UID", json.dumps(body)))
    if body["kind"] == "Status":
        # Causes come in the order of Go's maps, which is a new one every time.
        causes = body.get("details", {}).get("causes", [])
        causes.sort(key=lambda cause: json.dumps(cause, sort_keys=True))
        if len(causes) > 1:
            body["message"] = sorted(body["message"])
        return status, body
    if not body["apiVersion"].partition("/")[0].endswith(".example.com"):
        body.pop("status", None)
    metadata = body["metadata"]
    for key in _MASKED:
        metadata.pop(key, None)
    entries = [
        entry
        for entry in metadata.get("managedFields", ())
        if entry["manager"] != "kube-controller-manager"
    ]
    for entry in entries:
        entry["time"] = bool(entry.get("time"))
    metadata["managedFields"] = sorted(entries, key=lambda entry: json.dumps(entry, sort_keys=True))
    return status, body

"""A registry that answers as the distribution specification says, and asks for logins if told."""

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
USER, PASSWORD = "anna", "s3cret:with colon"


def platform(architecture: str, **more: str) -> dict[str, Any]:
    return {"digest": "sha256:0", "platform": {"architecture": architecture, "os": "linux"}, **more}


class Hub:
    """What it holds, what it asks for, and which requests it got."""

    def __init__(self) -> None:
        self.manifests: dict[str, tuple[str, bytes]] = {}
        self.blobs: dict[str, bytes] = {}
        self.challenge = ""
        """``basic`` or ``bearer``; empty: everybody may read."""
        self.realm = ""
        self.private = False
        """Whether a token needs a login."""
        self.blobs_at: str = ""
        """Another origin that keeps the blobs."""
        self.seen: list[tuple[str, str, str]] = []
        """Method, path and Authorization of each request."""
        self.forms: list[dict[str, str]] = []
        self.address = ""

    def holds(self, path: str, reference: str, document: object, media_type: str = INDEX) -> str:
        body = json.dumps(document).encode()
        self.manifests[f"{path}/{reference}"] = (media_type, body)
        return f"sha256:{hashlib.sha256(body).hexdigest()}"

    def holds_blob(self, document: object) -> str:
        body = json.dumps(document).encode()
        digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
        self.blobs[digest] = body
        return digest

    def application(self) -> web.Application:
        found = web.Application()
        found.router.add_get("/v2/{path:.+}/manifests/{reference}", self._manifest)
        found.router.add_get("/v2/{path:.+}/blobs/{digest}", self._blob)
        found.router.add_get("/token", self._token)
        found.router.add_post("/token", self._refresh)
        return found

    async def _manifest(self, request: web.Request) -> web.Response:
        refused = self._refused(request)
        if refused is not None:
            return refused
        key = f"{request.match_info['path']}/{request.match_info['reference']}"
        if key not in self.manifests:
            error = {"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}
            return web.json_response({"errors": [error]}, status=404)
        media_type, body = self.manifests[key]
        assert media_type in request.headers["Accept"]
        return web.Response(body=body, content_type=media_type)

    async def _blob(self, request: web.Request) -> web.Response:
        if self.blobs_at:
            self.seen.append(
                (request.method, request.path, request.headers.get("Authorization", ""))
            )
            raise web.HTTPTemporaryRedirect(f"{self.blobs_at}{request.path}")
        refused = self._refused(request)
        return refused or web.Response(body=self.blobs[request.match_info["digest"]])

    def _refused(self, request: web.Request) -> web.Response | None:
        said = request.headers.get("Authorization", "")
        self.seen.append((request.method, request.path, said))
        match self.challenge:
            case "basic" if said != _basic():
                asks = 'Basic realm="hub"'
            case "bearer" if said != "Bearer the-token":
                realm = self.realm or f"http://{self.address}/token"
                asks = f'Bearer realm="{realm}",service="hub",scope="repository:gpu/plugin:pull"'
            case _:
                return None
        body = {"errors": [{"code": "UNAUTHORIZED", "message": "authentication required"}]}
        return web.json_response(body, status=401, headers={"WWW-Authenticate": asks})

    async def _token(self, request: web.Request) -> web.Response:
        said = request.headers.get("Authorization", "")
        self.seen.append((request.method, request.path, said))
        self.forms.append(dict(request.query))
        if self.private and said != _basic():
            return web.json_response({}, status=401)
        return web.json_response({"token": "the-token"})

    async def _refresh(self, request: web.Request) -> web.Response:
        self.seen.append((request.method, request.path, request.headers.get("Authorization", "")))
        self.forms.append({key: str(value) for key, value in (await request.post()).items()})
        return web.json_response({"access_token": "the-token"})


def _basic() -> str:
    return f"Basic {base64.b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}"


@asynccontextmanager
async def served(hub: Hub) -> AsyncIterator[str]:
    """Its address while it answers: host and port, as in image names."""
    async with TestServer(hub.application()) as server:
        hub.address = f"{server.host}:{server.port}"
        yield hub.address

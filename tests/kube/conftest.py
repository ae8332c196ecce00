"""Servers on loopback, certificates and kubeconfigs for tests of the client."""

import base64
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from bridgehead.kube.retry import RetryPolicy
from tests.kube.certificates import Authority, Pem
from tests.kube.scripted import ScriptedServer

Kubeconfig = Callable[..., Path]

QUICK = RetryPolicy(patience=5.0, first_contact=5.0, base=0.01, cap=0.05)


@pytest.fixture(scope="session")
def authority() -> Authority:
    return Authority()


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
async def tls_server(authority: Authority, tmp_path: Path) -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer(authority.server_context(tmp_path, "127.0.0.1")) as running:
        yield running


@pytest.fixture
def connection(server: ScriptedServer) -> Connection:
    return Connection(server.url, "test", StaticToken("secret-token"))


@pytest.fixture
async def kube(connection: Connection) -> AsyncIterator[Kube]:
    async with await Kube.connect(connection, retry=QUICK, request_timeout=5.0) as client:
        yield client


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Kubeconfig:
    """Writes a kubeconfig of one context out of a cluster's and a user's fields."""

    def write(
        cluster: dict[str, Any],
        user: dict[str, Any] | None = None,
        *,
        path: str = "config",
        name: str = "test",
        **context: Any,
    ) -> Path:
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "contexts": [
                {"name": name, "context": {"cluster": name, "user": name} | context},
            ],
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": name, "user": {"token": "t"} if user is None else user}],
        }
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(content))
        return file

    return write


@pytest.fixture
def cluster(tls_server: ScriptedServer, authority: Authority) -> dict[str, Any]:
    return {
        "server": tls_server.url,
        "certificate-authority-data": base64.b64encode(authority.pem).decode(),
    }


@pytest.fixture
def client(authority: Authority) -> Pem:
    return authority.issue("the client")

"""Who we are to the server: what arrives there, for every kind of credential (AU-01 to AU-22)."""

import asyncio
import base64
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bridgehead.kube import errors
from bridgehead.kube.client import Kube
from bridgehead.kube.config import load_config
from bridgehead.kube.config.credentials import credential_source
from bridgehead.kube.config.values import Connection, TokenFile
from tests.kube.authenticated import ask, connect
from tests.kube.certificates import Authority, Pem
from tests.kube.conftest import Kubeconfig
from tests.kube.scripted import ScriptedServer, script, status, version


async def test_a_static_token_is_sent_as_bearer(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer
) -> None:
    await ask(kubeconfig(cluster, {"token": "abc"}))
    assert tls_server.seen[0].token == "Bearer abc"


async def test_a_token_file_ending_with_a_newline_is_sent_without_it(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("from-file\n")
    await ask(kubeconfig(cluster, {"tokenFile": "token"}))
    assert tls_server.seen[0].token == "Bearer from-file"


async def test_a_token_file_is_read_again_within_a_minute(tmp_path: Path) -> None:
    now = 0.0
    file = tmp_path / "token"
    file.write_text("first")
    source = credential_source(TokenFile(file, "test"), monotonic=lambda: now)
    assert (await source.current()).token == "first"
    file.write_text("second\n")
    assert (await source.current()).token == "first"
    now = 60.0
    assert (await source.current()).token == "second"


async def test_a_token_file_that_changed_is_read_again_after_a_401(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("old")
    tls_server.handler = script(version, status(401, "Unauthorized", "Unauthorized"), version)
    async with await connect(kubeconfig(cluster, {"tokenFile": "token"})) as kube:
        await kube.server_version()
        (tmp_path / "token").write_text("new")
        await kube.server_version()
    assert [seen.token for seen in tls_server.seen] == ["Bearer old", "Bearer old", "Bearer new"]


async def test_a_client_certificate_as_data_is_shown(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, client: Pem
) -> None:
    user = {
        "client-certificate-data": base64.b64encode(client.certificate).decode(),
        "client-key-data": base64.b64encode(client.key).decode(),
    }
    await ask(kubeconfig(cluster, user))
    assert tls_server.seen[0].peer == "the client"
    assert tls_server.seen[0].token is None


async def test_certificate_files_are_found_relative_to_the_kubeconfig(
    *,
    kubeconfig: Kubeconfig,
    cluster: dict[str, Any],
    tls_server: ScriptedServer,
    client: Pem,
    authority: Authority,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "deep" / "pki"
    folder.mkdir(parents=True)
    (folder / "ca.crt").write_bytes(authority.pem)
    (folder / "me.crt").write_bytes(client.certificate)
    (folder / "me.key").write_bytes(client.key)
    del cluster["certificate-authority-data"]
    cluster["certificate-authority"] = "pki/ca.crt"
    user = {"client-certificate": "pki/me.crt", "client-key": "pki/me.key"}
    await ask(kubeconfig(cluster, user, path="deep/config"))
    assert tls_server.seen[0].peer == "the client"


async def test_tls_server_name_is_verified_instead_of_the_host(
    kubeconfig: Kubeconfig, authority: Authority, tmp_path: Path
) -> None:
    context = authority.server_context(tmp_path, "kubernetes.example")
    sent: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: sent.append(name)
    async with ScriptedServer(context) as server:
        cluster = {
            "server": server.url,
            "certificate-authority-data": base64.b64encode(authority.pem).decode(),
        }
        with pytest.raises(errors.Unreachable) as refused:
            await ask(kubeconfig(cluster))
        assert refused.value.failure == "tls"
        await ask(kubeconfig(cluster | {"tls-server-name": "kubernetes.example"}))
    assert sent[-1] == "kubernetes.example"


async def test_a_server_of_another_authority_is_refused_and_says_so(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer
) -> None:
    other = base64.b64encode(Authority().pem).decode()
    with pytest.raises(errors.Unreachable, match="certificate does not verify") as refused:
        await ask(kubeconfig(cluster | {"certificate-authority-data": other}))
    assert not refused.value.retryable
    assert tls_server.seen == []


async def test_insecure_skip_tls_verify_is_honoured(
    kubeconfig: Kubeconfig, tls_server: ScriptedServer
) -> None:
    await ask(kubeconfig({"server": tls_server.url, "insecure-skip-tls-verify": True}))
    assert tls_server.seen


class Proxy:
    """A proxy that knows CONNECT and remembers where it led."""

    def __init__(self) -> None:
        self.targets: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        target = head.split()[1].decode()
        self.targets.append(target)
        host, _, port = target.rpartition(":")
        remote_reader, remote_writer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.gather(_pump(reader, remote_writer), _pump(remote_reader, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
    except ConnectionError:
        pass
    writer.close()


@pytest.fixture
async def proxy() -> AsyncIterator[tuple[Proxy, str]]:
    running = Proxy()
    listening = await asyncio.start_server(running.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    yield running, f"http://127.0.0.1:{port}"
    listening.close()
    await listening.wait_closed()


async def test_proxy_url_is_used_also_with_tls_server_name(
    kubeconfig: Kubeconfig, authority: Authority, tmp_path: Path, proxy: tuple[Proxy, str]
) -> None:
    running, url = proxy
    async with ScriptedServer(authority.server_context(tmp_path, "inner.example")) as server:
        cluster = {
            "server": server.url,
            "certificate-authority-data": base64.b64encode(authority.pem).decode(),
            "tls-server-name": "inner.example",
            "proxy-url": url,
        }
        await ask(kubeconfig(cluster))
        assert [f"https://{target}" for target in running.targets] == [server.url]
        assert server.seen[0].token == "Bearer t"


async def test_impersonation_is_sent_with_every_field(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer
) -> None:
    user = {
        "token": "t",
        "as": "jane",
        "as-uid": "u-1",
        "as-groups": ["dev", "ops"],
        "as-user-extra": {"acme.com/Project": ["x", "y"]},
    }
    await ask(kubeconfig(cluster, user))
    seen = tls_server.seen[0]
    assert seen.headers["Impersonate-User"] == "jane"
    assert seen.headers["Impersonate-Uid"] == "u-1"
    assert seen.groups == ["dev", "ops"]
    assert seen.headers.getall("Impersonate-Extra-acme.com%2FProject") == ["x", "y"]  # type: ignore[attr-defined]


async def test_two_kubeconfig_files_are_merged(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    first = tmp_path / "first"
    first.write_text(
        "contexts: [{name: mine, context: {cluster: test, user: me}}]\n"
        "current-context: mine\n"
        "users: [{name: me, user: {token: from-first}}]\n"
    )
    second = kubeconfig(cluster, {"token": "from-second"}, path="second")
    config = load_config(environ={"KUBECONFIG": f"{first}{os.pathsep}{second}"})
    async with await Kube.connect(config) as kube:
        await kube.server_version()
    assert tls_server.seen[0].token == "Bearer from-first"


async def test_in_cluster_credentials_are_used_and_rotated(
    authority: Authority, tls_server: ScriptedServer, tmp_path: Path
) -> None:
    folder = tmp_path / "serviceaccount"
    folder.mkdir()
    (folder / "token").write_text("pod-token")
    (folder / "ca.crt").write_bytes(authority.pem)
    (folder / "namespace").write_text("gpu")
    host, _, port = tls_server.url.removeprefix("https://").partition(":")
    config = load_config(
        environ={
            "HOME": str(tmp_path),
            "KUBERNETES_SERVICE_HOST": host,
            "KUBERNETES_SERVICE_PORT": port,
        },
        service_account=folder,
    )
    tls_server.handler = script(version, status(401, "Unauthorized", "Unauthorized"), version)
    async with await Kube.connect(config) as kube:
        await kube.server_version()
        (folder / "token").write_text("rotated")
        await kube.server_version()
    assert config.namespace == "gpu"
    assert [seen.token for seen in tls_server.seen][0::2] == ["Bearer pod-token", "Bearer rotated"]


async def test_compression_is_not_asked_for_where_the_kubeconfig_disables_it(
    kubeconfig: Kubeconfig, tmp_path: Path
) -> None:
    address = {"server": "https://cluster.example:6443"}
    plain = load_config(kubeconfig(address | {"disable-compression": True}), environ={})
    assert not plain.compress
    assert load_config(kubeconfig(address), environ={}).compress


@pytest.mark.parametrize(("compress", "header"), [(True, "gzip"), (False, "identity")])
async def test_the_server_sees_whether_we_want_compression(
    server: ScriptedServer, compress: bool, header: str, connection: Connection
) -> None:
    config = Connection(server.url, "test", connection.tokens, compress=compress)
    async with await Kube.connect(config) as kube:
        await kube.server_version()
    assert server.seen[0].headers["Accept-Encoding"] == header


@pytest.mark.parametrize("content", [None, "", "\n"])
async def test_a_token_file_without_a_token_is_an_error_and_sends_nothing(
    kubeconfig: Kubeconfig,
    cluster: dict[str, Any],
    tls_server: ScriptedServer,
    tmp_path: Path,
    content: str | None,
) -> None:
    if content is not None:
        (tmp_path / "token").write_text(content)
    with pytest.raises(errors.CredentialError, match="token file"):
        await ask(kubeconfig(cluster, {"tokenFile": "token"}))
    assert tls_server.seen == []


async def test_a_certificate_that_does_not_load_is_an_error_and_sends_nothing(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer
) -> None:
    junk = base64.b64encode(b"junk").decode()
    with pytest.raises(errors.CredentialError, match="do not load"):
        await ask(kubeconfig(cluster, {"client-certificate-data": junk, "client-key-data": junk}))
    assert tls_server.seen == []


async def test_a_token_is_sent_to_no_other_place_by_a_redirect(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer
) -> None:
    tls_server.handler = script(web.Response(status=302, headers={"Location": "/elsewhere"}))
    with pytest.raises(errors.UnexpectedAnswer, match="redirect"):
        await ask(kubeconfig(cluster))
    assert len(tls_server.seen) == 1


def test_secrets_do_not_show_in_the_connection(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], client: Pem
) -> None:
    user = {
        "token": "secret-token",
        "client-certificate-data": base64.b64encode(client.certificate).decode(),
        "client-key-data": base64.b64encode(client.key).decode(),
    }
    shown = repr(load_config(kubeconfig(cluster, user), environ={}))
    assert "secret-token" not in shown
    assert "PRIVATE KEY" not in shown

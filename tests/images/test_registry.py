"""What registries answer, and how they are asked."""

import asyncio
import base64
import json
import socket
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bridgehead.images.answer import NoAnswer, Word
from bridgehead.images.registry import Registries, registries
from tests.images.hub import MANIFEST, PASSWORD, USER, Hub, platform, served

TWO = {"manifests": [platform("arm64"), platform("amd64")]}


def environ(home: Path, config: object = None) -> dict[str, str]:
    if config is not None:
        folder = home / ".docker"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return {"HOME": str(home), "PATH": str(home)}


def login(address: str, user: str = USER, password: str = PASSWORD) -> dict[str, object]:
    pair = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"auths": {address: {"auth": pair}}}


async def test_the_architectures_of_an_index_are_those_of_its_platforms(tmp_path: Path) -> None:
    hub = Hub()
    attestation = platform("unknown", artifactType="attestation")
    digest = hub.holds("gpu/plugin", "v1", {"manifests": [*TWO["manifests"], attestation]})
    async with served(hub) as address, registries(environ=environ(tmp_path)) as asked:
        found = await asked.ask(f"{address}/gpu/plugin:v1")
    assert (found.word, found.architectures) == (Word.FOUND, ("amd64", "arm64"))
    assert found.digest == digest
    assert found.registry == address


async def test_an_image_without_an_index_has_the_architecture_of_its_configuration(
    tmp_path: Path,
) -> None:
    hub, elsewhere = Hub(), Hub()
    config = elsewhere.holds_blob({"architecture": "arm64", "os": "linux"})
    hub.holds("gpu/plugin", "v1", {"config": {"digest": config}, "layers": []}, MANIFEST)
    hub.challenge = "basic"
    async with served(elsewhere) as other, served(hub) as address:
        hub.blobs_at = f"http://{other}"
        async with registries(environ=environ(tmp_path, login(address))) as asked:
            found = await asked.ask(f"{address}/gpu/plugin:v1")
    assert found.architectures == ("arm64",)
    assert elsewhere.seen == [("GET", f"/v2/gpu/plugin/blobs/{config}", "")], "the login went along"


async def test_a_tag_that_is_not_there_is_absent_in_the_words_of_the_registry(
    tmp_path: Path,
) -> None:
    async with served(Hub()) as address, registries(environ=environ(tmp_path)) as asked:
        found = await asked.ask(f"{address}/gpu/plugin:v9")
    assert (found.word, found.message) == (Word.ABSENT, "MANIFEST_UNKNOWN manifest unknown")


async def test_a_token_is_fetched_once_for_a_repository(tmp_path: Path) -> None:
    hub = Hub()
    hub.challenge = "bearer"
    hub.holds("gpu/plugin", "v1", TWO)
    hub.holds("gpu/plugin", "v2", TWO)
    async with served(hub) as address, registries(environ=environ(tmp_path)) as asked:
        for tag in ("v1", "v2"):
            assert (await asked.ask(f"{address}/gpu/plugin:{tag}")).word is Word.FOUND
    assert hub.forms == [{"service": "hub", "scope": "repository:gpu/plugin:pull"}]


async def test_a_login_goes_to_who_gives_the_tokens(tmp_path: Path) -> None:
    hub = Hub()
    hub.challenge, hub.private = "bearer", True
    hub.holds("gpu/plugin", "v1", TWO)
    async with served(hub) as address:
        async with registries(environ=environ(tmp_path)) as asked:
            assert (await asked.ask(f"{address}/gpu/plugin:v1")).word is Word.REFUSED
        async with registries(environ=environ(tmp_path, login(address))) as asked:
            assert (await asked.ask(f"{address}/gpu/plugin:v1")).word is Word.FOUND
        wrong = login(address, password="another")
        async with registries(environ=environ(tmp_path, wrong)) as asked:
            found = await asked.ask(f"{address}/gpu/plugin:v1")
    assert (found.word, found.message) == (Word.REFUSED, "UNAUTHORIZED authentication required")
    assert not [said for _, path, said in hub.seen if "manifests" in path and "Basic" in said]


async def test_an_identity_token_is_exchanged(tmp_path: Path) -> None:
    hub = Hub()
    hub.challenge = "bearer"
    hub.holds("gpu/plugin", "v1", TWO)
    async with served(hub) as address:
        config = {"auths": {address: {"identitytoken": "long-lived"}}}
        async with registries(environ=environ(tmp_path, config)) as asked:
            assert (await asked.ask(f"{address}/gpu/plugin:v1")).word is Word.FOUND
    assert hub.forms[0]["grant_type"] == "refresh_token"
    assert hub.forms[0]["refresh_token"] == "long-lived"


async def test_a_realm_that_is_no_https_address_gets_no_login(tmp_path: Path) -> None:
    hub = Hub()
    hub.challenge, hub.realm = "bearer", "ftp://elsewhere.example/token"
    async with served(hub) as address, registries(environ=environ(tmp_path)) as asked:
        with pytest.raises(NoAnswer, match="which is no https address"):
            await asked.ask(f"{address}/gpu/plugin:v1")


async def answered(response: web.Response, home: Path) -> None:
    async def answer(_: web.Request) -> web.Response:
        return response

    application = web.Application()
    application.router.add_get("/{path:.*}", answer)
    async with TestServer(application) as server, registries(environ=environ(home)) as asked:
        await asked.ask(f"{server.host}:{server.port}/gpu/plugin:v1")


@pytest.mark.parametrize(
    ("response", "why"),
    [
        (web.Response(status=503, text="<html>"), "answered 503: status 503"),
        (web.Response(status=429, text='{"errors":[{"code":"TOOMANYREQUESTS"}]}'), "TOOMANY"),
        (web.Response(text="<html>log in to the network</html>"), "no answer of a registry"),
        (web.Response(text="{}"), "neither an index nor a manifest"),
        (web.Response(body=b" " * (5 << 20)), "more than 4 MiB"),
    ],
    ids=["down", "limited", "portal", "empty", "huge"],
)
async def test_what_means_nothing_is_no_answer(
    response: web.Response, why: str, tmp_path: Path
) -> None:
    with pytest.raises(NoAnswer, match=why):
        await answered(response, tmp_path)


async def test_a_silent_registry_is_not_waited_for_longer_than_told(tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        async with registries(environ=environ(tmp_path)) as asked:
            hasty = Registries(asked.connection, patience=0.05)
            with pytest.raises(NoAnswer, match=r"did not answer within 0\.05 s"):
                await hasty.ask(f"127.0.0.1:{port}/gpu/plugin:v1")


async def test_a_registry_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        async with registries(environ=environ(tmp_path)) as asked:
            with pytest.raises(NoAnswer, match="is not reached: Connect"):
                await asked.ask(f"127.0.0.1:{port}/gpu/plugin:v1")


async def test_a_registry_without_tls_is_told_with_the_option_for_it(tmp_path: Path) -> None:

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    name = f"0.0.0.0:{port}"  # leads to this machine, and is not known as such
    async with server, registries(environ=environ(tmp_path)) as asked:
        with pytest.raises(NoAnswer, match=f"--plain-http {name}"):
            await asked.ask(f"{name}/gpu/plugin:v1")


async def test_a_name_that_is_no_image_is_asked_of_nobody(tmp_path: Path) -> None:
    async with registries(environ=environ(tmp_path)) as asked:
        with pytest.raises(NoAnswer, match="no image name"):
            await asked.ask("nvcr.io/NVIDIA/plugin")

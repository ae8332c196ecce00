"""Where logins come from."""

import json
from pathlib import Path

import pytest

from bridgehead.images.answer import NoAnswer
from bridgehead.images.credentials import Login, Logins, logins_of_user

ANNA = {"auth": "YW5uYTpvbmU="}
BERT = {"auth": "YmVydDp0d28="}


def kept(folder: Path, config: object) -> Logins:
    file = folder / "config.json"
    file.write_text(config if isinstance(config, str) else json.dumps(config), encoding="utf-8")
    return Logins([file], {"PATH": f"{folder}:/usr/bin:/bin"})


def helper(folder: Path, name: str, script: str) -> None:
    file = folder / f"docker-credential-{name}"
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)


@pytest.mark.parametrize(
    "key", ["r.example", "https://r.example", "https://r.example/", "https://r.example/v2/"]
)
async def test_a_registry_is_known_however_docker_wrote_it(key: str, tmp_path: Path) -> None:
    assert await kept(tmp_path, {"auths": {key: ANNA}}).of("r.example", "x") == Login("anna", "one")


async def test_docker_hub_is_known_by_its_old_address(tmp_path: Path) -> None:
    logins = kept(tmp_path, {"auths": {"https://index.docker.io/v1/": ANNA}})
    assert await logins.of("docker.io", "library/x") == Login("anna", "one")


async def test_the_most_special_login_is_taken(tmp_path: Path) -> None:
    logins = kept(tmp_path, {"auths": {"r.example": ANNA, "r.example/gpu": BERT}})
    assert await logins.of("r.example", "gpu/plugin") == Login("bert", "two")
    assert await logins.of("r.example", "other/plugin") == Login("anna", "one")


async def test_nobody_is_logged_in_elsewhere(tmp_path: Path) -> None:
    assert await kept(tmp_path, {"auths": {"r.example": ANNA}}).of("other.example", "x") is None
    assert await Logins([tmp_path / "none.json"], {}).of("r.example", "x") is None


async def test_a_helper_is_asked_for_its_registries(tmp_path: Path) -> None:
    helper(
        tmp_path,
        "vault",
        """read key; echo "{\\"Username\\":\\"u-$key\\",\\"Secret\\":\\"s\\"}\"""",
    )
    logins = kept(tmp_path, {"credHelpers": {"r.example": "vault"}, "auths": {"r.example": {}}})
    assert await logins.of("r.example", "x") == Login("u-r.example", "s")
    assert await logins.of("other.example", "x") is None


async def test_a_store_is_asked_for_every_registry(tmp_path: Path) -> None:
    helper(tmp_path, "all", """read key; echo '{"Username":"<token>","Secret":"t"}'""")
    logins = kept(tmp_path, {"credsStore": "all"})
    assert await logins.of("r.example", "x") == Login(identity_token="t")


async def test_a_helper_that_knows_no_login_is_no_failure(tmp_path: Path) -> None:
    helper(tmp_path, "all", "echo credentials not found in native keychain; exit 1")
    assert await kept(tmp_path, {"credsStore": "all"}).of("r.example", "x") is None


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo the keychain is locked; exit 1", "exit code 1: the keychain is locked"),
        ("echo hello", "printed no credential"),
    ],
)
async def test_a_helper_that_fails_is_said(script: str, why: str, tmp_path: Path) -> None:
    helper(tmp_path, "all", script)
    with pytest.raises(NoAnswer, match=why):
        await kept(tmp_path, {"credsStore": "all"}).of("r.example", "x")


async def test_a_helper_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoAnswer, match="cannot run the credential helper docker-credential-gone"):
        await kept(tmp_path, {"credsStore": "gone"}).of("r.example", "x")


@pytest.mark.parametrize(
    "config", ["{", '{"auths": []}', '{"auths": {"r.example": {"auth": "?"}}}']
)
async def test_a_broken_file_of_logins_is_said(config: str, tmp_path: Path) -> None:
    with pytest.raises(NoAnswer, match=r"cannot be read|no base64"):
        await kept(tmp_path, config).of("r.example", "x")


async def test_the_files_of_podman_and_docker_are_found_by_the_environment(tmp_path: Path) -> None:
    podman = tmp_path / "run" / "containers" / "auth.json"
    docker = tmp_path / "docker" / "config.json"
    for file, who in ((podman, ANNA), (docker, BERT)):
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"auths": {"r.example": who}}), encoding="utf-8")
    environ = {"HOME": str(tmp_path), "DOCKER_CONFIG": str(tmp_path / "docker")}
    assert await logins_of_user(environ).of("r.example", "x") == Login("bert", "two")
    environ["XDG_RUNTIME_DIR"] = str(tmp_path / "run")
    assert await logins_of_user(environ).of("r.example", "x") == Login("anna", "one")


def test_a_login_shows_no_secret() -> None:
    assert "one" not in repr(Login("anna", "one"))

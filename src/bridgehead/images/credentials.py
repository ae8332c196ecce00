"""Logins for registries, where ``docker login`` and ``podman login`` keep them.

Sources: docker's config.json (https://docs.docker.com/reference/cli/docker/login/), podman's
containers-auth.json(5), and the protocol of credential helpers
(https://github.com/docker/docker-credential-helpers).
"""

import asyncio
import base64
import binascii
import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from bridgehead.images.answer import NoAnswer

_HELPER_TIME = 10.0
"""Seconds that a credential helper may take."""
_DOCKER_HUB = "docker.io"
_DOCKER_HUB_KEY = "https://index.docker.io/v1/"
_TOKEN_USER = "<token>"  # noqa: S105
"""A helper's user name for an identity token instead of a password."""


class Login(msgspec.Struct, frozen=True):
    """A user name and password, or an identity token."""

    user: str = ""
    password: str = ""
    identity_token: str = ""

    def __repr__(self) -> str:
        return "Login(<hidden>)"

    @property
    def basic(self) -> str:
        """As a header of basic authentication."""
        pair = f"{self.user}:{self.password}".encode()
        return f"Basic {base64.b64encode(pair).decode()}"


class _Auth(msgspec.Struct):
    auth: str = ""
    username: str = ""
    password: str = ""
    identitytoken: str = ""


class _Config(msgspec.Struct, rename="camel"):
    auths: Mapping[str, _Auth] = {}
    cred_helpers: Mapping[str, str] = {}
    creds_store: str = ""


class _Secret(msgspec.Struct, rename="pascal"):
    username: str = ""
    secret: str = ""


class Logins:
    """Logins by registry, of the first file that knows one."""

    def __init__(self, files: Iterable[Path], environ: Mapping[str, str]) -> None:
        self._files = tuple(files)
        self._environ = dict(environ)

    async def of(self, registry: str, path: str) -> Login | None:
        """The login for a repository; None where nobody is logged in.

        Raises NoAnswer for a file that cannot be read and for a helper that fails.
        """
        for file in self._files:
            config = _read(file)
            if config is None:
                continue
            found = await self._in(config, registry, path)
            if found is not None:
                return found
        return None

    async def _in(self, config: _Config, registry: str, path: str) -> Login | None:
        keys = tuple(_keys(registry, path))
        helper = next((config.cred_helpers[key] for key in keys if key in config.cred_helpers), "")
        auth = next((item for key in keys if (item := _auth(config, key)) is not None), None)
        if helper or (config.creds_store and (auth is None or not _says(auth))):
            key = _DOCKER_HUB_KEY if registry == _DOCKER_HUB else registry
            return await _ask_helper(helper or config.creds_store, key, self._environ)
        return _login(auth, registry) if auth is not None and _says(auth) else None


def logins_of_user(environ: Mapping[str, str] = os.environ) -> Logins:
    """The logins of the user who runs this process, docker's before podman's."""
    home = Path(environ.get("HOME", "~")).expanduser()
    docker = Path(environ.get("DOCKER_CONFIG") or home / ".docker") / "config.json"
    runtime = environ.get("XDG_RUNTIME_DIR") or ""
    podman = environ.get("REGISTRY_AUTH_FILE") or (
        f"{runtime}/containers/auth.json" if runtime else ""
    )
    return Logins([*([Path(podman)] if podman else []), docker], environ)


def _read(file: Path) -> _Config | None:
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NoAnswer(f"the logins in {file} cannot be read: {error.strerror}") from error
    try:
        return msgspec.json.decode(content, type=_Config)
    except msgspec.DecodeError as error:
        raise NoAnswer(f"the logins in {file} cannot be read: {error}") from error


def _keys(registry: str, path: str) -> Iterable[str]:
    """What a login may be kept under, the most special first."""
    parts = path.split("/")
    for count in range(len(parts), 0, -1):
        yield "/".join((registry, *parts[:count]))
    yield registry
    if registry == _DOCKER_HUB:
        yield from (_DOCKER_HUB_KEY, "index.docker.io", "registry-1.docker.io")


def _auth(config: _Config, key: str) -> _Auth | None:
    for written in (key, f"https://{key}", f"https://{key}/", f"https://{key}/v2/"):
        if written in config.auths:
            return config.auths[written]
    return None


def _says(auth: _Auth) -> bool:
    return bool(auth.auth or auth.username or auth.identitytoken)


def _login(auth: _Auth, registry: str) -> Login:
    if auth.identitytoken:
        return Login(identity_token=auth.identitytoken)
    if not auth.auth:
        return Login(auth.username, auth.password)
    try:
        user, _, password = base64.b64decode(auth.auth, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise NoAnswer(f"the login for {registry} is no base64 of user:password") from error
    return Login(user, password.rstrip("\0"))


async def _ask_helper(name: str, key: str, environ: Mapping[str, str]) -> Login | None:
    program = f"docker-credential-{name}"
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            "get",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environ,
        )
    except OSError as error:
        raise NoAnswer(f"cannot run the credential helper {program}: {error.strerror}") from error
    try:
        async with asyncio.timeout(_HELPER_TIME):
            output, _ = await process.communicate(key.encode())
    except TimeoutError:
        raise NoAnswer(f"{program} did not answer within {_HELPER_TIME:g} s") from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode != 0:
        # Helpers say on their standard output why there is nothing; not knowing a registry is
        # the one reason that is no fault.
        said = output.decode(errors="replace").strip()
        if "credentials not found" in said:
            return None
        raise NoAnswer(f"{program} failed with exit code {process.returncode}: {said[:200]}")
    try:
        found = msgspec.json.decode(output, type=_Secret)
    except msgspec.DecodeError as error:
        raise NoAnswer(f"{program} printed no credential") from error
    if found.username == _TOKEN_USER:
        return Login(identity_token=found.secret)
    return Login(found.username, found.secret)

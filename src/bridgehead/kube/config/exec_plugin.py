"""Runs an exec plugin and reads the credential that it prints.

Source: Kubernetes documentation, "Authenticating", section "client-go credential plugins";
types of `client.authentication.k8s.io/v1` and `v1beta1`, the same fields in both.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from bridgehead.kube.config.values import CertificatePair, ExecPlugin, is_sendable
from bridgehead.kube.errors import CredentialError

_SHOWN = 2000
"""Characters of a plugin's error output that an error text quotes, from its end."""


class Issued(msgspec.Struct, frozen=True):
    """A credential that a plugin issued; times are of the monotonic clock."""

    token: str | None
    certificate: CertificatePair | None
    refresh_at: float | None

    def due(self, now: float) -> bool:
        """Whether to run the plugin again before the next request."""
        return self.refresh_at is not None and now >= self.refresh_at

    def __repr__(self) -> str:
        return f"Issued(<hidden>, refresh_at={self.refresh_at})"


class _Status(msgspec.Struct, rename="camel"):
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""
    expiration_timestamp: datetime | None = None


class _ExecCredential(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    status: _Status | None = None


async def run_exec_plugin(
    plugin: ExecPlugin, *, time_limit: float, terminal: bool, monotonic: Callable[[], float]
) -> Issued:
    """Run it once; raises CredentialError with what the plugin wrote to its error output."""
    interactive = terminal and plugin.interactive_mode != "Never"
    if plugin.interactive_mode == "Always" and not terminal:
        raise CredentialError(
            f"{plugin.owner}: the exec plugin {plugin.command} needs a terminal "
            "(interactiveMode Always), and there is none; use a token or a service account here"
        )
    process = await _start(plugin, interactive)
    try:
        async with asyncio.timeout(time_limit):
            output, complaints = await process.communicate()
    except TimeoutError:
        raise CredentialError(
            f"{plugin.owner}: the exec plugin {plugin.command} did not answer within "
            f"{time_limit:g} s and was ended"
        ) from None
    finally:
        await _end(process, group=not interactive)
    if process.returncode != 0:
        said = (complaints or b"").decode(errors="replace").strip()[-_SHOWN:] or "nothing"
        raise CredentialError(
            f"{plugin.owner}: the exec plugin {plugin.command} failed "
            f"with exit code {process.returncode}; it said: {said}"
        )
    return _read(plugin, output, monotonic())


async def _start(plugin: ExecPlugin, interactive: bool) -> asyncio.subprocess.Process:
    info = {
        "apiVersion": plugin.api_version,
        "kind": "ExecCredential",
        "spec": {"interactive": interactive}
        | ({"cluster": plugin.cluster} if plugin.cluster is not None else {}),
    }
    environ = dict(plugin.environ) | dict(plugin.env)
    environ["KUBERNETES_EXEC_INFO"] = msgspec.json.encode(info).decode()
    # A question on a terminal must be seen while it is asked; else the output is kept for errors.
    inherited = None if interactive else asyncio.subprocess.DEVNULL
    try:
        return await asyncio.create_subprocess_exec(
            plugin.command,
            *plugin.args,
            stdin=inherited,
            stdout=asyncio.subprocess.PIPE,
            stderr=None if interactive else asyncio.subprocess.PIPE,
            env=environ,
            # A group of its own, so that what the plugin has started ends with it; but a terminal
            # answers only to processes of its own session.
            start_new_session=not interactive,
        )
    except OSError as error:
        hint = f"; {plugin.install_hint.strip()}" if plugin.install_hint else ""
        raise CredentialError(
            f"{plugin.owner}: cannot run the exec plugin {plugin.command}: {error.strerror}{hint}"
        ) from error


async def _end(process: asyncio.subprocess.Process, *, group: bool) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            if group:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        await process.wait()


def _read(plugin: ExecPlugin, output: bytes, now: float) -> Issued:
    named = f"{plugin.owner}: the exec plugin {plugin.command}"
    try:
        answer = msgspec.json.decode(output, type=_ExecCredential)
    except msgspec.DecodeError:
        # Neither the output nor the parser's text may be shown: they may hold the token.
        raise CredentialError(f"{named} printed no ExecCredential") from None
    if answer.kind != "ExecCredential" or answer.api_version != plugin.api_version:
        raise CredentialError(
            f"{named} answered with {answer.kind} of {answer.api_version or 'no apiVersion'}; "
            f"the kubeconfig says {plugin.api_version}"
        )
    status = answer.status or _Status()
    if bool(status.client_certificate_data) != bool(status.client_key_data):
        raise CredentialError(f"{named} printed one half of a client certificate")
    if not is_sendable(status.token):
        raise CredentialError(f"{named} printed a token with characters that no header may hold")
    if not status.token and not status.client_certificate_data:
        raise CredentialError(f"{named} printed neither a token nor a client certificate")
    certificate = None
    if status.client_certificate_data:
        certificate = CertificatePair(
            status.client_certificate_data.encode(), status.client_key_data.encode()
        )
    return Issued(status.token or None, certificate, _refresh_at(status.expiration_timestamp, now))


def _refresh_at(expires: datetime | None, now: float) -> float | None:
    """Refresh before the end: by a tenth of the remaining life, at most 30 s."""
    if expires is None:
        return None
    expires = expires if expires.tzinfo else expires.replace(tzinfo=UTC)
    life = (expires - datetime.now(UTC)).total_seconds()
    return now + life - min(30.0, max(0.0, life) / 10)

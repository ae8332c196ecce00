"""Credentials from exec plugins: when they run, what they learn, what their failures lead to."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bridgehead.kube import errors
from bridgehead.kube.client import Kube
from bridgehead.kube.config import load_config
from bridgehead.kube.resources import PODS
from bridgehead.kube.watch import Reflector
from tests.kube.authenticated import NUMBERED_TOKENS, Plugin, ask, connect, issuing
from tests.kube.certificates import Pem
from tests.kube.conftest import Kubeconfig
from tests.kube.scripted import ScriptedServer, script, status, until, version
from tests.kube.watched import quiet


@pytest.mark.parametrize("api_version", ["v1", "v1beta1"])
async def test_an_exec_plugin_runs_once_for_two_calls(
    kubeconfig: Kubeconfig,
    cluster: dict[str, Any],
    tls_server: ScriptedServer,
    tmp_path: Path,
    api_version: str,
) -> None:
    plugin = Plugin(tmp_path, issuing(api_version, token="issued"))
    await ask(kubeconfig(cluster, plugin.user(api_version)), times=2)
    assert [seen.token for seen in tls_server.seen] == ["Bearer issued"] * 2
    assert plugin.runs == 1


async def test_an_exec_plugin_command_with_a_folder_is_relative_to_the_kubeconfig(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    plugin = Plugin(tmp_path, issuing(token="issued"))
    await ask(kubeconfig(cluster, plugin.user(command="./plugin")))
    assert tls_server.seen[0].token == "Bearer issued"


async def test_a_certificate_from_an_exec_plugin_is_shown_and_leaves_no_file(
    *,
    kubeconfig: Kubeconfig,
    cluster: dict[str, Any],
    tls_server: ScriptedServer,
    client: Pem,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    issued = issuing(
        clientCertificateData=client.certificate.decode(), clientKeyData=client.key.decode()
    )
    await ask(kubeconfig(cluster, Plugin(tmp_path, issued).user()))
    assert tls_server.seen[0].peer == "the client"
    assert list(temporary.iterdir()) == []


async def test_an_exec_token_is_refreshed_before_it_expires(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    """A life time of 3 s: after less than that the plugin runs again, without a 401 first."""
    body = """
from datetime import datetime, timedelta, timezone
end = datetime.now(timezone.utc) + timedelta(seconds=1)
print(json.dumps({'kind': 'ExecCredential', 'apiVersion': 'client.authentication.k8s.io/v1',
    'status': {'token': 't' + runs.read_text(), 'expirationTimestamp': end.isoformat()}}))
"""
    plugin = Plugin(tmp_path, body)
    async with await connect(kubeconfig(cluster, plugin.user())) as kube:
        async with asyncio.timeout(10):
            while plugin.runs < 2:
                await kube.server_version()
                await asyncio.sleep(0.02)
    tokens = [seen.token for seen in tls_server.seen]
    assert set(tokens) == {"Bearer tx", "Bearer txx"}


async def test_after_a_401_the_plugin_runs_once_more_and_the_request_is_repeated_once(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    plugin = Plugin(tmp_path, NUMBERED_TOKENS)
    tls_server.handler = script(status(401, "Unauthorized", "Unauthorized"), version)
    await ask(kubeconfig(cluster, plugin.user()))
    assert [seen.token for seen in tls_server.seen] == ["Bearer token-1", "Bearer token-2"]
    assert plugin.runs == 2


async def test_many_requests_refused_at_once_run_the_plugin_once(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    async def only_second(request: web.Request) -> web.StreamResponse:
        if request.headers["Authorization"] == "Bearer token-1":
            return status(401, "Unauthorized", "Unauthorized")
        return await version(request)

    plugin = Plugin(tmp_path, NUMBERED_TOKENS)
    tls_server.handler = only_second
    async with await connect(kubeconfig(cluster, plugin.user())) as kube:
        await asyncio.gather(*(kube.server_version() for _ in range(5)))
    assert plugin.runs == 2


async def test_a_watch_refused_with_401_is_opened_again_with_a_new_token(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    plugin = Plugin(tmp_path, NUMBERED_TOKENS)
    listed = web.json_response({"metadata": {"resourceVersion": "1"}, "items": []})
    tls_server.handler = script(listed, status(401, "Unauthorized", "Unauthorized"), quiet)
    path = kubeconfig(cluster, plugin.user())
    async with await connect(path) as kube, Reflector(kube, PODS) as pods:
        assert not pods.stale
    tokens = [seen.token for seen in tls_server.seen]
    assert tokens == ["Bearer token-1", "Bearer token-1", "Bearer token-2"]


async def test_a_second_401_is_an_error(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    plugin = Plugin(tmp_path, NUMBERED_TOKENS)
    tls_server.handler = script(status(401, "Unauthorized", "Unauthorized"))
    with pytest.raises(errors.Unauthorized):
        await ask(kubeconfig(cluster, plugin.user()))
    assert len(tls_server.seen) == 2
    assert plugin.runs == 2


async def test_a_403_neither_runs_the_plugin_again_nor_is_repeated(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    plugin = Plugin(tmp_path, NUMBERED_TOKENS)
    tls_server.handler = script(status(403, "Forbidden", "no"))
    with pytest.raises(errors.Forbidden):
        await ask(kubeconfig(cluster, plugin.user()))
    assert len(tls_server.seen) == 1
    assert plugin.runs == 1


async def test_an_exec_plugin_learns_of_the_cluster_when_it_asks(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    plugin = Plugin(tmp_path, issuing(token="issued"))
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "gpu"}}
    cluster["extensions"] = [extension]
    await ask(kubeconfig(cluster, plugin.user(provideClusterInfo=True)))
    assert f'"server":"{tls_server.url}"' in plugin.info
    assert '"config":{"audience":"gpu"}' in plugin.info
    assert '"interactive":false' in plugin.info


async def test_an_exec_plugin_gets_its_own_variables_and_no_cluster_unasked(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    body = (
        "print(json.dumps({'kind': 'ExecCredential', 'apiVersion': "
        "'client.authentication.k8s.io/v1', 'status': {'token': os.environ['MY_TOKEN']}}))"
    )
    plugin = Plugin(tmp_path, body)
    user = plugin.user(env=[{"name": "MY_TOKEN", "value": "from-env"}])
    await ask(kubeconfig(cluster, user))
    assert tls_server.seen[0].token == "Bearer from-env"
    assert "cluster" not in plugin.info


async def test_a_failing_exec_plugin_is_an_error_with_its_words_and_sends_nothing(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    plugin = Plugin(tmp_path, "sys.stderr.write('please log in first'); sys.exit(3)")
    with pytest.raises(errors.CredentialError, match="exit code 3; it said: please log in first"):
        await ask(kubeconfig(cluster, plugin.user()))
    assert tls_server.seen == []


async def test_a_hanging_exec_plugin_is_ended_with_what_it_started_and_is_an_error(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    hang = "import subprocess; child = subprocess.Popen(['sleep', '600'])"
    note = "(here / 'child').write_text(str(child.pid)); child.wait()"
    plugin = Plugin(tmp_path, f"{hang}; {note}")
    config = load_config(kubeconfig(cluster, plugin.user()))
    with pytest.raises(errors.CredentialError, match=r"did not answer within 1 s"):
        await Kube.connect(config, plugin_time_limit=1)
    assert tls_server.seen == []
    child = (tmp_path / "child").read_text()
    await until(lambda: _has_ended(child))


async def test_an_exec_plugin_that_needs_a_terminal_is_not_started_without_one(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tls_server: ScriptedServer, tmp_path: Path
) -> None:
    plugin = Plugin(tmp_path, NUMBERED_TOKENS)
    with pytest.raises(errors.CredentialError, match="needs a terminal"):
        await ask(kubeconfig(cluster, plugin.user(interactiveMode="Always")))
    assert plugin.runs == 0


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("print('not json, secret-token')", "printed no ExecCredential"),
        (issuing(token="secret-token\nX-Evil: 1"), "no header may hold"),
        (issuing(), "neither a token nor a client certificate"),
        (issuing("v1beta1", token="secret-token"), "the kubeconfig says"),
        (issuing(clientKeyData="secret-token"), "one half of a client certificate"),
    ],
)
async def test_an_exec_plugin_without_a_usable_credential_is_an_error_without_secrets(
    *,
    kubeconfig: Kubeconfig,
    cluster: dict[str, Any],
    tls_server: ScriptedServer,
    tmp_path: Path,
    body: str,
    text: str,
) -> None:
    with pytest.raises(errors.CredentialError, match=text) as failed:
        await ask(kubeconfig(cluster, Plugin(tmp_path, body).user()))
    assert "secret-token" not in str(failed.value)
    assert failed.value.__cause__ is None
    assert tls_server.seen == []


async def test_a_missing_exec_plugin_shows_the_install_hint(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], tmp_path: Path
) -> None:
    plugin = Plugin(tmp_path, "")
    user = plugin.user(command="no-such-plugin", installHint="install it from example.com")
    with pytest.raises(errors.CredentialError, match=r"install it from example\.com"):
        await ask(kubeconfig(cluster, user))


def _has_ended(pid: str) -> bool:
    """Gone, or dead and not yet collected by its new parent."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"

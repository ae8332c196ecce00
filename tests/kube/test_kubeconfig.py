"""Which connection a kubeconfig means, and what of it is refused by name."""

import os
from pathlib import Path
from typing import Any

import pytest

from bridgehead.kube.config import load_config
from bridgehead.kube.config.values import NoToken, StaticToken
from bridgehead.kube.errors import ConfigError
from tests.kube.conftest import Kubeconfig

SERVER = {"server": "https://cluster.example:6443"}


def load(path: Path | None = None, context: str | None = None, **environ: str) -> Any:
    return load_config(path, context, environ=environ, service_account=Path("/nonexistent"))


def test_the_first_file_to_name_an_entry_wins_whole(kubeconfig: Kubeconfig, tmp_path: Path) -> None:
    first = kubeconfig(SERVER, {"token": "one"}, path="one")
    second = kubeconfig({"server": "https://other", "tls-server-name": "x"}, path="two")
    merged = load(KUBECONFIG=f"{first}{os.pathsep}{second}")
    assert merged.server == "https://cluster.example:6443"
    assert merged.trust.server_name is None
    assert merged.tokens == StaticToken("one")


def test_the_current_context_is_the_first_one_set(kubeconfig: Kubeconfig) -> None:
    first = kubeconfig(SERVER, path="one", name="")
    second = kubeconfig(SERVER, path="two", name="later")
    config = load(KUBECONFIG=f"{first}{os.pathsep}{second}")
    assert config.origin.startswith("context later of ")


def test_files_of_the_variable_that_do_not_exist_are_left_out(kubeconfig: Kubeconfig) -> None:
    path = kubeconfig(SERVER)
    assert load(KUBECONFIG=f"/nonexistent{os.pathsep}{path}").server == SERVER["server"]


def test_the_option_wins_over_the_variable(kubeconfig: Kubeconfig) -> None:
    named = kubeconfig(SERVER, path="named")
    other = kubeconfig({"server": "https://other"}, path="other")
    assert load(named, KUBECONFIG=str(other)).server == SERVER["server"]


def test_without_option_and_variable_the_file_at_home_is_read(
    kubeconfig: Kubeconfig, tmp_path: Path
) -> None:
    kubeconfig(SERVER, path=".kube/config")
    assert load(HOME=str(tmp_path)).server == SERVER["server"]


def test_the_context_option_chooses_and_its_namespace_counts(
    kubeconfig: Kubeconfig, tmp_path: Path
) -> None:
    one = kubeconfig(SERVER, path="one", name="one")
    two = kubeconfig({"server": "https://two"}, path="two", name="two", namespace="gpu")
    variable = f"{one}{os.pathsep}{two}"
    assert load(KUBECONFIG=variable).namespace == "default"
    chosen = load(context="two", KUBECONFIG=variable)
    assert (chosen.server, chosen.namespace) == ("https://two", "gpu")


def test_a_json_kubeconfig_is_read(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(
        '{"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],'
        '"clusters":[{"name":"k","cluster":{"server":"https://x/k8s/clusters/c-1/"}}],'
        '"users":[{"name":"u","user":{"token":"t"}}]}'
    )
    assert load(file).server == "https://x/k8s/clusters/c-1"


def test_a_missing_file_is_named_with_the_option(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere does not exist; .*--kubeconfig"):
        load(tmp_path / "nowhere")


def test_no_file_at_all_names_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"/.kube/config does not exist; .*KUBECONFIG"):
        load(HOME=str(tmp_path))


def test_an_unknown_context_names_file_contexts_and_command(kubeconfig: Kubeconfig) -> None:
    path = kubeconfig(SERVER, name="prod")
    with pytest.raises(ConfigError) as refused:
        load(path, "staging")
    text = str(refused.value)
    assert str(path) in text
    assert "it has: prod" in text
    assert "kubectl config get-contexts" in text


def test_malformed_yaml_names_the_place_and_quotes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text("users:\n- name: me\n  user: {token: secret-token\n")
    with pytest.raises(ConfigError, match="not valid YAML: line") as refused:
        load(file)
    assert "secret-token" not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize("content", ["[]", "kind: Pod\napiVersion: v1", "clusters: {}"])
def test_a_file_that_is_no_kubeconfig_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "config"
    file.write_text(content)
    with pytest.raises(ConfigError, match=str(file)):
        load(file)


@pytest.mark.parametrize(
    ("cluster", "user", "text"),
    [
        ({"frobnicate": True}, None, "cluster 'test' in .* 'frobnicate'"),
        ({}, {"token": "t", "frobnicate": True}, "user 'test' in .* 'frobnicate'"),
        ({}, {"auth-provider": {"name": "oidc"}}, "auth-provider 'oidc'.* exec plugin"),
        ({}, {"username": "me", "password": "secret"}, "basic authentication"),
        ({}, {"exec": {"apiVersion": "client.authentication.k8s.io/v1alpha1"}}, "v1alpha1"),
        ({}, {"exec": {"frobnicate": 1}}, "exec of user 'test' .* 'frobnicate'"),
        ({"proxy-url": "socks5://me:secret@h:1080"}, None, "proxy-url of scheme 'socks5'"),
        ({"server": "cluster.example:6443"}, None, "must be a URL"),
        ({"server": "http://cluster.example"}, None, "in clear"),
        ({"insecure-skip-tls-verify": True, "certificate-authority-data": "YQ=="}, None, "both"),
        ({"certificate-authority-data": "%%%"}, None, "is not base64"),
        ({"certificate-authority": "missing.crt"}, None, "cannot read certificate-authority"),
        ({}, {"client-certificate-data": "YQ=="}, "client-key is missing"),
        ({}, {"token": "secret\nX-Evil: 1"}, "no header may hold"),
        ({}, {"token": "t", "as-groups": ["x"]}, "as-groups without `as`"),
        ({}, {"token": "t", "as": "a", "as-groups": "x"}, "as-groups must be a list"),
        ({}, {}, "holds no credential, and bridgehead never sends anonymous requests"),
    ],
)
def test_what_is_not_implemented_or_wrong_is_refused_by_name(
    kubeconfig: Kubeconfig, cluster: dict[str, Any], user: dict[str, Any] | None, text: str
) -> None:
    with pytest.raises(ConfigError, match=text) as refused:
        load(kubeconfig(SERVER | cluster, user))
    assert "secret" not in str(refused.value)


def test_an_odd_entry_of_another_context_does_not_matter(
    kubeconfig: Kubeconfig, tmp_path: Path
) -> None:
    good = kubeconfig(SERVER, path="good", name="good")
    odd = kubeconfig(SERVER | {"frobnicate": 1}, {"auth-provider": {}}, path="odd", name="odd")
    assert load(KUBECONFIG=f"{good}{os.pathsep}{odd}").server == SERVER["server"]


def test_a_name_given_twice_in_one_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "config"
    user = {"name": "me", "user": {"token": "t"}}
    file.write_text(f"users: [{user}, {user}]")
    with pytest.raises(ConfigError, match="names the user 'me' twice"):
        load(file)


def test_a_proxy_on_this_machine_may_hold_the_credential(kubeconfig: Kubeconfig) -> None:
    path = kubeconfig({"server": "http://127.0.0.1:8001"}, user={}, name="p")
    text = path.read_text().replace("user: p", "user: ''")
    path.write_text(text)
    assert load(path).tokens == NoToken()


@pytest.mark.parametrize(
    ("exceptions", "proxied"),
    [
        ("", True),
        ("*", False),
        ("cluster.example", False),
        ("example", False),
        (".example", False),
        (".cluster.example", True),
        ("ster.example", True),
        ("cluster.example:6443", False),
        ("cluster.example:443", True),
        ("other, cluster.example", False),
    ],
)
def test_a_proxy_of_the_environment_is_used_unless_excepted(
    kubeconfig: Kubeconfig, exceptions: str, proxied: bool
) -> None:
    path = kubeconfig(SERVER)
    config = load(path, HTTPS_PROXY="http://proxy:3128", NO_PROXY=exceptions)
    assert config.proxy == ("http://proxy:3128" if proxied else None)


@pytest.mark.parametrize(
    ("server", "exceptions", "proxied"),
    [
        ("https://10.1.2.3:6443", "10.0.0.0/8", False),
        ("https://10.1.2.3:6443", "192.168.0.0/16", True),
        ("https://10.1.2.3:6443", "10.1.2.3:6443", False),
        ("https://[fd00::1]:6443", "fd00::/8", False),
        ("https://127.0.0.1:6443", "", False),
        ("https://localhost:6443", "", False),
    ],
)
def test_addresses_and_ranges_are_excepted_and_this_machine_always(
    kubeconfig: Kubeconfig, server: str, exceptions: str, proxied: bool
) -> None:
    path = kubeconfig({"server": server})
    config = load(path, https_proxy="proxy:3128", no_proxy=exceptions)
    assert config.proxy == ("http://proxy:3128" if proxied else None)


def test_a_socks_proxy_of_the_environment_is_refused_by_name(kubeconfig: Kubeconfig) -> None:
    with pytest.raises(ConfigError, match="HTTPS_PROXY has the scheme 'socks5'"):
        load(kubeconfig(SERVER), HTTPS_PROXY="socks5://proxy:1080")

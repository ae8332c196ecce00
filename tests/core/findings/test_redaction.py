"""Nothing secret gets out; what tells how a plugin is set up stays."""

import pytest

from bridgehead.core.findings.redaction import redacted, redacted_lines, redacted_text
from bridgehead.core.model.json import JsonObject


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer (redacted)"),
        ("proxy https://me:hunter2@proxy:3128/x", "proxy https://me:(redacted)@proxy:3128/x"),
        ("--password=hunter2 --v=4", "--password=(redacted) --v=4"),
        ('{"token":"abc","x":1}', '{"token":"(redacted)","x":1}'),
        ("api_key: a1b2c3d4e5f6g7", "api_key: (redacted)"),
        ("got eyJhbGciOiJSUzI1.eyJpc3MiOiJr.c2ln there", "got (redacted) there"),
        ("key AKIAABCDEFGHIJKLMNOP here", "key (redacted) here"),
    ],
)
def test_secrets_in_texts_are_taken_out_and_twice_is_as_once(text: str, shown: str) -> None:
    assert redacted_text(text) == shown
    assert redacted_text(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "failed to get token: Unauthorized",
        'secret "pull-secret" not found',
        "PASS_DEVICE_SPECS=true",
        "dial unix /var/lib/kubelet/device-plugins/kubelet.sock: connect: no such file",
        "GET https://10.0.0.1:443/api/v1/nodes",
        "image sha256:0123456789abcdef0123456789abcdef not found",
        "flag --bootstrap-token is deprecated",
    ],
)
def test_what_plugins_and_kubelets_say_stays_word_for_word(text: str) -> None:
    assert redacted_text(text) == text


def test_a_key_in_a_log_is_taken_out_line_by_line_so_that_numbers_stay() -> None:
    lines = ["before", "-----BEGIN RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEA", "after the cut one"]
    assert redacted_lines(lines) == (
        "before",
        "-----BEGIN RSA PRIVATE KEY-----(redacted)",
        "(redacted)",
        "after the cut one",
    )
    assert redacted_lines(redacted_lines(lines)) == redacted_lines(lines)


def test_of_variables_only_those_keep_their_value_that_tell_how_a_plugin_is_set_up() -> None:
    env: list[JsonObject] = [
        {"name": "MIG_STRATEGY", "value": "mixed"},
        {"name": "NVIDIA_DRIVER_ROOT", "value": "/run/nvidia/driver"},
        {"name": "RESOURCE", "value": "vendor.example/card"},
        {"name": "WORKERS", "value": "4"},
        {"name": "GREETING", "value": "dear customer 17"},
        {"name": "NVIDIA_API_KEY", "value": "1234"},
        {"name": "FROM", "valueFrom": {"secretKeyRef": {"name": "s", "key": "password"}}},
    ]
    pod: JsonObject = {"kind": "Pod", "spec": {"containers": [{"name": "c", "env": env}]}}
    found = redacted(pod)
    assert found == {
        "kind": "Pod",
        "spec": {
            "containers": [
                {
                    "name": "c",
                    "env": [
                        *env[:4],
                        {"name": "GREETING", "value": "(redacted)"},
                        {"name": "NVIDIA_API_KEY", "value": "(redacted)"},
                        env[6],
                    ],
                }
            ]
        },
    }
    assert redacted(found) == found


def test_secrets_hold_nothing_and_the_last_applied_copy_is_gone() -> None:
    metadata: JsonObject = {
        "name": "s",
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{...}", "note": "x"},
    }
    secret: JsonObject = {
        "kind": "Secret",
        "metadata": metadata,
        "data": {"password": "aHVudGVyMg=="},
    }
    assert redacted(secret) == {
        "kind": "Secret",
        "metadata": {"name": "s", "annotations": {"note": "(redacted)"}},
        "data": {"password": "(redacted)"},
    }


def test_a_config_map_keeps_its_text_without_what_is_secret_in_it() -> None:
    data = {"config.yaml": "sharing:\n  token: 'abc'\n", "password": "hunter2", "name": "plain"}
    assert redacted({"kind": "ConfigMap", "data": data, "binaryData": {"k": "AAA="}}) == {
        "kind": "ConfigMap",
        "data": {
            "config.yaml": "sharing:\n  token: '(redacted)'\n",
            "password": "(redacted)",
            "name": "plain",
        },
        "binaryData": {"k": "(redacted)"},
    }


def test_a_secret_that_follows_its_option_as_a_word_of_its_own_is_taken_out() -> None:
    said = ["--api-token", "hunter2", "--password-file", "/etc/p", "--token", "--verbose", "-v=4"]
    words = ["sh", "-c", "run --token abc --v 4", "--Password", "a b"]
    found = redacted({"kind": "Container", "args": said, "command": words})
    hidden = "(redacted)"
    assert found == {
        "kind": "Container",
        "args": ["--api-token", hidden, *said[2:]],
        "command": ["sh", "-c", f"run --token {hidden} --v 4", "--Password", hidden],
    }
    assert redacted(found) == found


@pytest.mark.parametrize("key", ["clientSecret", "vendor.example/password", "apiKey", "access_key"])
def test_a_value_is_taken_out_by_the_name_of_its_key(key: str) -> None:
    found = redacted({"kind": "ConfigMap", "data": {key: "hunter2"}})
    assert found == {"kind": "ConfigMap", "data": {key: "(redacted)"}}


def test_a_plain_password_in_a_configuration_file_is_taken_out() -> None:
    data = {"config.yaml": "registry:\n  password: hunter2\n  token:\n  secretName: pull\n"}
    assert redacted({"kind": "ConfigMap", "data": data}) == {
        "kind": "ConfigMap",
        "data": {
            "config.yaml": "registry:\n  password: (redacted)\n  token:\n  secretName: pull\n"
        },
    }


def test_words_that_speak_of_secrets_stay() -> None:
    pod: JsonObject = {
        "kind": "Pod",
        "imagePullSecrets": [{"name": "s"}],
        "volumes": [{"secret": {"secretName": "s", "defaultMode": 420}}],
    }
    assert redacted(pod) == pod

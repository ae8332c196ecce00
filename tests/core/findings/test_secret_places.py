"""Planted secrets vanish wherever they are; what only looks like one stays word for word."""

import json
import random

import pytest

from bridgehead.core.findings.redaction import (
    redacted,
    redacted_lines,
    redacted_text,
    redacted_words,
)
from bridgehead.core.model.json import JsonObject, JsonValue

SECRET = "hunter2-S3CRET-abc123XYZ"
PLAIN = "S3CRETword"
BASE64 = "dXNlcjpodW50ZXIyS3S3CRETVuZA"
MANIFEST = json.dumps({"spec": {"containers": [{"env": [{"name": "GREETING", "value": SECRET}]}]}})


def container(**fields: JsonValue) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "x"},
        "spec": {"containers": [fields]},
    }


def variable(name: str) -> JsonObject:
    return container(env=[{"name": name, "value": SECRET}])


def header(name: str, value: str) -> JsonObject:
    headers: JsonValue = [{"name": name, "value": value}]
    return container(livenessProbe={"httpGet": {"path": "/h", "httpHeaders": headers}})


def settings(key: str, value: str) -> JsonObject:
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": {key: value}}


def custom(**spec: JsonValue) -> JsonObject:
    return {"apiVersion": "vendor.example/v1", "kind": "ClusterPolicy", "spec": spec}


PLANTED: dict[str, JsonObject] = {
    **{
        f"variable {name}": variable(name)
        for name in [
            "DRIVER_LICENSE_KEY",
            "OPERATOR_NGC_KEY",
            "HOST_PWD",
            "NODE_PASS",
            "NVIDIA_API_KEY2",
            "GREETING",
            "PLUGIN_TOKEN",
            "KUBELET_AUTH",
            "CONFIG_PGPASSWORD",
        ]
    },
    **{
        f"option --{name}": container(args=[f"--{name}={SECRET}"])
        for name in ["private-key", "registry-auth", "license-key", "db-pwd", "ngcKey", "password"]
    },
    "option with odd characters": container(args=[f"--password=a&b c;'{SECRET}"]),
    "the word after an option": container(command=["run", "--license-key", SECRET]),
    "a probe's command": container(livenessProbe={"exec": {"command": ["c", "--pwd", SECRET]}}),
    "a script's option": container(command=["sh", "-c", f"run --license-key {PLAIN} --v 4"]),
    "a script's user": container(command=["sh", "-c", f"curl -u admin:{PLAIN} http://x"]),
    "a script's header": container(command=["sh", "-c", f"curl -H 'X-Api-Key: {SECRET}' x"]),
    "a script's variable": container(command=["sh", "-c", f"export NGC_KEY={PLAIN}; run"]),
    "a probe's path": container(livenessProbe={"httpGet": {"path": f"/h?token={SECRET}&x=1"}}),
    "a header by its name": header("X-Api-Key", PLAIN),
    "Authorization: Bearer": header("Authorization", f"Bearer {SECRET}"),
    "Authorization: Token": header("Authorization", f"Token {PLAIN}"),
    "a cookie": header("Cookie", f"session={PLAIN}"),
    "a volume's option": container(flexVolume={"options": {"accountKey": PLAIN}}),
    "a copy in an annotation": {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"annotations": {"kapp.k14s.io/original": MANIFEST}},
    },
    "an annotation of a node": {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"annotations": {"x.example/token": PLAIN}},
    },
    "an annotation of a Secret": {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"annotations": {"note": PLAIN}},
    },
    **{
        f"settings under {key}": settings(key, PLAIN)
        for key in [
            "DB_PASS",
            "dbPassword",
            "credentials",
            "password.txt",
            "tls.key",
            ".dockerconfigjson-auth",
        ]
    },
    "docker's login": settings("c", json.dumps({"auths": {"r.example": {"auth": BASE64}}})),
    "a block": settings("c", f"password: |\n  first\n  {PLAIN}\nnext: 1\n"),
    "a folded text": settings("c", f"a:\n- token: >-\n    {PLAIN}\n"),
    "a text that goes on": settings("c", f"password: one\n  {PLAIN}\n"),
    "a text on the next line": settings("c", f"password:\n  {PLAIN}\n"),
    "a list": settings("c", f"apiKeys:\n- {PLAIN}\n"),
    "a token of letters": settings("c", f"token: {PLAIN}\nfoo: 1"),
    "a flow": settings("c", f"login: {{user: a, token: {PLAIN}}}\n"),
    "a client's key": settings("c", f"users:\n- user:\n    client-key-data: {BASE64}\n"),
    "an entry with a value": settings("c", f"env:\n- name: NGC_KEY\n  value: {PLAIN}\n"),
    "a value below a name": settings("c", f"token:\n  value: {PLAIN}\n"),
    "INI": settings("c", f"[db]\npassword = two words {PLAIN}\n"),
    "TOML": settings("c", f'x = 1\nregistry_token = """\n{PLAIN}\n"""\n'),
    "a Secret in a file": settings("c", f"kind: Secret\ndata:\n  any: {PLAIN}\n"),
    "an address": settings("dsn", f"postgres://u:pa@{PLAIN}@h/db"),
    "a data source": settings("dsn", f"u:{PLAIN}@tcp(h:3306)/db"),
    "an entry of a SecretList": {
        "apiVersion": "v1",
        "kind": "SecretList",
        "items": [{"data": {"x": PLAIN}}],
    },
    "an entry of a List": {"kind": "List", "items": [{"stringData": {"x": PLAIN}}]},
    "a Secret in a List": {"kind": "List", "items": [{"kind": "Secret", "data": {"x": PLAIN}}]},
    "a Secret within": custom(manifests=[{"kind": "Secret", "stringData": {"x": PLAIN}}]),
    "source.password": custom(source={"password": PLAIN}),
    "resources.password": custom(resources={"password": PLAIN}),
    "extraEnv": custom(extraEnv=[{"name": "GREETING", "value": PLAIN}]),
    "env as an object": custom(env={"GREETING": PLAIN}),
    "a list under a name": custom(passwords=[PLAIN]),
    "a value under a name": custom(token={"value": PLAIN}),
    "a parameter": custom(parameters=[{"name": "registry-token", "value": PLAIN}]),
    "a PEM over a list": custom(lines=["-----BEGIN KEY-----", "S3CRET", "-----END KEY-----"]),
}


@pytest.mark.parametrize("item", PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_secret_vanishes_from_an_object_and_twice_is_as_once(item: JsonObject) -> None:
    found = redacted(item)
    assert "S3CRET" not in json.dumps(found)
    assert redacted(found) == found


@pytest.mark.parametrize(
    "line",
    [
        '{"msg":"{\\"password\\":\\"S3CRET\\"}"}',
        'I1 x] got {\\"password\\":\\"S3CRET x\\"} there',
        'level=info token="S3CRET x"',
        "connecting with pwd=ab&S3CRET",
        "password=abc;S3CRET",
        "password='it''S3CRET'",
        "Server=x;Password=S3CRET;Database=y",
        "GET /h?x=1&access_key=S3CRET&y=2",
        "https://acc.blob.example/c?sv=2020&sig=S3CRET%3D",
        "cloning https://S3CRET@github.com/x",
        "redis://:S3CRET@h/0",
        "> Authorization: Token S3CRETabc",
        "apiToken: S3CRET",
        "passphrase: S3CRET words",
        "{Username:me Password:S3CRET Age:4}",
        "map[token:S3CRET user:me]",
        "{Name:NGC_KEY Value:S3CRET ValueFrom:nil}",
        "API key: S3CRETabc12345678",
        "exec: plugin --db-password S3CRET --x",
        "key -----BEGIN RSA PRIVATE KEY-----\\nS3CRET\\n-----END RSA PRIVATE KEY-----",
        "got glpat-S3CRETabc1234567890",
        "NVIDIA_LICENSE_KEY=S3CRET",
    ],
)
def test_a_planted_secret_vanishes_from_a_line_of_a_log(line: str) -> None:
    found = redacted_lines([line])
    assert "S3CRET" not in found[0]
    assert redacted_lines(found) == found


@pytest.mark.parametrize(
    "prefix", ["", "I1130 12:00:00.1   1 x.go:1] ", '{"log":"', "2026-11-30T10:00:00Z ", "    "]
)
def test_a_key_in_pem_vanishes_behind_the_prefix_of_a_logger(prefix: str) -> None:
    block = [
        "-----BEGIN RSA PRIVATE KEY-----",
        "Proc-Type: 4,ENCRYPTED",
        "S3CRET" + "a" * 58,
        "S3CRETabc",
        "-----END RSA PRIVATE KEY-----",
    ]
    lines = [*(prefix + line for line in block), prefix + "went on without one"]
    found = redacted_lines(lines)
    assert "S3CRET" not in "".join(found)
    assert len(found) == len(lines)
    assert found[-1] == lines[-1]
    assert redacted_lines(found) == found


def test_a_key_in_pem_vanishes_from_lines_that_are_json_each() -> None:
    block = ["-----BEGIN EC PRIVATE KEY-----", "S3CRETabc", "-----END EC PRIVATE KEY-----", "on"]
    lines = [json.dumps({"log": f"{line}\n", "stream": "stderr"}) for line in block]
    found = redacted_lines(lines)
    assert "S3CRET" not in "".join(found)
    assert found[-1] == lines[-1]
    assert redacted_lines(found) == found


STAYING: list[JsonObject] = [
    container(
        env=[
            {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
            {"name": "PASS_DEVICE_SPECS", "value": "true"},
            {"name": "NODE_LABEL_KEY", "value": "nvidia.com/gpu.present"},
            {"name": "HOST_KEY_FILE", "value": "/etc/host.key"},
            {"name": "NODE_TOKEN", "value": "$(TOKEN)"},
            {"name": "X", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "password"}}},
        ],
        args=[
            "--private-key-file=/etc/k",
            "--pass-device-specs=true",
            "--token=$(TOKEN)",
            "--authorization-mode=Webhook",
            "--node-label-key=nvidia.com/gpu",
            "--token-ttl",
            "24h",
        ],
        envFrom=[{"secretRef": {"name": "s"}}],
        volumeMounts=[{"name": "token", "mountPath": "/var/run/secrets"}],
    ),
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "labels": {"nvidia.com/gpu.deploy.device-plugin": "true", "token": "a"},
            "annotations": {"checksum/secret": "abc", "volcano.sh/gpu-keys": ""},
        },
        "spec": {
            "automountServiceAccountToken": False,
            "imagePullSecrets": [{"name": "pull-secret"}],
            "nodeName": "token-node-1",
            "tolerations": [{"key": "x/token", "operator": "Equal", "value": "a"}],
            "affinity": {"podAffinity": {"x": [{"topologyKey": "kubernetes.io/hostname"}]}},
            "topologySpreadConstraints": [{"matchLabelKeys": ["pod-template-hash"]}],
            "volumes": [
                {"secret": {"secretName": "s", "items": [{"key": "password", "path": "p"}]}},
                {"projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}},
            ],
        },
    },
    {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "secrets": [{"name": "default-token-abc12"}],
        "imagePullSecrets": [{"name": "s"}],
    },
    custom(
        imagePullSecrets=["ngc-secret"],
        driver={"licensingConfig": {"secretName": "s", "nlsEnabled": True}},
        tolerations=[{"key": "x/token", "operator": "Equal", "value": "a"}],
        tokenExpirationSeconds=3600,
        selector={"matchLabels": {"token": "a"}},
        auth={"enabled": True, "type": "none"},
    ),
    settings(
        "config.yaml",
        "version: v1\nflags:\n  migStrategy: mixed\n  failOnInitError: true\n"
        "  plugin:\n    passDeviceSpecs: true\n    deviceListStrategy: [envvar]\n"
        "sharing:\n  timeSlicing:\n    resources:\n    - name: nvidia.com/gpu\n      replicas: 4\n",
    ),
    settings(
        "config.json",
        '{"resourceList": [{"resourceName": "nic", "selectors": [{"vendors": ["15b3"], '
        '"pfNames": ["ens1#0-3"]}]}]}',
    ),
    settings("nfd.yaml", 'core:\n  labelSources: ["pci"]\n  key: cpu-model.vendor\nauth: none\n'),
]


@pytest.mark.parametrize("item", STAYING)
def test_what_only_speaks_of_secrets_and_what_sets_up_a_plugin_stay(item: JsonObject) -> None:
    assert redacted(item) == item


@pytest.mark.parametrize(
    "line",
    [
        "failed to get token: Unauthorized",
        "secret: not found",
        "Basic authentication is off, bearer authentication too",
        '{"level":"info","key":"gpu/x","token":null,"msg":"token expired"}',
        "imageID docker-pullable://busybox@sha256:0123456789abcdef",
        'workqueue: "retrying" objectKey="gpu/plugin" nodeKey="n1"',
        "{Secret:nil Token:&x{} ImagePullSecrets:[]}",
        "token=${TOKEN} password=",
        "AutomountServiceAccountToken:nil,",
        "unable to read /etc/kubernetes/pki/sa.key: permission denied",
        "error: x509: certificate signed by unknown authority",
        "tokenreviews.authentication.k8s.io is forbidden",
        "open /var/run/secrets/kubernetes.io/serviceaccount/token: no such file or directory",
        "author: somebody1234567890",
    ],
)
def test_what_logs_say_about_secrets_stays(line: str) -> None:
    assert redacted_lines([line]) == (line,)


def test_what_is_around_a_secret_stays() -> None:
    assert redacted_text("Server=x;Password=y;Database=z") == (
        "Server=x;Password=(redacted);Database=z"
    )
    assert redacted_text("GET /h?token=y&node=n1 404") == "GET /h?token=(redacted)&node=n1 404"
    assert redacted_text('msg="GET /h?token=y" node="n1"') == (
        'msg="GET /h?token=(redacted)" node="n1"'
    )
    assert redacted_text("a:\n  password: |\n    y\n  node: n1\n") == (
        "a:\n  password: |\n    (redacted)\n  node: n1\n"
    )
    assert redacted_words(["run", "--token", "y", "--v=4"]) == (
        "run",
        "--token",
        "(redacted)",
        "--v=4",
    )


def test_a_text_in_json_keeps_its_form() -> None:
    assert redacted_text('{"b": 1, "token": "y"}') == '{"b": 1, "token": "(redacted)"}'
    assert redacted_text('{"b":1,"token":"y"}') == '{"b":1,"token":"(redacted)"}'
    assert redacted_text('{\n  "token": "y"\n}\n') == '{\n  "token": "(redacted)"\n}\n'
    assert redacted_text("[" * 100_000 + '"token"') == "[" * 100_000 + '"token"'


def grown(chance: random.Random, depth: int, planted: JsonValue) -> JsonValue:
    """A random object with something planted somewhere in it."""
    while depth:
        depth -= 1
        neighbours: dict[str, JsonValue] = {
            chance.choice(("spec", "config", "a", "data", "source", "resources", "path")): "x"
        }
        shape = chance.randrange(4)
        if shape == 0:
            planted = [dict(neighbours), planted]
        elif shape == 1:
            planted = json.dumps(planted)
        else:
            key = chance.choice(
                ("spec", "template", "args", "status", "source", "resources", "x.y/z")
            )
            planted = {**neighbours, key: planted}
    return planted


@pytest.mark.parametrize("seed", range(60))
def test_a_secret_survives_in_no_place_of_a_random_object(seed: int) -> None:
    chance = random.Random(seed)
    name = chance.choice(
        ("password", "apiKey", "NGC_KEY", "registry-auth", "authToken", "X-Api-Key")
    )
    planted: JsonValue = chance.choice(
        (
            {name: PLAIN},
            {"name": name, "value": PLAIN},
            [f"--{name}={PLAIN}"],
            [f"--{name}", PLAIN],
            f"x {name}={PLAIN}",
            f"a: 1\n{name}: {PLAIN}\n",
            {name: [PLAIN]},
        )
    )
    item: JsonObject = {
        "apiVersion": "vendor.example/v1",
        "kind": "Thing",
        "spec": grown(chance, chance.randrange(6), planted),
    }
    found = redacted(item)
    assert "S3CRET" not in json.dumps(found), item
    assert redacted(found) == found

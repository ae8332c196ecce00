"""Asks the real API server and the twin's the same thing, and makes their answers comparable."""

import base64
import http.client
import json
import re
import ssl
import tempfile
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import yaml

from bridgehead.twin.api.exchange import Answer, Request
from bridgehead.twin.api.service import Api
from bridgehead.twin.kinds import Kinds
from bridgehead.twin.schema.builtin import builtin_kinds

Object = dict[str, Any]

MANIFESTS = Path(__file__).parent / "manifests"

_MASKED = {
    "uid": "UID",
    "creationTimestamp": "TIME",
    "resourceVersion": "VERSION",
    "clusterIP": "ADDRESS",
    "nodePort": "PORT",
    "lastPhaseTransitionTime": "TIME",
    "batch.kubernetes.io/controller-uid": "UID",
    "controller-uid": "UID",
}


class Reply(NamedTuple):
    """What a server says."""

    status: int
    body: Object
    warnings: list[str]


class Real:
    """The real API server, as its administrator."""

    def __init__(self, kubeconfig: Path) -> None:
        content = yaml.safe_load(kubeconfig.read_text())
        cluster, user = content["clusters"][0]["cluster"], content["users"][0]["user"]
        self._host = cluster["server"].removeprefix("https://")
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self._ssl = ssl.create_default_context(cadata=authority)
        with tempfile.NamedTemporaryFile() as file:
            for key in ("client-certificate-data", "client-key-data"):
                file.write(base64.b64decode(user[key]))
            file.flush()
            self._ssl.load_cert_chain(file.name)

    def ask(self, method: str, path: str, body: Any, content_type: str) -> Reply:
        """Send a request."""
        connection = http.client.HTTPSConnection(self._host, timeout=30, context=self._ssl)
        try:
            headers = {"Content-Type": content_type, "Accept": "application/json"}
            sent = None if body is None else json.dumps(body)
            connection.request(method, path, body=sent, headers=headers)
            answer = connection.getresponse()
            content = json.loads(answer.read())
        finally:
            connection.close()
        said = [_text_of(value) for value in answer.headers.get_all("Warning") or ()]
        return Reply(answer.status, content, said)


async def simulated(api: Api, method: str, path: str, body: Any, content_type: str) -> Reply:
    """Send the same to the twin."""
    address, _, query = path.partition("?")
    answer = await api.handle(
        Request(
            method=method,
            path=address,
            query=tuple(parse_qsl(query)),
            headers={"content-type": content_type, "accept": "application/json"},
            body=json.dumps(body).encode(),
        )
    )
    assert isinstance(answer, Answer)
    return Reply(answer.status, json.loads(answer.body), list(answer.warnings))


def path_of(obj: Object, namespace: str) -> str:
    """Where an object of that kind is created."""
    kind = Kinds(builtin_kinds()).of(obj["apiVersion"], obj["kind"])
    assert kind is not None
    root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
    middle = f"/namespaces/{namespace}" if kind.namespaced else ""
    return f"{root}{middle}/{kind.plural}"


def masked(reply: Reply, namespace: str) -> Reply:
    """Without what chance and time decide, and without field managers."""
    text = json.dumps(_masked(reply.body)).replace(namespace, "NAMESPACE")
    text = re.sub(r"kube-api-access-\w{5}", "kube-api-access-XXXXX", text)
    text = re.sub(r"(named|Bad)-\w{5}", r"\1-XXXXX", text)
    said = [warning.replace(namespace, "NAMESPACE") for warning in reply.warnings]
    return Reply(reply.status, json.loads(text), said)


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: "ADDRESSES"
            if key == "clusterIPs" and inner != ["None"]
            else _MASKED[key]
            if key in _MASKED and inner != "None"
            else _masked(inner)
            for key, inner in value.items()
            if key != "managedFields"
        }
    if isinstance(value, list):
        return [_masked(inner) for inner in value]
    return value


def _text_of(header: str) -> str:
    """The text of ``299 - "..."``."""
    return header.split(" ", 2)[2][1:-1].replace('\\"', '"').replace("\\\\", "\\")

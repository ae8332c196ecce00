"""Users are let in and refused in the same words as by a real API server."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bridgehead.twin.objects import fields
from testbed.cluster import Cluster
from tests.twin.access import asked
from tests.twin.access.asked import Object, by
from tests.twin.servers import Asked, RealServer, Server, TwinServer

pytestmark = pytest.mark.cluster


@pytest.fixture
def both(cluster: Cluster, namespace: str) -> Iterator[tuple[RealServer, TwinServer]]:
    """Both servers with the same accounts and rules."""
    real, twin = RealServer(cluster.kubeconfig), TwinServer()
    twin.ask(Asked("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}))
    for request in asked.setting(namespace):
        assert (real.ask(request)[0], twin.ask(request)[0]) == (201, 201), request
    yield real, twin
    real.close()
    twin.close()


@pytest.mark.parametrize("ask", [asked.denials, asked.grants, asked.reviews, asked.tokens])
def test_all_answers_are_the_same(
    both: tuple[RealServer, TwinServer],
    namespace: str,
    ask: Callable[[str], Iterator[Asked]],
) -> None:
    real, twin = both
    for request in ask(namespace):
        assert masked(twin.ask(request)) == masked(real.ask(request)), request


def test_accounts_act_as_far_as_they_may(
    both: tuple[RealServer, TwinServer], namespace: str
) -> None:
    here = f"/api/v1/namespaces/{namespace}"
    wanted = [
        by("jane"),
        by("jane", "dev"),
        by("jane", "other"),
        by("jane", "system:masters"),
        by("anna"),
        by("system:node:node-1"),
        by(f"system:serviceaccount:{namespace}:reader"),
        by(f"system:serviceaccount:{namespace}:actor"),
        (("Impersonate-Group", "g"),),
        (("Impersonate-Uid", "7"), ("Impersonate-Extra-A", "b")),
        (*by("jane"), ("Impersonate-Uid", "7")),
    ]
    for name in ("actor", "reader"):
        for headers in wanted:
            for path in (f"{here}/configmaps", f"{here}/configmaps/one", "/version"):
                answers = [
                    masked(server.ask(Asked("GET", path, token=token(server), headers=headers)))
                    for server, token in ((server, _token(name, namespace)) for server in both)
                ]
                assert answers[0] == answers[1], (name, headers, path)


def test_a_token_says_whose_it_is(both: tuple[RealServer, TwinServer], namespace: str) -> None:
    token = _token("reader", namespace)
    answers = [
        masked(
            server.ask(
                Asked(
                    "POST",
                    f"{asked.AUTHENTICATION}/tokenreviews",
                    {"spec": {"token": token(server), **more}},
                )
            )
        )
        for server in both
        for more in ({}, {"audiences": ["elsewhere"]})
    ]
    assert answers[:2] == answers[2:]


def _token(name: str, namespace: str) -> Callable[[Server], str]:
    def token(server: Server) -> str:
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        return str(server.ask(Asked("POST", path, {}))[1]["status"]["token"])

    return token


def masked(answer: tuple[int, Any]) -> Any:
    """An answer without uids, times, tokens and versions."""
    status, body = answer
    if not isinstance(body, dict):
        return status, body
    told = json.dumps(body, sort_keys=True)
    for pattern, instead in (
        (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
        (r"eyJ[\w-]+\.[\w-]+\.[\w-]+", "TOKEN"),
        (r'"resourceVersion": "\d+"', '"resourceVersion": "N"'),
    ):
        told = re.sub(pattern, instead, told)
    found: Object = json.loads(told)
    for rules in ("resourceRules", "nonResourceRules"):
        if listed := fields(found, "status").get(rules):  # bindings come in no order
            listed.sort(key=lambda rule: json.dumps(rule, sort_keys=True))
    return status, found

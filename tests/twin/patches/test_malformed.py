"""Patches that are none, or none for this object, are refused as by a real API server."""

from collections.abc import Iterator
from typing import Any

import pytest

from testbed.cluster import Cluster
from tests.twin.servers import (
    APPLY_PATCH,
    JSON_PATCH,
    MERGE_PATCH,
    STRATEGIC_PATCH,
    Asked,
    RealServer,
    TwinServer,
    masked,
)

pytestmark = pytest.mark.cluster

BODIES = (
    *(b"", b"{", b"a: [", b"[]", b"null", b'"x"', b"1", b"{}", b"[1]", b"[null]"),
    *(b'{"foo":1}', b'{"metadata":{"name":"other"}}', b'{"metadata":{"namespace":"other"}}'),
    *(b'{"metadata":{"uid":"x"}}', b'{"metadata":{"resourceVersion":"1"}}'),
    *(b'{"metadata":{"resourceVersion":"x"}}', b'{"metadata":{"finalizers":["x"]}}'),
    *(b'{"metadata":{"managedFields":[{"manager":"x"}]}}', b'{"metadata":{"labels":{"a b":"v"}}}'),
)
CONFIGURATIONS: tuple[dict[str, Any], ...] = (
    {},
    {"metadata": {}},
    {"metadata": {"name": "other"}},
    {"metadata": {"name": "subject", "namespace": "other"}},
    {"metadata": {"name": "subject", "uid": "u"}},
    {"metadata": {"name": "subject", "resourceVersion": "1"}},
    {"metadata": {"name": "subject", "managedFields": []}},
    {"metadata": {"labels": {"a": 1}}},
    {"metadata": {"foo": {}}},
    {"metadata": {"finalizers": ["a/b", "a/b"]}},
    {"metadata": {"finalizers": [{"a": 1}]}},
    {"data": {"x": 1}},
    {"data": "x"},
    {"data": [1]},
    {"foo": 1},
    {"kind": "Pod"},
    {"apiVersion": "v2"},
    {"apiVersion": "apps/v1"},
)
MANAGER = ("fieldManager", "m")
QUERIES = (
    (MANAGER,),
    (MANAGER, ("force", "true")),
    (),
    (("fieldManager", "x" * 200),),
    (MANAGER, ("fieldValidation", "Strict")),
    (MANAGER, ("dryRun", "All")),
)


@pytest.fixture
def both(cluster: Cluster, namespace: str) -> Iterator[tuple[TwinServer, RealServer]]:
    """Two servers with the same object."""
    twin, real = TwinServer(), RealServer(cluster.kubeconfig)
    twin.ask(Asked("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}))
    metadata = {"name": "subject", "labels": {"a": "b"}}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"x": "1"}}
    for server in (twin, real):
        path = f"/api/v1/namespaces/{namespace}/configmaps"
        assert server.ask(Asked("POST", path, body))[0] == 201
    yield twin, real
    twin.close()
    real.close()


@pytest.mark.parametrize(
    "content_type",
    [APPLY_PATCH, MERGE_PATCH, STRATEGIC_PATCH, JSON_PATCH, "text/plain", "application/json"],
)
def test_bodies_are_judged_the_same(
    content_type: str, both: tuple[TwinServer, RealServer], namespace: str
) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps/subject"
    for body in BODIES:
        asked = Asked("PATCH", path, body, content_type, (MANAGER,))
        found, wanted = (masked(server.ask(asked)) for server in both)
        assert found == wanted, asked


@pytest.mark.parametrize("query", QUERIES)
def test_configurations_are_judged_the_same(
    query: tuple[tuple[str, str], ...], both: tuple[TwinServer, RealServer], namespace: str
) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps/subject"
    for more in CONFIGURATIONS:
        body = {"apiVersion": "v1", "kind": "ConfigMap", **more}
        asked = Asked("PATCH", path, body, APPLY_PATCH, query)
        found, wanted = (masked(server.ask(asked)) for server in both)
        assert found == wanted, asked

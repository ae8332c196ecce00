"""The same reading with the official `kubernetes` package, typed, in pages of 500."""

import importlib
import time
from typing import Any


def read_official(server: str) -> tuple[float, float]:
    """Seconds for nodes and for pods, both kept in memory to the end."""
    client = importlib.import_module("kubernetes.client")  # no dependency of ours
    configuration = client.Configuration()
    configuration.host = server
    api = client.CoreV1Api(client.ApiClient(configuration))
    started = time.perf_counter()
    nodes = _all(api.list_node)
    between = time.perf_counter()
    pods = _all(api.list_pod_for_all_namespaces)
    ended = time.perf_counter()
    assert nodes
    assert pods
    return between - started, ended - between


def _all(read: Any) -> list[Any]:
    items: list[Any] = []
    token = None
    while True:
        page = read(limit=500, _continue=token) if token else read(limit=500)
        items.extend(page.items)
        token = page.metadata._continue or getattr(page.metadata, "var_continue", None)
        if not token:
            return items

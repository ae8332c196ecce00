"""The namespace that holds runs and locks: made when the first of them is written."""

from collections.abc import Mapping
from typing import Any

from bridgehead.kube.client import Kube
from bridgehead.kube.errors import AlreadyExists, NotFound
from bridgehead.kube.resources import NAMESPACES, Resource


async def create_in(
    kube: Kube, namespace: str, resource: Resource[Any], body: Mapping[str, Any]
) -> dict[str, Any]:
    """Create an object, and its namespace first where that is missing.

    Whoever may not create namespaces needs no such permission where it is there already. Names are
    fixed, so a creation without an answer is sent again: AlreadyExists may speak of its first
    sending where its ``repeated`` is true.
    """
    try:
        return await kube.create(resource, body, repeat=True)
    except NotFound:
        await _create_namespace(kube, namespace)
    return await kube.create(resource, body, repeat=True)


async def _create_namespace(kube: Kube, namespace: str) -> None:
    labels = {"app.kubernetes.io/managed-by": "bridgehead"}
    body = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": namespace, "labels": labels},
    }
    try:
        await kube.create(NAMESPACES, body, repeat=True)
    except AlreadyExists:
        return

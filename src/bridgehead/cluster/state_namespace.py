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

    Whoever may not create namespaces needs no such permission where it is there already.
    """
    try:
        return await kube.create(resource, body)
    except NotFound:
        await _create_namespace(kube, namespace)
    return await kube.create(resource, body)


async def _create_namespace(kube: Kube, namespace: str) -> None:
    labels = {"app.kubernetes.io/managed-by": "bridgehead"}
    body = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": namespace, "labels": labels},
    }
    try:
        await kube.create(NAMESPACES, body)
    except AlreadyExists:
        return

"""Which images a node says it has.

A kubelet reports the largest 50 only (``nodeStatusMaxImages``). Source:
https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.model.image import ImageError, full_name
from bridgehead.core.model.json import JsonObject, child, children, text

_MOST = 50


def images_of(nodes: Iterable[JsonObject]) -> Mapping[str, frozenset[str] | None]:
    """Full names of the images on each node; None where the list is missing or may be cut off."""
    return {text(node, "metadata", "name"): _images(node) for node in nodes}


def _images(node: JsonObject) -> frozenset[str] | None:
    listed = children(node, "status", "images")
    if not listed or len(listed) >= _MOST:
        return None
    found = set()
    for entry in listed:
        names = child(entry, "names")
        for name in names if isinstance(names, list) else ():
            try:
                found.add(full_name(str(name)))
            except ImageError:
                continue
    return frozenset(found)

"""What the server said to a pod of a manifest's template, where it was asked."""

from collections.abc import Mapping

from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.model.json import JsonObject, child, text


def dry_run_of(linted: Linted, manifest: Manifest) -> JsonObject:
    """The answer, ``accepted`` and ``message``; empty where nobody asked."""
    wanted = f"daemonset/{manifest.ref.namespace}/{manifest.ref.name}"
    for item in linted.cluster.of_kind("PodDryRun") if linted.cluster else ():
        status = child(item, "status")
        if isinstance(status, Mapping) and text(status, "component") == wanted:
            return status
    return {}

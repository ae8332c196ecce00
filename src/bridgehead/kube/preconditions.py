"""What a write says about the state it expects, and so whether it may be sent twice. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from bridgehead.kube.decoding import JsonObject

JsonPatch = Sequence[Mapping[str, Any]]
"""Operations of RFC 6902, e.g. `{"op": "test", "path": "/metadata/uid", "value": uid}`."""


def names_version(body: Mapping[str, Any]) -> bool:
    """Whether an object or merge patch names the resourceVersion that it is made for."""
    metadata = body.get("metadata")
    return isinstance(metadata, Mapping) and bool(metadata.get("resourceVersion"))


def tests_what_it_changes(operations: JsonPatch) -> bool:
    """Whether a JSON patch cannot take effect twice.

    It tests the resourceVersion, or each changed path lies in a tested one: once applied, the
    tested value is gone. (Also where it is not, replacing a value by itself changes nothing.)
    """
    tested = [str(step["path"]) for step in operations if step["op"] == "test"]
    if "/metadata/resourceVersion" in tested:
        return True
    changed = [str(step["path"]) for step in operations if step["op"] != "test"]
    return bool(changed) and all(
        any(path == test or path.startswith(f"{test}/") for test in tested) for path in changed
    )


def delete_options(
    *,
    uid: str | None,
    resource_version: str | None,
    grace: int | None,
    propagation: str | None,
    dry_run: bool,
) -> JsonObject:
    """Body of a delete."""
    options: JsonObject = {"apiVersion": "v1", "kind": "DeleteOptions"}
    expected = {"uid": uid, "resourceVersion": resource_version}
    preconditions = {key: value for key, value in expected.items() if value}
    if preconditions:
        options["preconditions"] = preconditions
    if grace is not None:
        options["gracePeriodSeconds"] = grace
    if propagation:
        options["propagationPolicy"] = propagation
    if dry_run:
        options["dryRun"] = ["All"]
    return options

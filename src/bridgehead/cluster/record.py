"""The record of a run: everything that a runner needs to go on without any file. Pure.

Stored as one ConfigMap. The plan is compressed, since it holds both templates.
"""

import gzip
from base64 import b64encode
from typing import Any

import msgspec

from bridgehead.cluster.errors import UnreadableRunError
from bridgehead.cluster.names import COMPONENT_LABEL, PART_LABEL, RUN_LABEL, component_label
from bridgehead.core.plan.plan import Plan
from bridgehead.kube.objects.cluster import ConfigMap

SCHEMA = "bridgehead.dev/run/v1"
RECORD = "record"
SEGMENT = "segment"
RECOVERIES = "recoveries"
"""Part of the object that begins the journal of a component's recoveries, which are no run."""
_PLAN = "plan.json.gz"


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it was begun; ``spec`` is the text of the file that asked for it."""

    run: str
    owner: str
    spec: str
    plan: Plan
    control: str = ""
    """What people asked of the run since, as its key ``control`` holds it."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a list; readable whatever its schema."""

    run: str
    component: str
    owner: str
    schema: str
    change_digest: str
    created: float


def record_object(record: Record, namespace: str) -> dict[str, Any]:
    """The ConfigMap of a record."""
    plan = record.plan
    compressed = gzip.compress(msgspec.json.encode(plan), mtime=0)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": record.run,
            "namespace": namespace,
            "labels": {
                RUN_LABEL: record.run,
                PART_LABEL: RECORD,
                COMPONENT_LABEL: component_label(plan.spec.component),
            },
        },
        "data": {
            "schema": SCHEMA,
            "component": str(plan.spec.component),
            "owner": record.owner,
            "spec": record.spec,
            "changeDigest": plan.change_digest,
            "planDigest": plan.plan_digest,
            "control": record.control,
        },
        "binaryData": {_PLAN: b64encode(compressed).decode()},
    }


def record_of(found: ConfigMap) -> Record:
    """The record in a ConfigMap. Raises UnreadableRunError."""
    name = found.metadata.name
    schema = found.data.get("schema", "none")
    if schema != SCHEMA:
        raise UnreadableRunError(
            f"run {name} is recorded with schema {schema}, and this version of bridgehead reads "
            f"{SCHEMA}; go on with the version that began it"
        )
    try:
        plan = msgspec.json.decode(gzip.decompress(found.binary_data[_PLAN]), type=Plan)
    except (KeyError, OSError, EOFError, msgspec.DecodeError) as error:
        raise UnreadableRunError(f"the plan of run {name} is damaged: {error}") from error
    return Record(
        run=name,
        owner=found.data.get("owner", ""),
        spec=found.data.get("spec", ""),
        plan=plan,
        control=found.data.get("control", ""),
    )


def chain_start(found: ConfigMap) -> str:
    """The digest before a journal's first record: the change's, or that of recoveries.

    Raises UnreadableRunError.
    """
    if found.metadata.labels.get(PART_LABEL) == RECOVERIES:
        return listed(found).change_digest
    return record_of(found).plan.change_digest


def listed(found: ConfigMap) -> Listed:
    """What a list says of a run."""
    created = found.metadata.creation_timestamp
    return Listed(
        run=found.metadata.name,
        component=found.data.get("component", ""),
        owner=found.data.get("owner", ""),
        schema=found.data.get("schema", ""),
        change_digest=found.data.get("changeDigest", ""),
        created=created.timestamp() if created else 0.0,
    )


def segment_object(name: str, namespace: str, run: str) -> dict[str, Any]:
    """The ConfigMap of an empty segment."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {RUN_LABEL: run, PART_LABEL: SEGMENT},
        },
    }

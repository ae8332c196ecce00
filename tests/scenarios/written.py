"""What bridgehead wrote while a scenario was played, by the API server's audit log."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from bridgehead.cluster.writes import WRITES, Write
from tests.scenarios.stage import Stage

Key = tuple[str, str, str, bool]
"""Verb, resource with its group and subresource, kind of namespace, whether anything was stored."""

SHOWN = frozenset({"daemonsets.apps", "nodes"})
"""Resources whose fields the table lists one by one and the audit log shows."""
ANYWHERE = frozenset({"pods/eviction"})
"""Resources that are written in whatever namespace they are."""
_REVIEWS = "selfsubject"
_NAMED = re.compile(r"`([^`]+)`")
_PRECONDITIONS = frozenset({"metadata.resourceVersion", "metadata.uid"})


@dataclass(frozen=True)
class Written:
    """One write."""

    key: Key
    manager: str
    fields: frozenset[str]
    """Fields and annotations that it sets or removes, of resources in SHOWN."""

    @property
    def signed(self) -> bool:
        """Whether it has to name its field manager: a deletion and a review have none."""
        return self.key[0] != "delete" and not self.key[1].startswith(_REVIEWS)


def listed(by: str = "") -> dict[Key, frozenset[str]]:
    """What the table allows: fields by kind of write; of one command or of all."""
    table: dict[Key, frozenset[str]] = {}
    for row in (item for item in WRITES if not by or item.by == by):
        resource = f"{row.resource}/{row.subresource}" if row.subresource else row.resource
        key = (row.verb, resource, row.namespace, row.stored)
        table[key] = table.get(key, frozenset()) | _named(row)
    return table


def written(stage: Stage) -> list[Written]:
    """Everything that the scenario's user wrote, in order."""
    return list(_written(stage))


def unlisted(stage: Stage) -> Iterator[str]:
    """Writes that the table does not allow, or that do not say who writes."""
    table = listed()
    for write in written(stage):
        named = "dry-run " if not write.key[3] else ""
        what = f"{named}{write.key[0]} {write.key[1]} ({write.key[2] or 'cluster'})"
        if write.key not in table:
            yield f"docs/reference/cluster-writes.md does not list: {what}"
        elif more := write.fields - table[write.key]:
            yield f"docs/reference/cluster-writes.md does not list for {what}: {sorted(more)}"
        if write.signed and write.manager != "bridgehead":
            yield f"{what} names the field manager {write.manager or 'not at all'}"


def _named(row: Write) -> frozenset[str]:
    return frozenset(_NAMED.findall(row.fields)) if row.resource in SHOWN else frozenset()


def _written(stage: Stage) -> Iterator[Written]:
    kinds = {stage.namespace: "component", stage.state_namespace: "state"}
    users = (stage.user, stage.colleague, stage.account)
    for line in stage.cluster.audit_log.read_text(encoding="utf-8").splitlines():
        if not any(user in line for user in users):
            continue
        event = json.loads(line)
        if event["user"]["username"] not in users:
            continue
        target = event["objectRef"]
        resource = ".".join(filter(None, (target["resource"], target.get("apiGroup"))))
        if "subresource" in target:
            resource = f"{resource}/{target['subresource']}"
        query = parse_qs(urlsplit(event["requestURI"]).query)
        namespace = "" if target["resource"] == "namespaces" else target.get("namespace", "")
        key = (
            event["verb"],
            resource,
            "any" if resource in ANYWHERE else kinds.get(namespace, namespace),
            "dryRun" not in query and not resource.startswith(_REVIEWS),
        )
        body = event.get("requestObject")
        fields = _fields(body) if resource in SHOWN else ()
        manager = query.get("fieldManager", [""])[0]
        yield Written(key, manager, frozenset(fields) - _PRECONDITIONS)


def _fields(body: Any) -> Iterator[str]:
    """The fields of a JSON patch (a list) or of a merge patch."""
    if not isinstance(body, list):
        yield from _merged(body, "")
        return
    for operation in body:
        if operation["op"] == "test":
            continue
        names = [
            part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")
        ]
        yield from _field(names[1:], operation.get("value"))


def _field(names: list[str], value: Any) -> Iterator[str]:
    if names[:2] == ["metadata", "annotations"]:
        yield from names[2:3] or value
    else:
        yield ".".join(names[:2])


def _merged(body: Mapping[str, Any], path: str) -> Iterator[str]:
    for name, value in body.items():
        inner = f"{path}.{name}" if path else name
        if inner == "metadata.annotations":
            yield from value
        elif inner in {"metadata", "spec"}:
            yield from _merged(value, inner)
        else:
            yield inner

"""Journals of the same scenario on two grounds, and what they differ in.

Left out is what is another thing in any two playings: times, uids, digests, names that are made
up, hashes of templates, which of several free devices a pod gets, other tests' resources on a
shared node. Nodes that are worked on at a time write their records as it comes, so the records are
compared node by node.
"""

import re
from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import canonical
from tests.scenarios.playing import Played
from tests.scenarios.stage import Stage

_DROPPED = frozenset({"at", "others"})
"""Keys of details: the moment of a look, resources beside the component's."""
_HASHES = frozenset({"hash", "revision"})
_MASKS = (
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID"),
    (r"\b(sha256:)?[0-9a-f]{64}\b", "DIGEST"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)", "TIME"),
    (r"\bNAMESPACE-\d{8}-\d{6}(-\d+)?", "RUN"),
    (r"\b(plugin|holder-\d+)(-[bcdf-hj-np-tv-z0-9]{5,10})+\b", r"\1-NAME"),
    (r"\bfake-\d+\b", "DEVICE"),
    (r" -> [a-z0-9]+ \(", " -> HASH ("),
    (r"\b(bridgehead-[a-z]+-NODE\d+)-[0-9a-f]{10}\b", r"\1-NAME"),
)


def differences(one: Sequence[Played], other: Sequence[Played]) -> str:
    """Where the journals of two playings differ, node by node; empty where they are the same."""
    found: list[str] = []
    for number, (left, right) in enumerate(zip(one, other, strict=True)):
        mine, theirs = _by_node(left), _by_node(right)
        for node in sorted(mine.keys() | theirs.keys()):
            names = f"command {number + 1} {node}", "the other"
            lines = mine.get(node, []), theirs.get(node, [])
            found += unified_diff(*lines, *names, n=0, lineterm="")
    return "\n".join(found)


def _by_node(played: Played) -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for entry in played.entries:
        lines.setdefault(_masked(played.stage, entry.node), []).append(_line(played.stage, entry))
    return lines


def _line(stage: Stage, entry: Entry) -> str:
    told = [entry.step, entry.phase.value, entry.result, canonical(_timeless(entry.detail))]
    return _masked(stage, " ".join(filter(None, told)))


def _timeless(value: Any) -> Any:
    """A detail without what no two playings share."""
    if isinstance(value, dict):
        return {
            key: "HASH" if key in _HASHES and inner else _timeless(inner)
            for key, inner in value.items()
            if key not in _DROPPED
        }
    if isinstance(value, list):
        return [_timeless(inner) for inner in value]
    return value


def _masked(stage: Stage, text: str) -> str:
    for number, node in enumerate(stage.nodes):
        text = re.sub(rf"\b{re.escape(node.name)}\b", f"NODE{number}", text)
    text = text.replace(stage.cluster.registry_address, "REGISTRY")
    text = text.replace(stage.namespace, "NAMESPACE")
    for pattern, word in _MASKS:
        text = re.sub(pattern, word, text)
    return text

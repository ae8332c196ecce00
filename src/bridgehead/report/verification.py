"""Gate results of nodes: a table for people, ``bridgehead.dev/verification/v1`` for programs."""

from collections.abc import Iterator, Mapping

import msgspec

from bridgehead.core.model.json import JsonObject, JsonValue
from bridgehead.core.verify.result import GateResult, Verdict, all_good

SCHEMA = "bridgehead.dev/verification/v1"

Results = Mapping[str, tuple[GateResult, ...]]


def is_good(nodes: Results) -> bool:
    """Whether there is a node, and every gate of every node passed or was skipped."""
    return bool(nodes) and all(all_good(results) for results in nodes.values())


def verification_text(component: str, basis: str, nodes: Results) -> str:
    """One line a node, and below it whatever is not as it should be."""
    lines = [f"{component}: expected is {basis}"]
    width = max((len(name) for name in nodes), default=0)
    for name, results in sorted(nodes.items()):
        word = "good" if all_good(results) else "BAD"
        lines.append(f"{name:<{width}}  {word:<4}  {_seen(results)}")
        lines.extend(f"    {line}" for line in _troubles(results))
    good = sum(all_good(results) for results in nodes.values())
    lines.append(f"{good} of {len(nodes)} nodes are good")
    return "\n".join(lines)


def _seen(results: tuple[GateResult, ...]) -> str:
    wanted = {"allocatable", "probe"}
    shown = [
        f"{item.gate.value}: {item.seen or item.verdict.value}"
        for item in results
        if item.gate.value in wanted
    ]
    return "; ".join(shown)


def _troubles(results: tuple[GateResult, ...]) -> Iterator[str]:
    for item in results:
        if item.verdict in {Verdict.FAIL, Verdict.UNKNOWN, Verdict.WAIT}:
            yield f"{item.gate.value} {item.verdict.value}: {item.reason}"
            yield f"  expected {item.expected}; seen {item.seen}"
            for proof in item.evidence:
                yield f"  {proof.source}: {proof.text}"


def verification_json(component: str, basis: str, nodes: Results, unread: JsonValue) -> JsonObject:
    """Every gate result, by node."""
    results: list[JsonValue] = [
        msgspec.to_builtins(item) for _, found in sorted(nodes.items()) for item in found
    ]
    return {
        "schema": SCHEMA,
        "unread": unread,
        "component": component,
        "expected": basis,
        "good": is_good(nodes),
        "results": results,
    }

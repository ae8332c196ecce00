"""How runs stand: text for a terminal, JSON under ``bridgehead.dev/status/v1``."""

from collections.abc import Iterator

import msgspec

from bridgehead.core.model.durations import duration_text
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.rollout.control import encode, who
from bridgehead.core.rollout.leftovers import Leftover
from bridgehead.core.rollout.standing import Standing
from bridgehead.core.rollout.wishes import Wishes
from bridgehead.report.plain import plain_line

SCHEMA = "bridgehead.dev/status/v1"


Orphans = tuple[tuple[str, str], ...]
"""Components and nodes with the marks of runs that have no record."""


Damaged = tuple[tuple[str, str, str], ...]
"""Runs that cannot be read, their components, and why."""


Kept = tuple[tuple[str, str], ...]
"""Nodes that recovery keeps cordoned, and their components."""


def status_text(
    standings: tuple[Standing, ...],
    orphans: Orphans = (),
    damaged: Damaged = (),
    kept: Kept = (),
) -> str:
    """One block a run, newest first; what stands unattended comes first of all."""
    unread = [
        f"WARNING: run {run} of {component} cannot be read: {why}; nobody can go on with it"
        for run, component, why in damaged
    ]
    lost = [
        f"WARNING: {component} carries the mark of run {anchor}, which has no record; nobody can "
        "go on with it"
        for component, anchor in orphans
    ]
    blocks = ["\n".join(map(plain_line, _block(item))) for item in standings]
    cordoned = [
        f"node {node} is kept cordoned by recovery of {component}, until bridgehead release "
        f"{component}"
        for node, component in kept
    ]
    first, last = map(plain_line, (*unread, *lost)), map(plain_line, cordoned)
    shown = [*first, *(blocks or ["No run is open."] * bool(cordoned)), *last]
    return "\n\n".join(shown) or "No run is open."


def _block(item: Standing) -> Iterator[str]:
    if item.open and item.template == "target" and not item.holder:
        yield "WARNING: the new template stands and nobody holds the run: newcomers get it"
    yield f"run {item.run} of {item.component}: {item.mode}, {item.stage}"
    if item.owner:
        yield f"  owner     {item.owner}"
    if item.open:
        yield f"  template  {item.template}"
        yield f"  lock      {item.holder or 'nobody'}"
        yield from _wishes(item.wishes)
    width = max((len(node.name) for node in item.nodes), default=0)
    for node in item.nodes:
        held = "  cordoned by this run" if node.held else ""
        held += f"  {node.reason}" if node.reason else ""
        yield f"  {node.name:<{width}}  {node.status:<22}  {node.revision or '-'}{held}"
    for left in item.leftovers:
        yield f"  left: {left.object}: {left.what}{_age(left)}"
    if item.summary:
        yield f"  {item.summary}"


def _age(left: Leftover) -> str:
    age = "for how long is not known" if left.age is None else f"for {duration_text(int(left.age))}"
    return f", {age}, owner {left.owner}" if left.owner else f", {age}"


def _wishes(item: Wishes) -> Iterator[str]:
    """What people asked, and what it waits for."""
    if item.paused is not None:
        why = f": {item.paused.reason}" if item.paused.reason else ""
        yield f"  paused    by {who(item.paused)} at {item.paused.time}{why}"
    if item.awaited:
        yield f"  waits     for approval {item.awaited}"
    for given in item.approvals:
        until = f", until {given.expires}" if given.expires else ""
        flaw = f"; does NOT count: {given.objection}" if given.objection else ""
        use = f"; used at {given.used}" if given.used else ""
        yield f"  approved  {given.point} by {given.by} at {given.time}{until}{use}{flaw}"
    for request in item.filed:
        kind = text(encode(request), "kind")
        yield f"  filed     {kind} by {who(request)} at {request.time}; no runner has noted it yet"
    if item.unreadable:
        yield f"  control   {item.unreadable}"
    if item.window:
        yield f"  window    {item.window}"
    yield f"  left      {item.left} nodes have not had their turn"


def status_json(
    standings: tuple[Standing, ...],
    orphans: Orphans = (),
    damaged: Damaged = (),
    kept: Kept = (),
) -> JsonObject:
    """All runs with everything that is known of them."""
    runs: list[JsonObject] = [
        {**msgspec.to_builtins(item), "open": item.open} for item in standings
    ]
    lost: list[JsonObject] = [{"component": ref, "anchor": anchor} for ref, anchor in orphans]
    unread: list[JsonObject] = [
        {"what": f"run {run} of {component}", "why": why, "grant": ""}
        for run, component, why in damaged
    ]
    cordoned: list[JsonObject] = [{"node": node, "component": ref} for node, ref in kept]
    return {
        "schema": SCHEMA,
        "unread": unread,
        "runs": runs,
        "orphans": lost,
        "keptByRecovery": cordoned,
    }

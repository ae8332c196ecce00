"""How runs stand: text for a terminal, JSON under ``bridgehead.dev/status/v1``."""

from collections.abc import Iterator

import msgspec

from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.standing import Standing

SCHEMA = "bridgehead.dev/status/v1"


Orphans = tuple[tuple[str, str], ...]
"""Components with the marks of runs that have no record."""


def status_text(standings: tuple[Standing, ...], orphans: Orphans = ()) -> str:
    """One block a run, newest first; what stands unattended comes first of all."""
    lost = [
        f"WARNING: {component} carries the mark of run {anchor}, which has no record; nobody can "
        "go on with it"
        for component, anchor in orphans
    ]
    blocks = ["\n".join(_block(item)) for item in standings]
    return "\n\n".join([*lost, *blocks]) or "No run is open."


def _block(item: Standing) -> Iterator[str]:
    if item.open and item.template == "target" and not item.holder:
        yield "WARNING: the new template stands and nobody holds the run: newcomers get it"
    yield f"run {item.run} of {item.component}: {item.mode}, {item.stage}"
    if item.owner:
        yield f"  owner     {item.owner}"
    yield f"  template  {item.template}"
    yield f"  lock      {item.holder or 'nobody'}"
    width = max((len(node.name) for node in item.nodes), default=0)
    for node in item.nodes:
        held = "  cordoned by this run" if node.held else ""
        held += f"  {node.reason}" if node.reason else ""
        yield f"  {node.name:<{width}}  {node.status:<22}  {node.revision or '-'}{held}"
    for left in item.leftovers:
        yield f"  left: {left.object}: {left.what}"
    if item.summary:
        yield f"  {item.summary}"


def status_json(standings: tuple[Standing, ...], orphans: Orphans = ()) -> JsonObject:
    """All runs with everything that is known of them."""
    runs: list[JsonObject] = [
        {**msgspec.to_builtins(item), "open": item.open} for item in standings
    ]
    lost: list[JsonObject] = [{"component": ref, "anchor": anchor} for ref, anchor in orphans]
    return {"schema": SCHEMA, "unread": [], "runs": runs, "orphans": lost}

"""How runs stand: text for a terminal, JSON under ``bridgehead.dev/status/v1``."""

from collections.abc import Iterator

import msgspec

from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.standing import Standing

SCHEMA = "bridgehead.dev/status/v1"


def status_text(standings: tuple[Standing, ...]) -> str:
    """One block a run, newest first; a target that stands unattended comes first of all."""
    if not standings:
        return "No run is open."
    return "\n\n".join("\n".join(_block(item)) for item in standings)


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
        yield f"  {node.name:<{width}}  {node.status:<22}  {node.revision or '-'}{held}"
    for left in item.leftovers:
        yield f"  left: {left.object}: {left.what}"
    if item.summary:
        yield f"  {item.summary}"


def status_json(standings: tuple[Standing, ...]) -> JsonObject:
    """All runs with everything that is known of them."""
    runs: list[JsonObject] = [
        {**msgspec.to_builtins(item), "open": item.open} for item in standings
    ]
    return {"schema": SCHEMA, "unread": [], "runs": runs}

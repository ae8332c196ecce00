"""From the objects of a record to a seed: machines, what is broken, and what had to be assumed."""

from collections import Counter
from collections.abc import Iterator, Sequence

from bridgehead.core.components.registration import mounted, registers
from bridgehead.twin.objects import (
    Object,
    controller_of,
    fields,
    items,
    name_of,
    namespace_of,
    text,
)
from bridgehead.twin.seeding.machines import is_down, machine_of, offers_of, sickness
from bridgehead.twin.seeding.seed import Seed

ALWAYS_ASSUMED = (
    "images are pulled in a few seconds and start as on an idle machine",
    "workloads run on for the whole time and bring nothing down",
    "no webhook, quota or policy refuses anything, and the runner may do all that it needs",
)
"""What no record of a cluster tells."""

_TRIMMED = "values of environment variables were not recorded: plugins offer what their node has"


def seed_of(objects: Sequence[Object], *, at: float) -> Seed:
    """The seed of a record. ``at``: when it was made, in seconds since the epoch."""
    nodes = [item for item in objects if text(item, "kind") == "Node"]
    return Seed(
        at=at,
        machines=tuple(machine_of(node) for node in nodes),
        objects=tuple(objects),
        down=tuple(name_of(node) for node in nodes if is_down(node)),
        overlays=tuple(overlay for node in nodes for overlay in sickness(node)),
        assumptions=tuple(_assumptions(objects, nodes)),
    )


def _assumptions(objects: Sequence[Object], nodes: Sequence[Object]) -> Iterator[str]:
    yield from ALWAYS_ASSUMED
    daemon_sets = [item for item in objects if text(item, "kind") == "DaemonSet"]
    if any(_is_trimmed(item) for item in daemon_sets):
        yield _TRIMMED
    down = [name_of(node) for node in nodes if is_down(node)]
    if down:
        yield f"nodes that were not Ready do not answer: {_named(down)}"
    sick = [name_of(node) for node in nodes if any(sickness(node))]
    if sick:
        yield f"devices that were unhealthy stay so: {_named(sick)}"
    marked = [name_of(item) for item in (*daemon_sets, *nodes) if _is_marked(item)]
    if marked:
        yield f"marks of runs were left out, as the record has no run: {_named(marked)}"
    yield from _unserved(daemon_sets, nodes)
    kinds = Counter(
        text(controller, "kind")
        for item in objects
        if text(item, "kind") == "Pod" and (controller := controller_of(item))
    )
    bare = [kind for kind in kinds if kind not in {"DaemonSet", "ReplicaSet", "Job"}]
    if bare:
        yield f"nobody replaces pods of {_named(sorted(bare))}"


def _unserved(daemon_sets: Sequence[Object], nodes: Sequence[Object]) -> Iterator[str]:
    """Resources that no recorded plugin can be behind."""
    if any(_is_plugin(item) for item in daemon_sets):
        return
    names = sorted({name for node in nodes for name in offers_of(node)})
    if names:
        yield f"no plugin was recorded, so nothing offers {_named(names)} once it is gone"


def _is_plugin(daemon_set: Object) -> bool:
    return registers(mounted(fields(daemon_set, "spec", "template")), known=True)


def _is_trimmed(daemon_set: Object) -> bool:
    """Whether a variable with a value has lost it; an API server never writes such an empty one."""
    return any(
        "value" in variable and not variable["value"]
        for container in items(daemon_set, "spec", "template", "spec", "containers")
        for variable in items(container, "env")
    )


def _is_marked(item: Object) -> bool:
    marks = ("bridgehead.dev/run", "bridgehead.dev/held-by")
    return any(mark in fields(item, "metadata", "annotations") for mark in marks)


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


def namespaces_of(objects: Sequence[Object]) -> list[str]:
    """All namespaces that objects of a record are in, sorted."""
    return sorted({namespace_of(item) for item in objects} - {""})

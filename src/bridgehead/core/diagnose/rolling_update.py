"""How far a rolling update of a plugin is, counted as its controller counts.

Source: rollingUpdate in pkg/controller/daemon/update.go, Kubernetes 1.37: a node without a live pod
counts as unavailable, as does one whose pod is not ready; an old pod that is not ready is replaced
without regard to the budget.
"""

from collections.abc import Iterable, Mapping

import msgspec

from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.model.json import JsonValue, child
from bridgehead.core.model.pod import Pod


class RollingUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes of one plugin, by what keeps them from being done; all names sorted."""

    plugin: Plugin
    max_unavailable: int
    unavailable_on_dead: tuple[str, ...]
    unavailable_on_ready: tuple[str, ...]
    old_on_ready: tuple[str, ...]
    """Ready nodes whose pod is of another revision than the newest."""
    ready_hashes: frozenset[str]
    """Revisions of which some pod is ready."""
    counts: str


def rolling_updates(scene: Scene) -> Iterable[RollingUpdate]:
    """Of every plugin that is updated by its controller and has a node to run on."""
    for plugin in scene.plugins:
        component = plugin.component
        if component.strategy_type != "RollingUpdate":
            continue
        raw = scene.observed.raw("DaemonSet", component.namespace, component.name) or {}
        revisions = scene.observed.snapshot.revisions_of(component)
        newest = revisions[-1].hash if revisions else ""
        yield _update(scene, plugin, newest, raw)


def _update(scene: Scene, plugin: Plugin, newest: str, raw: JsonValue) -> RollingUpdate:
    alive: dict[str, Pod] = {
        pod.node: pod for pod in plugin.pods if not pod.terminal and not pod.deleting
    }
    # A dead node has the taint unreachable:NoSchedule, so that it is wanted no more and its pod
    # stays: nodes with pods count as well.
    held = {pod.node for pod in plugin.pods}
    wanted = {node.name for node in scene.wanted_on(plugin)}
    places = sorted(name for name in held | wanted if name in scene.nodes)
    down = [name for name in places if name not in alive or not alive[name].ready]
    dead = {name for name in places if scene.nodes[name].ready is not True}
    desired = _number(raw, "desiredNumberScheduled", len(places))
    # Without revisions the status still tells that some pods are not of the newest one.
    unknown = not newest and _number(raw, "updatedNumberScheduled", desired) < desired
    return RollingUpdate(
        plugin=plugin,
        max_unavailable=_budget(plugin.component.strategy, desired),
        unavailable_on_dead=tuple(name for name in down if name in dead),
        unavailable_on_ready=tuple(name for name in down if name not in dead),
        old_on_ready=tuple(
            name
            for name, pod in sorted(alive.items())
            if name not in dead
            and (unknown or (newest and pod.revision and pod.revision != newest))
        ),
        ready_hashes=frozenset(pod.revision for pod in alive.values() if pod.ready),
        counts=", ".join(
            f"{word} {_number(raw, field, 0)}"
            for word, field in (
                ("desired", "desiredNumberScheduled"),
                ("updated", "updatedNumberScheduled"),
                ("unavailable", "numberUnavailable"),
            )
        ),
    )


def _number(raw: JsonValue, field: str, default: int) -> int:
    value = child(raw, "status", field)
    return value if isinstance(value, int) else default


def _budget(strategy: Mapping[str, JsonValue], desired: int) -> int:
    """maxUnavailable as a number; a share is rounded up, and 1 is the default."""
    value = child(strategy, "rollingUpdate", "maxUnavailable")
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.endswith("%") and value[:-1].isdigit():
        return -(-desired * int(value[:-1]) // 100)
    return 1

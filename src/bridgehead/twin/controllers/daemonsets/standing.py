"""Where one node stands with a DaemonSet: what it has, what it lacks, what an update may do there.

Worked out for a node when something of it has changed, not for all nodes at every look.

Source: podsShouldBeOnNode, rollingUpdate and updateDaemonSetStatus in
k8s.io/kubernetes/pkg/controller/daemon/{daemon_controller,update}.go (1.37).
"""

from collections.abc import Sequence

import msgspec

from bridgehead.twin.controllers.daemonsets.template import (
    HASH_LABEL,
    generation_of,
    is_updated,
    tolerations_of,
)
from bridgehead.twin.controllers.deployment_revisions import scaled
from bridgehead.twin.controllers.pods import available_in, is_ready
from bridgehead.twin.objects import Object, fields, is_deleting, labels_of, name_of, text
from bridgehead.twin.pods import is_finished
from bridgehead.twin.scheduling.taints import DRIVES_OUT, KEEPS_OUT, untolerated
from bridgehead.twin.selection import node_fits


class Rules:
    """What a DaemonSet asks, worked out once for all nodes."""

    def __init__(self, daemon_set: Object, hashed: str) -> None:
        self.template: Object = daemon_set["spec"]["template"]
        self.spec: Object = self.template.get("spec", {})
        self.hashed = hashed
        self.generation = generation_of(daemon_set)
        self.tolerations = tolerations_of(daemon_set)
        self.min_ready = int(daemon_set["spec"].get("minReadySeconds") or 0)
        strategy = fields(daemon_set, "spec", "updateStrategy")
        self.rolls = strategy.get("type") == "RollingUpdate"
        rolling = fields(strategy, "rollingUpdate")
        self._surge: int | str = rolling.get("maxSurge") or 0
        self._unavailable: int | str = rolling.get("maxUnavailable") or 0
        self.surges = self.rolls and scaled(self._surge, 1, up=True) > 0

    def bounds(self, desired: int) -> tuple[int, int]:
        """Pods beyond one a node, and nodes without an available one, that an update may have."""
        surge = scaled(self._surge, desired, up=True)
        unavailable = scaled(self._unavailable, desired, up=True)
        if desired and not surge and not unavailable:
            unavailable = 1
        return surge, unavailable

    def fits(self, node: Object) -> tuple[bool, bool]:
        """Whether a node should get a pod, and whether one that is there may stay."""
        named = self.spec.get("nodeName") or ""
        if (named and named != name_of(node)) or not node_fits(self.spec, node):
            return False, False
        if untolerated(node, self.tolerations, KEEPS_OUT):
            return False, not untolerated(node, self.tolerations, DRIVES_OUT)
        return True, True

    def updated(self, pod: Object) -> bool:
        """Whether a pod is of the present template."""
        return is_updated(pod, self.hashed, self.generation)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One node. Numbers add up over all nodes."""

    desired: int = 0
    current: int = 0
    misscheduled: int = 0
    ready: int = 0
    available: int = 0
    updated: int = 0
    lacks: bool = False
    """It needs a pod."""
    surplus: tuple[str, ...] = ()
    """Pods that must go, whatever an update does."""
    finished: tuple[tuple[str, str], ...] = ()
    """Pods that have ended and are to be replaced: name, phase."""
    ripens_in: float | None = None
    """Seconds until a ready pod counts as available."""
    busy: int = 0
    """1 where an update is at work, or where a pod is unavailable anyway."""
    serves: int = 0
    """1 where a pod is available, the old one where there are two."""
    outdated: str = ""
    """An old pod."""
    serving: bool = False
    """Whether that old pod is available."""
    replaced: bool = False
    """Whether a new pod is available beside it."""
    covered: bool = False
    """Whether a new pod is there beside it."""
    wanted: bool = False
    """Whether the node should have a pod."""


def standing(rules: Rules, node: Object | None, pods: Sequence[Object], now: float) -> Standing:
    """Where a node stands. ``pods``: those of the DaemonSet that are on it or wait for it."""
    pods = [pod for pod in pods if not (is_finished(pod) and is_deleting(pod))]
    if node is None:
        lost = tuple(name_of(pod) for pod in pods if not text(pod, "spec", "nodeName"))
        return _with_update(rules, pods, now, Standing(surplus=lost))
    run, stay = rules.fits(node)
    surplus: tuple[str, ...] = ()
    finished: tuple[tuple[str, str], ...] = ()
    lacks = run and not pods
    if stay and pods:
        live = [pod for pod in pods if not is_deleting(pod)]
        running = sorted((pod for pod in live if not is_finished(pod)), key=age)
        finished = tuple(
            (name_of(pod), text(pod, "status", "phase")) for pod in live if is_finished(pod)
        )
        surplus = _surplus(rules, running, now)
        lacks = rules.surges and not running and run
    elif not stay:
        surplus = tuple(name_of(pod) for pod in pods if not is_deleting(pod))
    first = min(pods, key=age) if pods and run else None
    ripens = available_in(first, rules.min_ready, now) if first is not None else None
    found = Standing(
        desired=int(run),
        current=int(first is not None),
        misscheduled=int(bool(pods) and not run),
        ready=int(first is not None and is_ready(first)),
        available=int(ripens == 0.0),
        updated=int(first is not None and rules.updated(first)),
        lacks=lacks,
        surplus=surplus,
        finished=finished,
        wanted=run,
    )
    return _with_update(rules, pods, now, found)


def _surplus(rules: Rules, running: Sequence[Object], now: float) -> tuple[str, ...]:
    """Pods beyond what a node may have; ``running``: the oldest first."""
    if len(running) <= 1:
        return ()
    if not rules.surges:
        return tuple(name_of(pod) for pod in running[1:])
    new = [pod for pod in running if labels_of(pod).get(HASH_LABEL) == rules.hashed]
    old = [pod for pod in running if labels_of(pod).get(HASH_LABEL) != rules.hashed]
    surplus = [name_of(pod) for pod in running if pod in new[1:] or pod in old[1:]]
    if new and old and (not is_ready(old[0]) or available_in(new[0], rules.min_ready, now) == 0.0):
        surplus.append(name_of(old[0]))
    return tuple(surplus)


def _with_update(rules: Rules, pods: Sequence[Object], now: float, found: Standing) -> Standing:
    """With what a rolling update needs to know."""
    waits = [available_in(pod, rules.min_ready, now) for pod in pods]
    ripens = min((wait for wait in waits if wait), default=None)
    changes: dict[str, object] = {"ripens_in": ripens}
    live = [pod for pod in pods if not is_deleting(pod)]
    new = [pod for pod in live if rules.updated(pod)]
    old = [pod for pod in live if not rules.updated(pod)]
    if not pods and not found.wanted:
        return found
    if len(new) > 1 or len(old) > 1:
        return msgspec.structs.replace(found, busy=1, **changes)
    new_serves = bool(new) and available_in(new[0], rules.min_ready, now) == 0.0
    old_serves = bool(old) and available_in(old[0], rules.min_ready, now) == 0.0
    if rules.surges:
        busy = bool(old and new and not new_serves)
    else:
        busy = bool(new) == bool(old) or not (new_serves or old_serves)
    changes |= {
        "busy": int(busy),
        "serves": int(old_serves if old else new_serves),
        "outdated": name_of(old[0]) if old else "",
        "serving": old_serves,
        "covered": bool(new),
        "replaced": bool(old) and new_serves,
    }
    return msgspec.structs.replace(found, **changes)


def age(pod: Object) -> tuple[bool, str, str]:
    """The oldest first, those on a node before those that wait for it."""
    return (
        not text(pod, "spec", "nodeName"),
        text(pod, "metadata", "creationTimestamp"),
        name_of(pod),
    )

"""Operands that fail on a node, with the plugins there that wait for them.

A plugin pod that only waits is not the culprit: its init container stands for a driver or a
toolkit, which another DaemonSet brings. That one's pod on the same node is followed.
"""

from collections.abc import Iterable, Sequence

import msgspec

from bridgehead.core.components.driver_installers import FAULTS
from bridgehead.core.components.operands import Operand, operand_of
from bridgehead.core.components.resources import pods_of
from bridgehead.core.diagnose.patience import PATIENCE
from bridgehead.core.diagnose.pod_state import unsound
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import explained
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.diagnose.telling_lines import Quote, quotes_in
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.findings.observed import Log
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.pod import Container, Pod


class OperandFault(msgspec.Struct, frozen=True, kw_only=True):
    """An operand's pod on one node that is not sound; ``quotes`` are telling lines of its logs."""

    component: Component
    operand: Operand
    pod: Pod
    why: str
    quotes: tuple[Quote, ...]
    posts: tuple[Post, ...]
    """Plugins on the node that wait for it, or offer nothing."""

    @property
    def object(self) -> ObjectRef:
        """Its DaemonSet."""
        return ObjectRef("apps/v1", "DaemonSet", self.component.namespace, self.component.name)

    def quote(self, *keys: str) -> Quote | None:
        """The first of these signs that it shows."""
        found = {item.key: item for item in self.quotes}
        return next((found[key] for key in keys if key in found), None)


def operand_faults(scene: Scene) -> tuple[OperandFault, ...]:
    """All of them, by DaemonSet and node."""
    found = []
    for component in sorted(scene.observed.snapshot.components, key=lambda item: item.ref):
        operand = operand_of(component.name, component.template)
        if operand is None:
            continue
        for pod in sorted(pods_of(component, scene.observed.snapshot.pods), key=lambda it: it.node):
            why = "" if pod.terminal else unsound(pod, scene.now, PATIENCE)
            if why:
                found.append(_fault(scene, component, operand, pod, why))
    return tuple(found)


def _fault(
    scene: Scene, component: Component, operand: Operand, pod: Pod, why: str
) -> OperandFault:
    logs = sorted(scene.observed.logs_of(pod), key=lambda item: not item[0].previous)
    said = [
        (f"status of pod {pod.ref}, container {item.name}", Log((message,)))
        for item in (*pod.init_containers, *pod.containers)
        for message in (item.last_message, item.message)
        if message
    ]
    quotes = quotes_in([*said, *((f"log {key}", log) for key, log in logs)], FAULTS)
    there = scene.posts_by_node.get(pod.node, ())
    return OperandFault(
        component=component,
        operand=operand,
        pod=pod,
        why=why,
        quotes=tuple(quotes[key] for key in sorted(quotes)),
        posts=tuple(post for post in there if post.failing or waiting_in(post)),
    )


def waiting_in(post: Post) -> Container | None:
    """The init container that the plugin's pod has not come past; None where it has."""
    if post.pod is None or post.pod.deleting or post.pod.terminal:
        return None
    for item in post.pod.init_containers:
        done = item.state == "terminated" and item.exit_code == 0
        if not done:
            return item if post.now - post.pod.created >= PATIENCE else None
    return None


def by_operand(items: Iterable[OperandFault]) -> list[tuple[OperandFault, ...]]:
    """Faults of each operand together."""
    found: dict[str, list[OperandFault]] = {}
    for item in items:
        found.setdefault(item.component.ref, []).append(item)
    return [tuple(each) for each in found.values()]


def nodes_of(items: Iterable[OperandFault]) -> tuple[str, ...]:
    """Their nodes, each once, sorted."""
    return tuple(sorted({item.pod.node for item in items}))


def behind(scene: Scene, items: Sequence[OperandFault]) -> tuple[str, ...]:
    """Keys of the symptoms that follow: the operands' own pods, and the plugins behind them."""
    keys = set(explained(scene, [post for item in items for post in item.posts]))
    keys |= {pod_key(item.pod) for item in items}
    return tuple(item.key for item in scene.symptoms if item.key in keys)


def proof_of(item: OperandFault) -> tuple[Evidence, ...]:
    """The state of its pod, and of one plugin pod that waits for it."""
    waits = [
        Evidence(f"status of pod {post.pod.ref}", f"init container {container.name} is not done")
        for post in item.posts
        for container in [waiting_in(post)]
        if container and post.pod
    ]
    return (Evidence(f"status of pod {item.pod.ref}", item.why), *waits[:1])

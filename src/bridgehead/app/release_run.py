"""The use case ``release`` by the name of a run that has no record: from its marks alone.

Nodes and pods carry the name of their run. Where its component is gone as well, or was released
before, nothing but these marks says what the run has left.
"""

from bridgehead.app.release import Left, Released
from bridgehead.app.session import Session
from bridgehead.cluster.anchor import parse_anchor
from bridgehead.cluster.convert import component_from, node_from, pod_from
from bridgehead.cluster.letting_go import LettingGo
from bridgehead.cluster.names import RUN_LABEL
from bridgehead.core.model.component import Component
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.kube.resources import DAEMON_SETS, NODES, PODS


async def component_marked(session: Session, run: str) -> ComponentRef | None:
    """The component that carries the mark of that run, wherever its record was."""
    found = (component_from(raw) for raw in (await session.kube.list_raw(DAEMON_SETS)).items)
    marked = next((item for item in found if _is_of(run, item)), None)
    if marked is None:
        return None
    return ComponentRef(ComponentKind.DAEMON_SET, marked.namespace, marked.name)


async def release_marks(session: Session, run: str, *, dry_run: bool) -> Released:
    """Give back the nodes and pods that carry the name of a run which no component is marked with.

    A run that lives keeps its component by that mark: without one nobody is left who could hold a
    lock of it. Raises KubeError.
    """
    kube = session.kube
    nodes = [node_from(item) for item in (await kube.list(NODES)).items]
    held = tuple(node for node in nodes if node.held_by == run)
    own = (await kube.list(PODS, label_selector=f"{RUN_LABEL}={run}")).items
    left = Left(component=None, nodes=held, pods=tuple(map(pod_from, own)), differing=())
    if dry_run:
        return Released(left=left)
    hand = LettingGo(kube, lambda: None)
    done = [(f"node/{node.name}", await hand.node(node)) for node in left.nodes]
    done += [(f"pod/{pod.ref}", await hand.pod(pod)) for pod in left.pods]
    return Released(left=left, done=tuple(done))


def _is_of(run: str, component: Component) -> bool:
    anchor = parse_anchor(component.anchor)
    return anchor is not None and anchor.run == run

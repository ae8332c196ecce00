"""What recovery would say of a recorded state: everything that needs no server. Nothing is done."""

from collections.abc import Sequence

from bridgehead.app.recover import Explained, Explanation, Request, explanation, judged, nodes_of
from bridgehead.app.recover_look import Asked, Place, images_of, place_of, unjudged
from bridgehead.app.recover_records import Records
from bridgehead.cluster.names import recoveries_name
from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.diagnose.node_times import starts_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.model.node import Node
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.core.recover.situation import Answer, Situation, causes_of

_NO_JOURNAL = "this is a recorded state, which holds no journal"
_NO_SERVER = "not asked: this is a recorded state"


def plugins_in(observed: Observed) -> Sequence[ComponentRef]:
    """All device plugins of the recorded state, by name."""
    return [
        ComponentRef(ComponentKind.DAEMON_SET, item.namespace, item.name)
        for item in sorted(observed.snapshot.components, key=lambda item: item.ref)
        if is_device_plugin(item)
    ]


def explain_recorded(observed: Observed, request: Request, diagnosis: Diagnosis) -> Explanation:
    """Which rung would fit where, and why, as far as the recorded state tells.

    Raises NoSuchPluginError and NodeUnclearError.
    """
    place = place_of(Scene(observed), request.asked, Records())
    found = []
    for node in nodes_of(place, request, diagnosis):
        seen = _situation(place, request.asked, node, diagnosis)
        found.append(Explained(situation=seen, choice=judged(seen, request)))
    return explanation(place, request, diagnosis, *found)


def _situation(place: Place, asked: Asked, node: Node, diagnosis: Diagnosis) -> Situation:
    observed = place.scene.observed
    raw = observed.raw("Node", "", node.name) or {}
    start = starts_of(observed.events, [raw]).get(node.name)
    unread = () if observed.has(Need.EVENTS) else (f"events of node {node.name}: not recorded",)
    return Situation(
        scene=place.scene,
        plugin=place.plugin,
        node=node,
        resource=asked.resource,
        causes=causes_of(diagnosis, node.name, place.plugin.component.ref),
        undiagnosed=(*unjudged(diagnosis), *unread),
        unrecorded=_NO_JOURNAL,
        dry_run=Answer(None, _NO_SERVER),
        images=images_of(raw),
        kubelet_started=start.at if start else None,
        holder=recoveries_name(asked.component),
        asked=asked.by_person,
        limits=asked.limits,
    )

"""Four nodes with a plugin each; the first shows 4/0 for ten minutes, for no reason yet given."""

from typing import Any

import msgspec

from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.observed import Observed, Reading
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component, Revision
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Container, Pod
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.recover.assessment import Assessment
from bridgehead.core.recover.precondition import Precondition
from bridgehead.core.recover.situation import Answer, NamedCause, Situation

NOW = 100_000.0
R = "example.com/fake"
IMAGE = "registry.example/plugin:1"
HOLDER = "recoveries-of-the-plugin"
TEMPLATE: JsonObject = {
    "metadata": {"labels": {"app": "plugin"}},
    "spec": {
        "containers": [
            {
                "name": "plugin",
                "image": IMAGE,
                "args": [f"--resource={R}"],
                "volumeMounts": [{"name": "dir", "mountPath": "/var/lib/kubelet/device-plugins"}],
            }
        ],
        "volumes": [{"name": "dir", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}],
    },
}


def component(**changes: Any) -> Component:
    made = Component(
        namespace="gpu",
        name="plugin",
        uid="ds",
        generation=1,
        observed_generation=1,
        template=TEMPLATE,
        strategy={"type": "OnDelete"},
        selector={"matchLabels": {"app": "plugin"}},
    )
    return msgspec.structs.replace(made, **changes)


def node(number: int, offer: Offer | None = None, **more: Any) -> Node:
    offers = {R: offer or Offer(4, 4)}
    return Node(name=f"n{number}", uid=f"u{number}", **{"ready": True, "offers": offers, **more})


def plugin_pod(number: int, **changes: Any) -> Pod:
    made = Pod(
        namespace="gpu",
        name=f"plugin-{number}",
        uid=f"p{number}",
        node=f"n{number}",
        bound=True,
        labels={"controller-revision-hash": "h1"},
        owner_kind="DaemonSet",
        owner_name="plugin",
        owner_uid="ds",
        phase="Running",
        admitted=True,
        ready=True,
        created=NOW - 86_400,
        containers=(Container("plugin", IMAGE, image_id="sha256:1", state="running"),),
        host_paths=("/var/lib/kubelet/device-plugins",),
    )
    return msgspec.structs.replace(made, **changes)


def workload(name: str, **changes: Any) -> Pod:
    made = Pod(
        namespace="work",
        name=name,
        uid=f"uid-{name}",
        node="n1",
        bound=True,
        owner_kind="ReplicaSet",
        owner_name="job",
        owner_uid="rs",
        phase="Running",
        admitted=True,
        ready=True,
        created=NOW - 7_200,
        requests={R: 1},
    )
    return msgspec.structs.replace(made, **changes)


def refused(name: str, age: float, **changes: Any) -> Pod:
    made: dict[str, Any] = {"reason": "UnexpectedAdmissionError", **changes}
    return workload(name, phase="Failed", ready=False, created=NOW - age, **made)


def cause(rule: str, *, quoted: str = "a line", **more: Any) -> NamedCause:
    proof = Evidence("log", quoted, "n1")
    made = {"message": f"it is {rule}", "nodes": ("n1",), "evidence": (proof,)}
    return NamedCause(rule=rule, **{**made, **more})


def situation(
    *,
    bad: Node | None = None,
    others: tuple[Node, ...] | None = None,
    plugin_pods: tuple[Pod, ...] | None = None,
    pods: tuple[Pod, ...] = (),
    of: Component | None = None,
    history: tuple[Reading, ...] = (),
    unread: tuple[Unread, ...] = (),
    revisions: tuple[Revision, ...] = (),
    causes: tuple[NamedCause, ...] = (),
    **changes: Any,
) -> Situation:
    """Node n1 as it is named, with what is changed of the rest."""
    first = bad or node(1, Offer(4, 0))
    rest = others if others is not None else tuple(node(number) for number in (2, 3, 4))
    it = of or component()
    daemons = plugin_pods or tuple(plugin_pod(number) for number in (1, 2, 3, 4))
    first_revision = Revision("plugin-h1", "h1", 1, component().template_digest)
    snapshot = Snapshot(
        at=NOW,
        nodes=(first, *rest),
        pods=(*daemons, *pods),
        components=(it,),
        revisions=((it.ref, revisions or (first_revision,)),),
        unread=unread,
    )
    scene = Scene(Observed(snapshot=snapshot, history=history, unread=unread))
    (plugin,) = scene.plugins
    made = Situation(
        scene=scene,
        plugin=plugin,
        node=first,
        causes=causes,
        dry_run=Answer(True, "the server would take it"),
        holder=HOLDER,
    )
    return msgspec.structs.replace(made, **changes)


def of(assessment: Assessment, words: str) -> Precondition:
    """The one precondition that is worded so."""
    (found,) = [item for item in assessment.preconditions if words in item.what]
    return found

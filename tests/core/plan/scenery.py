"""Small clusters for plans: nodes, a DaemonSet that offers GPUs, its pods."""

from collections.abc import Iterable

from bridgehead.core.model.component import Component, Owner, Revision, template_digest, with_images
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import HELD_BY, Node
from bridgehead.core.model.pod import REVISION_HASH, Pod
from bridgehead.core.model.selectors import parse_selector
from bridgehead.core.model.snapshot import Snapshot
from bridgehead.core.plan.settings import (
    ComponentKind,
    ComponentRef,
    ContainerImage,
    ImagesChange,
    NodeSelection,
    RolloutSpec,
)

GPU = "vendor.com/gpu"
REF = ComponentRef(ComponentKind.DAEMON_SET, "gpu", "plugin")
TEMPLATE: JsonObject = {
    "metadata": {"labels": {"app": "plugin"}},
    "spec": {
        "nodeSelector": {"gpu": "true"},
        "containers": [
            {
                "name": "plugin",
                "image": "r.test/plugin:1",
                "volumeMounts": [{"name": "d", "mountPath": "/var/lib/kubelet/device-plugins"}],
            }
        ],
        "volumes": [{"name": "d", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}],
    },
}
HASH = "h1"


def node(
    name: str,
    product: str = "A",
    *,
    ready: bool | None = True,
    devices: int = 4,
    unhealthy: int = 0,
    held_by: str = "",
) -> Node:
    return Node(
        name=name,
        uid=f"uid-{name}",
        labels={"gpu": "true", "nvidia.com/gpu.product": product, "name": name},
        annotations={HELD_BY: held_by} if held_by else {},
        ready=ready,
        offers={GPU: Offer(devices, devices - unhealthy)},
        arch="amd64",
    )


def plugin_pod(name: str, revision: str = HASH) -> Pod:
    return Pod(
        namespace="gpu",
        name=f"plugin-{name}",
        uid=f"pod-{name}",
        node=name,
        bound=True,
        labels={REVISION_HASH: revision},
        owner_kind="DaemonSet",
        owner_name="plugin",
        owner_uid="ds",
        phase="Running",
        ready=True,
        admitted=True,
    )


def holder(name: str, devices: int) -> Pod:
    return Pod(
        namespace="jobs",
        name=f"job-{name}",
        uid=f"job-{name}",
        node=name,
        phase="Running",
        requests={GPU: devices},
    )


def component(template: JsonObject = TEMPLATE, *owners: Owner, deleting: bool = False) -> Component:
    return Component(
        namespace="gpu",
        name="plugin",
        uid="ds",
        generation=7,
        observed_generation=7,
        template=template,
        strategy={"type": "RollingUpdate"},
        selector={"matchLabels": {"app": "plugin"}},
        owners=owners,
        deleting=deleting,
    )


def snapshot(
    nodes: Iterable[Node],
    *,
    of: Component | None = None,
    pods: Iterable[Pod] | None = None,
    others: Iterable[Pod] = (),
    terminating: tuple[str, ...] = (),
    revisions: bool = True,
) -> Snapshot:
    known = tuple(nodes)
    subject = of or component()
    own = tuple(pods) if pods is not None else tuple(plugin_pod(item.name) for item in known)
    revision = Revision("plugin-h1", HASH, 1, template_digest(subject.template))
    return Snapshot(
        at=0.0,
        nodes=known,
        pods=(*own, *others),
        components=(subject,),
        revisions=((subject.ref, (revision,) if revisions else ()),),
        namespaces_terminating=terminating,
    )


def spec(image: str = "r.test/plugin:2", **changes: object) -> RolloutSpec:
    values: dict[str, object] = {
        "name": "gpu",
        "component": REF,
        "change": ImagesChange((ContainerImage("plugin", image),)),
        "resources": (GPU,),
        **changes,
    }
    return RolloutSpec(**values)  # type: ignore[arg-type]


def selection(include: str = "", exclude: str = "") -> NodeSelection:
    kept = parse_selector(exclude) if exclude else None
    return NodeSelection(parse_selector(include), kept) if include else NodeSelection(exclude=kept)


def target(image: str = "r.test/plugin:2") -> JsonObject:
    return with_images(TEMPLATE, {"plugin": image})

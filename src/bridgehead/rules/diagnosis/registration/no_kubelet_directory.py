"""A device plugin mounts no directory of the kubelet.

Finds: a DaemonSet of a known family's image that mounts neither device-plugins nor
plugins_registry, whose pods run on nodes without a device of the family, where no other plugin of
the family runs.

Why: the plugin makes its socket in its own file system and looks for kubelet.sock there. Nobody
hears it; the pod is Ready and the log often quiet.

Sure: the template has no hostPath that leads to /var/lib/kubelet/device-plugins. Other programs of
the same image (feature discovery, MPS daemon) need none and are no plugins.

Do: mount /var/lib/kubelet/device-plugins at the same path in the container.
"""

from collections.abc import Iterable

from bridgehead.core.components.family import family_of
from bridgehead.core.components.generic import FAMILY as GENERIC
from bridgehead.core.components.registration import is_device_plugin, mounted
from bridgehead.core.components.resources import pods_of
from bridgehead.core.components.signature import Family
from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps
from bridgehead.core.diagnose.post import SETTLING
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.remedies import edit
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import set_ref
from bridgehead.core.diagnose.symptom import resource_key
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import canonical, child, children
from bridgehead.core.model.pod import Pod


def _check(scene: Scene) -> Iterable[Cause]:
    for component in sorted(scene.observed.snapshot.components, key=lambda item: item.ref):
        family = family_of(component.template)
        if family.name == GENERIC.name or is_device_plugin(component):
            continue
        if _other_program(component, family):
            continue
        pods = [
            pod
            for pod in pods_of(component, scene.observed.snapshot.pods)
            if pod.ready and pod.node in scene.nodes and _alone(scene, family, pod)
        ]
        if pods:
            yield _cause(scene, component, family, pods)


def _other_program(component: Component, family: Family) -> bool:
    """Whether its containers are told to run another program of the image."""
    spec = child(component.template, "spec")
    told = canonical([[it.get("command"), it.get("args")] for it in children(spec, "containers")])
    return any(name in told or name in component.name for name in family.other_programs)


def _alone(scene: Scene, family: Family, pod: Pod) -> bool:
    """Whether the node shows no device of the family and has no other plugin of it."""
    if scene.now - pod.created < SETTLING:
        return False
    offers = scene.nodes[pod.node].offers
    others = [post.plugin.family.name for post in scene.posts_by_node.get(pod.node, ())]
    return family.name not in others and not any(
        family.offers(name) and offer.allocatable for name, offer in offers.items()
    )


def _cause(scene: Scene, component: Component, family: Family, pods: list[Pod]) -> Cause:
    nodes = tuple(sorted({pod.node for pod in pods}))
    asked = sorted({name for pod in scene.waiting_pods for name in pod.requests})
    known = {item.key for item in scene.symptoms}
    short = [
        item.key
        for item in scene.symptoms_with("devices/")
        if item.node in nodes and family.offers(item.resource)
    ]
    names = [resource_key(name) for name in asked if family.offers(name)]
    paths = mounted(component.template)
    return Cause(
        message=f"{component.ref} mounts no directory of the kubelet, so it cannot register on "
        f"{listed(nodes)}",
        blame=Blame.CONFIGURATION,
        evidence=(
            Evidence(f"template of {component.ref}", f"hostPaths: {', '.join(paths) or 'none'}"),
            Evidence(f"status of pod {pods[0].ref}", "Ready"),
        ),
        refuted_by="a device of the family in the status of one of these nodes",
        object=set_ref(component),
        nodes=nodes,
        explains=tuple(sorted({*short, *(key for key in names if key in known)})),
        rollback_helps=RollbackHelps.UNKNOWN,
        actions=(
            edit(
                component,
                "Add a hostPath volume /var/lib/kubelet/device-plugins and mount it at the same "
                "path.",
            ),
        ),
    )


RULE = DiagnosisRule(
    name="no-kubelet-directory",
    severity=Severity.ERROR,
    level=3,
    references=("Kubernetes documentation: device plugins",),
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    check=_check,
)

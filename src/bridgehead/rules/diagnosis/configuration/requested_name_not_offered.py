"""Pods ask for a resource under a name that no node offers.

Finds: waiting pods that ask for a name that is on no node, where nodes offer other names of the
same domain, or where no plugin in the cluster offers names of that domain at all. Of names that
come from a table of models it counts as well that a node still shows the asked one as 0/0.

Why: names are made by the plugin: by its configuration (time-slicing, MIG), its version's table of
models (pci.ids, KubeVirt's permitted host devices) or its mode. The scheduler compares them letter
by letter and says Insufficient, as if devices were in use.

Sure: list the names that nodes offer and compare them with what the pods ask.

Do: ask for the name that is offered, or configure the plugin to offer the one that is asked. Where
only the id of a model is offered, the table in the image does not know it: use a newer image.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.own_device import own_alone
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.shortage import Lack, Shortage, lacks
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.findings.standing import few
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import text

_OF_A_TABLE = re.compile(r"/([0-9A-Fa-f]{4}|[A-Z0-9]+_[A-Za-z0-9_-]+)$")
"""A PCI device id, or the name of a model as pci.ids has it."""
_ID = re.compile(r"/[0-9A-Fa-f]{4}$")
_FPGA = "fpga.intel.com/"


def _check(scene: Scene) -> Iterable[Cause]:
    for lack in lacks(scene, Shortage.NEVER_REGISTERED, Shortage.PLUGIN_LOST):
        resource = lack.waiting.resource
        if resource.startswith(_FPGA) or _by_claims(scene, resource) or _own(scene, lack):
            continue
        siblings = _siblings(scene, resource)
        if lack.sort is Shortage.PLUGIN_LOST and not (siblings and _OF_A_TABLE.search(resource)):
            continue
        if siblings:
            yield _renamed(scene, lack, siblings)
        elif not _may_come(scene, resource):
            yield _nobody(scene, lack)


def _own(scene: Scene, lack: Lack) -> bool:
    """Whether a plugin's pods wait for what it would offer itself: that has a rule of its own."""
    pods = {pod.ref for pod in lack.waiting.pods}
    return any(
        own_alone(scene, plugin, lack.waiting.resource)
        for plugin in scene.plugins
        if pods & {pod.ref for pod in plugin.pods}
    )


def _by_claims(scene: Scene, resource: str) -> bool:
    """Whether a DeviceClass serves the name by resource claims (KEP-5004), without any plugin."""
    return any(
        text(item, "spec", "extendedResourceName") == resource
        for item in scene.observed.of_kind("DeviceClass")
    )


def _siblings(scene: Scene, resource: str) -> dict[str, tuple[str, ...]]:
    """Names of the same domain that have devices, with the nodes that offer them."""
    domain = resource.partition("/")[0]
    found: dict[str, list[str]] = {}
    for node in scene.nodes.values():
        for name, offer in node.offers.items():
            if name != resource and name.partition("/")[0] == domain and offer.allocatable:
                found.setdefault(name, []).append(node.name)
    return {name: tuple(nodes) for name, nodes in sorted(found.items())}


def _may_come(scene: Scene, resource: str) -> bool:
    """Whether a plugin that is there may offer the name once it works."""
    return any(
        plugin.family.offers(resource) or (not plugin.resources and not plugin.family.resources)
        for plugin in scene.plugins
    )


def _renamed(scene: Scene, lack: Lack, siblings: dict[str, tuple[str, ...]]) -> Cause:
    waiting = lack.waiting
    near = get_close_matches(waiting.resource, siblings, n=1, cutoff=0.0)[0]
    others = f" (and {', '.join(n for n in siblings if n != near)})" if len(siblings) > 1 else ""
    nodes = tuple(sorted({node for names in siblings.values() for node in names}))
    shown = "no node knows" if lack.sort is Shortage.NEVER_REGISTERED else "no node offers"
    return Cause(
        message=f"{waiting.who} {waiting.verb} {waiting.resource}, which {shown}; "
        f"nodes offer {near}{others}",
        blame=Blame.VERSION if _unnamed(waiting.resource, near) else Blame.CONFIGURATION,
        object=waiting.object,
        nodes=nodes,
        explains=waiting.explained,
        evidence=(
            *waiting.evidence,
            *(
                Evidence(f"status of node {name}", f"{near} {scene.nodes[name].offers[near]}")
                for name in siblings[near][:3]
            ),
        ),
        refuted_by=f"a node shows {waiting.resource} with devices",
        ruled_out=(
            RuledOut("a lost plugin", f"plugins of the domain are connected and offer {near}"),
            RuledOut("devices in use", f"{waiting.resource} has no devices on any node"),
        ),
        actions=(
            *(
                [Action(text=f"Use an image of the plugin whose table of names knows {near}.")]
                if _unnamed(waiting.resource, near)
                else []
            ),
            Action(
                text=f"Ask for {near} in the workload, or configure the plugin to offer "
                f"{waiting.resource}",
                command="kubectl get nodes -o custom-columns="
                "NAME:.metadata.name,ALLOCATABLE:.status.allocatable",
            ),
        ),
        rollback_helps=RollbackHelps.UNKNOWN,
    )


def _unnamed(asked: str, offered: str) -> bool:
    """Whether the table of names in the image lacks the model: only its id is offered."""
    return bool(_ID.search(offered) and _OF_A_TABLE.search(asked) and not _ID.search(asked))


def _nobody(scene: Scene, lack: Lack) -> Cause:
    waiting = lack.waiting
    offered = sorted({name for node in scene.nodes.values() for name in node.offers})
    shown = few(offered, 8) or "none"
    return Cause(
        message=f"{waiting.who} {waiting.verb} {waiting.resource}, and nothing in this cluster "
        "offers a name of that domain",
        blame=Blame.WORKLOAD,
        object=waiting.object,
        explains=waiting.explained,
        evidence=(*waiting.evidence, Evidence("names that nodes offer", shown)),
        refuted_by="a plugin for it is about to be installed, or nodes with it are about to join",
        ruled_out=(RuledOut("a lost plugin", "no DaemonSet of that family is there"),),
        actions=(
            Action(
                text="Correct the name in the workload, or install the plugin that offers it",
                command="kubectl get nodes -o custom-columns="
                "NAME:.metadata.name,ALLOCATABLE:.status.allocatable",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
        confidence=Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="requested-name-not-offered",
    severity=Severity.ERROR,
    level=4,
    supersedes=frozenset({"dead-resource-name"}),
    cases=("CONF-4",),
    references=(
        "NVIDIA/gpu-operator#551",
        "kubevirt/kubevirt#4950",
        "NVIDIA/kubevirt-gpu-device-plugin#20",
    ),
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.EVENTS}),
    check=_check,
)

"""Nothing makes a plugin that looks for devices once wait for what makes them.

Finds: SR-IOV's plugin, or AMD's before 1.31, without an init container or a shell that could wait,
and on the same nodes something that prepares them: a DaemonSet with a script that writes
sriov_numvfs, a SriovNetworkNodePolicy of an operator that does not restart this plugin, or a
DaemonSet that installs AMD's driver. It is silent where the plugin selects a label that nodes get
afterwards, and where the script uses kubectl, as it may see to the order itself.

Why: pods of two DaemonSets start in any order, anew after each reboot. A plugin that is first finds
nothing, stays Running, and the node has no devices until somebody restarts the plugin.

Sure: the plugin's log ends with "no devices in device pool", or with the start of its manager, and
its pod is older than the devices. That it goes well by chance, as images are pulled in a lucky
order, shows nothing. A preparation that lasts over reboots hurts on new nodes only.

Do: prepare in an init container of the plugin, let one wait there for the devices, or select a
label that is set when they are there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from bridgehead.core.components.node_preparation import (
    VIRTUAL_FUNCTIONS,
    Preparation,
    may_end_instead,
    needed_by,
    prepares,
    said_by,
)
from bridgehead.core.findings.claimants import share_nodes
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC
from bridgehead.core.inventory.config_maps import config_maps_of
from bridgehead.core.inventory.placement import label_conditions
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import JsonObject, texts

_POLICY = "SriovNetworkNodePolicy"
_RESTARTED = ("app", "sriov-device-plugin")
"""The pods that the SR-IOV network operator restarts after a change, in its own namespace. Source:
https://github.com/k8snetworkplumbingwg/sriov-network-operator (restartDevicePluginPod)."""


class _Maker(msgspec.Struct, frozen=True):
    """Who prepares nodes, which, and with what words; whether it restarts SR-IOV plugins."""

    ref: ObjectRef
    template: JsonObject
    said: str = ""
    restarts: bool = False


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    makers: dict[str, tuple[_Maker, ...]] = {}
    for plugin in linted.plugins:
        what = needed_by(plugin.template)
        if what is None:
            continue
        if what.family not in makers:
            makers[what.family] = tuple(_makers(linted, what))
        asked = [item.key for item in label_conditions(plugin.template) if item.positive]
        if not any(key.startswith(what.labels) for key in asked):
            others = [it for it in makers[what.family] if _unordered(it, plugin, asked)]
            yield from _judged(linted, plugin, what, others)


def _unordered(maker: _Maker, plugin: Manifest, asked: Iterable[str]) -> bool:
    """Whether it neither restarts the plugin nor names a label that the plugin waits for."""
    if maker.ref == plugin.ref or any(_names(maker.said, key) for key in asked):
        return False
    own = texts(plugin.template, "metadata", "labels").get(_RESTARTED[0]) == _RESTARTED[1]
    namespaces = {maker.ref.namespace, plugin.ref.namespace} - {""}
    return not (maker.restarts and own and len(namespaces) <= 1)


def _names(said: str, label: str) -> bool:
    """Whether a script has the label's name as a word: it may be what leads to the label."""
    word = re.escape(label.rpartition("/")[2])
    return re.search(rf"(?<![\w.-]){word}(?![\w.-])", said) is not None


def _judged(
    linted: Linted, plugin: Manifest, what: Preparation, makers: Iterable[_Maker]
) -> Iterator[Violation | Doubt]:
    cluster = linted.cluster
    nodes = cluster.snapshot.nodes if cluster is not None and cluster.has(Need.NODES) else None
    for maker in makers:
        meet = share_nodes(plugin.template, maker.template, nodes)
        if meet is None or (meet and may_end_instead(plugin.template)):
            unsure = "is on the same nodes" if meet is None else "is waited for by this release"
            yield Doubt(why=f"whether {maker.ref}, which {what.does}, {unsure} ({plugin.ref})")
        elif meet:
            yield Violation(
                manifest=plugin,
                path=POD_SPEC,
                message=f"{maker.ref} {what.does} on its nodes, and nothing makes the plugin wait:"
                " it looks for devices once, as it starts",
                evidence=(Evidence(str(maker.ref), what.does),),
            )
            return
    if cluster is not None and not cluster.has(Need.DAEMON_SETS):
        yield Doubt(why=f"whether a DaemonSet of the cluster {what.does} for {plugin.ref}")


def _makers(linted: Linted, what: Preparation) -> Iterator[_Maker]:
    """Those among the manifests first, then those that stand in the cluster."""
    written = {}
    for item in linted.of_kind("ConfigMap"):
        written[item.ref.namespace, item.ref.name] = item.data
    daemon_sets = {
        (it.ref.namespace, it.ref.name): it.template for it in linted.of_kind("DaemonSet")
    }
    for component in linted.cluster.snapshot.components if linted.cluster is not None else ():
        daemon_sets.setdefault((component.namespace, component.name), component.template)
    for (namespace, name), template in daemon_sets.items():
        maps = (_config_map(linted, written, namespace, it) for it in config_maps_of(template))
        scripts = (value for item in maps for value in texts(item, "data").values())
        said = "\n".join((said_by(template), *sorted(scripts)))
        if prepares(what, name, template, said):
            ref = ObjectRef("apps/v1", "DaemonSet", namespace, name)
            yield _Maker(ref, template, said)
    if what == VIRTUAL_FUNCTIONS:
        yield from _policies(linted)


def _config_map(
    linted: Linted, written: Mapping[tuple[str, str], JsonObject], namespace: str, name: str
) -> JsonObject:
    found = written.get((namespace, name)) or written.get(("", name))
    if found is None and linted.cluster is not None:
        found = linted.cluster.raw("ConfigMap", namespace, name)
    return found or {}


def _policies(linted: Linted) -> Iterator[_Maker]:
    """Policies by which the operator makes virtual functions, with the nodes that they select."""
    for policy in linted.of_kind(_POLICY):
        count, by_user = policy.at(("spec", "numVfs")), policy.at(("spec", "externallyManaged"))
        if isinstance(count, int) and count > 0 and by_user is not True:
            selector = policy.at(("spec", "nodeSelector"))
            wanted: JsonObject = selector if isinstance(selector, Mapping) else {}
            spec: JsonObject = {"nodeSelector": wanted, "tolerations": [{"operator": "Exists"}]}
            yield _Maker(policy.ref, {"spec": spec}, restarts=True)


RULE = LintRule(
    name="plugin-starts-before-its-devices",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    references=("sriov#276", "sriov#178", "ROCm#169", "sriov-network-operator PR#173"),
    helped_by=frozenset({Need.NODES, Need.DAEMON_SETS}),
    check=_check,
)

"""The plugin's DaemonSet wants no pod on any node.

Finds: a device plugin whose node selector, affinity or tolerations fit no node of the cluster, for
none of the reasons that have a rule of their own. Where no node has its devices and no pod asks for
them it is told as information: there is nothing to do for it.

Why: a DaemonSet that wants no pod looks finished, with 0 of 0 ready, and says nothing. Pods that
ask for the devices wait.

Sure: kubectl get daemonset NAME shows DESIRED 0; for each node the first predicate that fails is in
the evidence.

Do: correct the selector to what the nodes have, or label the nodes.
"""

from collections import Counter
from collections.abc import Iterable

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.device_signs import resources_of
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import daemon_set_key, pod_key, resource_key
from bridgehead.core.diagnose.unserved import Unserved
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.pod import Pod


def _check(scene: Scene) -> Iterable[Cause]:
    for plugin in scene.plugins:
        left = [item for item in scene.unserved if item.plugin is plugin]
        if not scene.nodes or scene.wanted_on(plugin) or any(_has_own_rule(it) for it in left):
            continue
        names = set(resources_of(scene, plugin))
        waiting = [pod for pod in scene.waiting_pods if not names.isdisjoint(pod.requests)]
        yield _cause(scene, plugin, left, waiting)


def _has_own_rule(item: Unserved) -> bool:
    return item.reason.name != "OTHER"


def _cause(scene: Scene, plugin: Plugin, left: list[Unserved], waiting: list[Pod]) -> Cause:
    component = plugin.component
    reasons = Counter(misfit(component.template, node) for node in scene.nodes.values())
    commonest = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))[:3]
    missed = bool(left or waiting)
    known = {item.key for item in scene.symptoms}
    keys = (
        daemon_set_key(component.namespace, component.name),
        *(pod_key(pod) for pod in waiting),
        *(
            resource_key(name)
            for name in sorted({name for pod in waiting for name in pod.requests})
        ),
        *(f"devices/{item.node.name}/{name}" for item in left for name in item.resources),
    )
    told = (
        "and no node has its devices, nor does a pod ask for them"
        if not missed
        else f"though {left[0].signs[0].source} shows {left[0].signs[0].text}"
        if left
        else f"though {len(waiting)} waiting pods ask for its devices"
    )
    return Cause(
        message=f"{component.ref} wants no pod on any of {len(scene.nodes)} nodes, {told}",
        blame=Blame.PLACEMENT if missed else Blame.EXPECTED,
        severity=Severity.ERROR if missed else Severity.INFO,
        evidence=(
            *(
                Evidence(f"template of {component.ref}, on {count} nodes", why)
                for why, count in commonest
            ),
            *(left[0].signs[:1] if left else ()),
        ),
        refuted_by="a node that meets everything its template asks for",
        object=ObjectRef("apps/v1", "DaemonSet", component.namespace, component.name),
        nodes=tuple(item.node.name for item in left),
        explains=tuple(dict.fromkeys(key for key in keys if key in known)),
        actions=(
            (remedies.edit(component, "Correct what it asks of nodes, or label the nodes."),)
            if missed
            else ()
        ),
        rollback_helps=RollbackHelps.UNKNOWN,
        ruled_out=(
            RuledOut("pods that are refused or fail", "none is wanted, so that none was made"),
        ),
    )


RULE = DiagnosisRule(
    name="plugin-wanted-nowhere",
    severity=Severity.ERROR,
    level=1,
    references=("https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS, Need.PODS}),
    helped_by=frozenset({Need.HISTORY, Need.REVISIONS}),
    check=_check,
)

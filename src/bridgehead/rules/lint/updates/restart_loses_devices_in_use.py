"""An update restarts a plugin that will not find the devices that pods hold.

Finds: a change to a plugin of a family that finds only idle devices after a restart (SR-IOV), while
pods on its nodes hold devices of it.

Why: devices in use have moved into the network namespaces of pods, and the restarted plugin offers
the rest: capacity falls below what is in use, and nothing is scheduled there until the pods are
gone and the plugin has been restarted once more.

Sure: compare the requests of the node's pods (kubectl describe node NODE) with its capacity.

Do: let the node become idle first: cordon it, wait or drain, then restart the plugin there.
"""

from collections.abc import Iterable

from bridgehead.core.components.family import family_of
from bridgehead.core.components.resources import offered_by
from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Violation, component_of
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few, standing, template_changes
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.pod import Pod


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    assert linted.cluster is not None
    snapshot = linted.cluster.snapshot
    for plugin in linted.plugins:
        live = standing(linted, plugin)
        if live is None or not family_of(plugin.template).shrinks_when_busy:
            continue
        by_itself = component_of(plugin).strategy_type == "RollingUpdate"
        if not (by_itself and template_changes(plugin, live.template)):
            continue
        offered = offered_by(snapshot.components, snapshot.nodes, snapshot.pods).get(live.ref)
        names = offered.resources if offered else ()
        where = {node.name for node in eligible_nodes(linted, plugin)}
        busy = sorted(
            {pod.node for pod in snapshot.pods if pod.node in where and _holds(pod, names)}
        )
        if busy and offered and offered.confidence is Confidence.LOW:
            yield Doubt(why=f"whether {live.ref} offers {few(names)}, which pods hold")
        elif busy and offered:
            yield Violation(
                manifest=plugin,
                path=("spec", "template"),
                message=f"pods hold {', '.join(names)} on {few(busy)}: after its restart the plugin"
                " offers only the idle devices there",
                confidence=offered.confidence,
            )


def _holds(pod: Pod, names: Iterable[str]) -> bool:
    return pod.bound and not pod.terminal and any(pod.requests.get(name) for name in names)


RULE = LintRule(
    name="restart-loses-devices-in-use",
    severity=Severity.WARNING,
    references=(
        "k8snetworkplumbingwg/sriov-network-operator#1028",
        "k8snetworkplumbingwg/sriov-network-device-plugin#565",
    ),
    needs=frozenset({Need.DAEMON_SETS, Need.NODES, Need.PODS}),
    check=_check,
)

"""A device plugin answers GetPreferredAllocation with an error.

Finds: pods that failed with UnexpectedAdmissionError because the plugin would not say which of its
free devices it prefers, for a reason other than a lost device or the size of the message.

Why: the call is a part of admission: where a plugin offers it and it fails, the pod is refused,
although any free device would have done.

Sure: the pod's message names GetPreferredAllocation. Pods that ask for all devices of a node are
not refused, as there is nothing to choose.

Do: act on the plugin's words. Often a device that it can no longer ask about is the reason: look at
the plugin's log on that node.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.allocation_errors import Known, known
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.refusal_cause import refusal_cause
from bridgehead.core.diagnose.refusals import (
    Refused,
    by_resource,
    clearing,
    counted,
    nodes_of,
    post_of,
    refused_pods,
)
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule

_OTHERS = (Known.TOO_LARGE, Known.DEVICE_LOST, Known.SOCKET_GONE)


def _check(scene: Scene) -> Iterable[Cause]:
    for resource, found in by_resource(refused_pods(scene, Refusal.PREFERRED)).items():
        plain = tuple(item for item in found if known(item.said) not in _OTHERS)
        if plain:
            yield _cause(scene, resource, plain)


def _cause(scene: Scene, resource: str, found: tuple[Refused, ...]) -> Cause:
    nodes, first = nodes_of(found), found[0]
    post = post_of(scene, first.pod.node, resource)
    plugin = post.pod if post is not None else None
    who = f"pod {plugin.ref}" if plugin is not None else f"the plugin of {resource}"
    command = (
        f"kubectl logs -n {plugin.namespace} {plugin.name} --tail=100"
        if plugin is not None
        else f"kubectl get pods -A --field-selector=spec.nodeName={first.pod.node}"
    )
    return refusal_cause(
        found,
        message=f"{who} fails to say which {resource} it prefers on {', '.join(nodes)}: "
        f"{first.said.said or first.said.text}; {counted(found)} failed",
        blame=Blame.VERSION,
        refuted_by="pods that ask for all devices of the node are refused as well",
        ruled_out=(
            RuledOut("missing devices", "the call is made only where more are free than needed"),
            RuledOut("the size of the list", "the answer is not ResourceExhausted"),
        ),
        actions=(
            Action(text="Read the plugin's own words about it", command=command),
            *clearing(found),
        ),
        rollback=RollbackHelps.UNKNOWN,
    )


RULE = DiagnosisRule(
    name="preferred-allocation-fails",
    severity=Severity.ERROR,
    level=4,
    references=("kubernetes#97131",),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.DAEMON_SETS}),
    check=_check,
)

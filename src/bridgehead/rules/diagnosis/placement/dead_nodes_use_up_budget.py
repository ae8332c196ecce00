"""Dead nodes use up the budget of a rolling update.

Finds: a plugin's update that stands still because as many of its pods as maxUnavailable allows are
on nodes that are not ready.

Why: the controller counts a pod on a dead node as unavailable, and replaces no further pod while
that many are. With the default of 1 a single dead node stops the update of all others.

Sure: every unavailable pod is on a node that is NotReady or Unknown, and healthy nodes still have
the former revision.

Do: remove the dead nodes from the cluster, or raise maxUnavailable by their number, knowingly.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.rolling_update import RollingUpdate, rolling_updates
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import daemon_set_key, pod_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    for update in rolling_updates(scene):
        dead = update.unavailable_on_dead
        if update.old_on_ready and dead and len(dead) >= update.max_unavailable:
            yield _cause(scene, update, dead)


def _cause(scene: Scene, update: RollingUpdate, dead: tuple[str, ...]) -> Cause:
    component = update.plugin.component
    known = {item.key for item in scene.symptoms}
    keys = (
        daemon_set_key(component.namespace, component.name),
        *(pod_key(pod) for pod in update.plugin.pods if pod.node in dead),
    )
    alive = update.unavailable_on_ready
    return Cause(
        message=(
            f"the update of {component.ref} stands still: {len(dead)} of its pods are on nodes "
            f"that are not ready ({listed(dead)}) and "
            f"use up maxUnavailable {update.max_unavailable}"
        ),
        blame=Blame.PLACEMENT,
        evidence=(
            Evidence(f"status of {component.ref}", update.counts),
            *(Evidence(f"conditions of node {name}", "Ready is not True") for name in dead[:3]),
        ),
        refuted_by="these nodes ready again, and no further pod replaced",
        object=ObjectRef("apps/v1", "DaemonSet", component.namespace, component.name),
        nodes=dead,
        explains=tuple(key for key in keys if key in known),
        actions=(
            Action(
                text="Remove nodes that will not come back.",
                command=f"kubectl get nodes {' '.join(dead)}",
                rung="runbook",
            ),
            Action(
                text="Or allow more unavailable pods, counting the dead nodes.",
                command=f"kubectl patch daemonset/{component.name} -n {component.namespace} "
                "--type=merge -p '"
                '{"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":'
                f"{len(dead) + update.max_unavailable}}}}}}}}}'",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(
            (RuledOut("a bad version", "no pod on a ready node is unavailable"),)
            if not alive
            else ()
        ),
    )


RULE = DiagnosisRule(
    name="dead-nodes-use-up-budget",
    severity=Severity.ERROR,
    level=1,
    cases=("PLACE-8",),
    references=("kubernetes/test-infra#31706", "kubernetes#117204", "kubernetes#63465"),
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    check=_check,
)

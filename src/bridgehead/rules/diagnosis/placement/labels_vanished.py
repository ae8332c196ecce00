"""Labels that the plugin selects vanished from nodes.

Finds: a DaemonSet that has lost nodes without a new revision: nodes lack a label that it selects
and had its devices until lately, or its controller has just deleted pods there and the labels are
back.

Why: a restart, a crash or a new configuration of Node Feature Discovery takes labels away for a
while. The controller deletes the plugin's pods at once; a driver's DaemonSet that follows the same
labels installs its driver anew, under running workloads.

Sure: the pods were deleted, not crashed (SuccessfulDelete of the DaemonSet), the revision is older,
and the label's time in the node's managedFields or a restart of its writer is of the same moment.

Do: mend what writes the labels (memory, garbage collection, version); nothing at the plugin, whose
pods return with the labels.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.label_loss import LabelLoss, label_losses
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence


def _check(scene: Scene) -> Iterable[Cause]:
    for loss in label_losses(scene):
        yield _cause(loss)


def _cause(loss: LabelLoss) -> Cause:
    writer = f", and {loss.writer_trouble[0].text}" if loss.writer_trouble else ""
    back = " and has them again" if loss.returned else ""
    labels = ", ".join(loss.labels)
    return Cause(
        message=(
            f"{loss.component.ref} lost {loss.where}: the labels it selects ({labels}) "
            f"vanished there{back}{writer}"
        ),
        blame=Blame.PLACEMENT,
        evidence=_evidence(loss),
        refuted_by="a new revision of the DaemonSet, or a person, at the same moment",
        object=loss.object,
        nodes=loss.nodes,
        explains=loss.explains,
        actions=_actions(loss),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(
            RuledOut("a change of the plugin", "its template is older than the loss"),
            RuledOut("a crash of the plugin", "its pods were deleted by their controller"),
        ),
        confidence=Confidence.HIGH if loss.writer_trouble else Confidence.MEDIUM,
    )


def _evidence(loss: LabelLoss) -> tuple[Evidence, ...]:
    return (*loss.evidence, *loss.writer_trouble[:2])


def _actions(loss: LabelLoss) -> tuple[Action, ...]:
    wait = Action(
        text="Leave the plugin alone: its pods return with the labels.",
        command=f"kubectl get nodes -L {','.join(loss.labels)}",
        rung="R0",
    )
    writers = tuple(
        Action(
            text=f"Find out why {name} lost the labels: its log and its last end.",
            command=f"kubectl describe pod -n {namespace} {name}",
        )
        for namespace, name in loss.writer_pods[:1]
    )
    return (wait, *writers)


RULE = DiagnosisRule(
    name="labels-vanished",
    severity=Severity.ERROR,
    level=1,
    cases=("PLACE-7",),
    references=("gpu-op#580", "gpu-op#782", "gpu-op#1469"),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.PODS, Need.EVENTS, Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-pod-missing"}),
    check=_check,
)

"""A cause about pods that kubelets refused: what all such causes have in common."""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.refusals import Refused, nodes_of, object_of, told
from bridgehead.core.findings.finding import Severity
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence


def refusal_cause(
    found: tuple[Refused, ...],
    *,
    message: str,
    blame: Blame,
    refuted_by: str,
    actions: Iterable[Action],
    evidence: Iterable[Evidence] = (),
    ruled_out: Iterable[RuledOut] = (),
    rollback: RollbackHelps = RollbackHelps.NO,
    confidence: Confidence | None = None,
    severity: Severity | None = None,
) -> Cause:
    """The cause, on the nodes of the refused pods; their own words come before the evidence given.

    A rollback does not help unless told otherwise: a refusal is a kubelet's, whatever the version.
    """
    return Cause(
        message=message,
        blame=blame,
        object=object_of(found),
        nodes=nodes_of(found),
        explains=tuple(item.key for item in found),
        evidence=(*told(found), *evidence),
        refuted_by=refuted_by,
        actions=tuple(actions),
        ruled_out=tuple(ruled_out),
        rollback_helps=rollback,
        confidence=confidence,
        severity=severity,
    )

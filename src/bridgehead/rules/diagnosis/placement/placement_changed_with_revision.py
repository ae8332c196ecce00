"""A new revision of the plugin wants fewer nodes than the one before.

Finds: nodes with devices that the former template of the DaemonSet wants and the standing one does
not: its node selector, required affinity or tolerations have changed. A change of more than a day
ago that nothing is seen to suffer by is told as information.

Why: placement is judged at once, under every update strategy. Pods on such nodes are deleted within
seconds, the devices go to N/0 and after five minutes to 0/0; no event says why.

Sure: the number of wanted pods fell with the newest revision; kubectl rollout history
daemonset/NAME --revision=N shows each template.

Do: go back to the former revision, or give the nodes what the new one asks for; then change again.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.left_out import LeftOut, left_out
from bridgehead.core.diagnose.revisions import former_of, templates_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.unserved import Reason
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.inventory.placement import placing
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import canonical

_LATELY = 86400.0
"""Seconds after a change in which it is told even if nothing is seen to suffer by it yet."""


def _check(scene: Scene) -> Iterable[Cause]:
    for item in left_out(scene, Reason.REVISION):
        standing, _ = former_of(templates_of(scene, item.component))
        fresh = standing is not None and scene.now - (standing.at or scene.now) < _LATELY
        yield _cause(item, None if fresh else item.severity)


def _cause(item: LeftOut, severity: Severity | None) -> Cause:
    first, former = item.first, item.first.former
    assert former is not None
    component = item.component
    before, after = placing(former.template), placing(component.template)
    changed = sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
    return Cause(
        message=(
            f"the newest revision of {component.ref} leaves out {item.where}, which the one before "
            f"wanted: {first.misfits[0].text}"
        ),
        blame=Blame.PLACEMENT,
        evidence=(
            *(
                Evidence(
                    f"{key} of {component.ref}, before and now",
                    f"{canonical(before.get(key))} -> {canonical(after.get(key))}",
                )
                for key in changed
            ),
            *first.signs[:2],
        ),
        refuted_by=f"revision {former.number} put back, and the nodes are still left out",
        object=item.object,
        nodes=item.nodes,
        explains=item.explains,
        severity=severity,
        actions=(
            remedies.roll_back(component),
            remedies.edit(component, f"Or keep the revision and mend its {', '.join(changed)}."),
        ),
        rollback_helps=RollbackHelps.YES,
        ruled_out=(
            RuledOut(
                "labels that vanished", f"revision {former.number} would still want {item.where}"
            ),
        ),
    )


RULE = DiagnosisRule(
    name="placement-changed-with-revision",
    severity=Severity.ERROR,
    level=1,
    cases=("PLACE-2",),
    references=("siderolabs/talos#12103", "NVIDIA#708"),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS, Need.REVISIONS}),
    helped_by=frozenset({Need.HISTORY}),
    check=_check,
)

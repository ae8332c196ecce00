"""What writes the label that the plugin selects does not run on the node.

Finds: nodes with devices that lack a label which a DaemonSet writes (Node Feature Discovery, GPU
Feature Discovery, AMD's node labeller), while that DaemonSet itself wants no pod there. Where
nothing is seen to suffer by it, it is told as information.

Why: it is the second hop: the plugin waits for a label, and its writer is kept away by a taint or a
selector of its own. Nothing crashes and nothing is reported.

Sure: the plugin's own predicates fail on that label alone; kubectl get pods -A -o wide shows no pod
of the writer on the node.

Do: let the writer tolerate the node's taints, key and value; the plugin follows by itself.
"""

from collections.abc import Iterable

from bridgehead.core.components.label_writers import writer_of
from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.left_out import LeftOut, left_out
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.unserved import Reason, writers_kept_away
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    for item in left_out(scene, Reason.WRITER_AWAY):
        yield _cause(scene, item)


def _cause(scene: Scene, item: LeftOut) -> Cause:
    first = item.first
    label, (writer, why) = next(
        (asked.key, away[0])
        for asked in first.failing
        for away in [writers_kept_away(scene, asked.key, first.node)]
        if away
    )
    known = writer_of(label)
    name = known.name if known else "its writer"
    return Cause(
        message=(
            f"{item.component.ref} waits on {item.where} for the label {label}, and {name}, which "
            f"writes it, has no pod there: {writer.ref} {why}"
        ),
        blame=Blame.PLACEMENT,
        evidence=(
            Evidence(f"template of {item.component.ref}", first.misfits[0].text),
            Evidence(f"template of {writer.ref}", f"on node {first.node.name}: {why}"),
            *first.signs[:2],
        ),
        refuted_by=f"a pod of {writer.ref} on one of these nodes",
        object=ObjectRef("apps/v1", "DaemonSet", writer.namespace, writer.name),
        nodes=item.nodes,
        explains=item.explains,
        severity=item.severity,
        actions=(remedies.edit(writer, f"Let {name} run there: mend what keeps it away ({why})."),),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(
            RuledOut("the plugin itself", "it fails on nothing but labels that are not written"),
        ),
    )


RULE = DiagnosisRule(
    name="label-writer-kept-away",
    severity=Severity.ERROR,
    level=1,
    references=("gpu-op#1469", "https://nfd.sigs.k8s.io/deployment/"),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY}),
    check=_check,
)

"""The plugin selects a label that its nodes have in another shape.

Finds: a device plugin's DaemonSet that leaves out nodes with its devices, because it asks for a
label that these nodes do not have, while they have the same thing under another key or value.

Why: the DaemonSet controller compares keys and values letter by letter. A node that fails wants no
pod, without any event: the DaemonSet looks complete and the node offers no devices.

Sure: kubectl get node NODE --show-labels has the sibling label and not the one that is asked for.
For Node Feature Discovery the setting sources.pci.deviceLabelFields decides the shape.

Do: let the writer of the label write the shape that is asked for (deviceLabelFields: [vendor]), or
change the plugin's affinity to the label that the nodes have.
"""

from collections.abc import Iterable

from bridgehead.core.components.label_writers import NFD, writer_of
from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.left_out import LeftOut, left_out
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.unserved import Reason, shapes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    for item in left_out(scene, Reason.SHAPE):
        yield _cause(item)


def _cause(item: LeftOut) -> Cause:
    first = item.first
    asked, near = shapes(first.plugin, first.node)[0]
    said = f"asks for {asked}, and {item.where} {item.has} {near}"
    return Cause(
        message=f"{item.component.ref} leaves out {item.where} with its devices: it {said}",
        blame=Blame.PLACEMENT,
        evidence=(
            Evidence(f"template of {item.component.ref}", first.misfits[0].text),
            Evidence(f"labels of node {first.node.name}", near),
            *first.signs[:2],
        ),
        refuted_by=f"a node with the label {asked} that is left out all the same",
        object=item.object,
        nodes=item.nodes,
        explains=item.explains,
        actions=(*_labels(asked.key), remedies.edit(item.component, f"Select {near} instead.")),
        rollback_helps=RollbackHelps.UNKNOWN,
        ruled_out=(
            RuledOut(
                "nodes without such devices", f"{first.signs[0].source}: {first.signs[0].text}"
            ),
        ),
    )


def _labels(key: str) -> Iterable[Action]:
    if writer_of(key) is NFD and ".kubernetes.io/pci-" in key:
        yield Action(
            text="Let Node Feature Discovery write labels of the vendor alone: "
            "sources.pci.deviceLabelFields: [vendor] in its worker's configuration.",
            command="kubectl get configmaps -A -l app.kubernetes.io/name=node-feature-discovery",
        )


RULE = DiagnosisRule(
    name="label-of-another-shape",
    severity=Severity.ERROR,
    level=1,
    cases=("PLACE-1",),
    references=("NVIDIA#1213", "gpu-op#78", "gpu-op#1469"),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"labels-vanished"}),
    check=_check,
)

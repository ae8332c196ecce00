"""The plugin does not tolerate a taint of nodes that have its devices.

Finds: nodes with devices that meet everything that a plugin's DaemonSet asks of labels, or that of
its driver, and have a taint that it does not tolerate: no toleration for the key, or Equal with
another value. Where nothing is seen to suffer by it, it is told as information.

Why: the controller wants no pod on a node with an untolerated taint and says nothing about it. The
node offers no devices, and pods that do tolerate the taint wait for them.

Sure: compare spec.taints of the node with spec.template.spec.tolerations. The former annotation
scheduler.alpha.kubernetes.io/critical-pod has no effect any more.

Do: add a toleration with operator Exists for the key, also for those of spot pools.
"""

from collections.abc import Iterable

from bridgehead.core.components.operands import Operand, operand_of
from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.left_out import LeftOut, left_out
from bridgehead.core.diagnose.operand_faults import waiting_in
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import explained, listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.unserved import Reason, passes
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.inventory.placement import misfits
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import canonical, children


def _check(scene: Scene) -> Iterable[Cause]:
    for item in left_out(scene, Reason.TAINT):
        yield _cause(item)
    components = sorted(scene.observed.snapshot.components, key=lambda item: item.ref)
    for component in components:
        operand = operand_of(component.name, component.template)
        kept = [post for post in scene.posts if operand and _kept_away(component, post)]
        if operand and kept:
            yield _of_operand(scene, component, operand, kept)


def _kept_away(component: Component, post: Post) -> bool:
    """A plugin fails or waits on a node that only a taint keeps its driver or toolkit away from."""
    if not (post.failing or waiting_in(post)) or post.node.ready is not True:
        return False
    missed = list(misfits(component.template, post.node))
    return bool(missed) and all(
        item.taint is not None and not passes(item.taint) for item in missed
    )


def _of_operand(scene: Scene, component: Component, operand: Operand, posts: list[Post]) -> Cause:
    node = posts[0].node
    taints = [item.taint for item in misfits(component.template, node) if item.taint]
    nodes = tuple(sorted({post.node.name for post in posts}))
    named = ", ".join(map(str, taints))
    return Cause(
        message=(
            f"{component.ref}, which brings the {operand.value}, leaves out {listed(nodes)}: it "
            f"does not tolerate {named}"
        ),
        blame=Blame.PLACEMENT,
        evidence=(
            Evidence(f"taints of node {node.name}", ", ".join(map(str, node.taints))),
            Evidence(
                f"tolerations of {component.ref}",
                canonical(list(children(component.template, "spec", "tolerations"))),
            ),
        ),
        refuted_by="the taint removed from one of the nodes, and still no pod there",
        object=ObjectRef("apps/v1", "DaemonSet", component.namespace, component.name),
        nodes=nodes,
        explains=explained(scene, posts),
        actions=tuple(
            remedies.edit(
                component,
                f"Add a toleration {{key: {it.key}, operator: Exists, effect: {it.effect}}}.",
            )
            for it in taints
        ),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(RuledOut("the plugin", f"it is there, and has no {operand.value}"),),
    )


def _cause(item: LeftOut) -> Cause:
    first = item.first
    taints = sorted({it.taint for each in item.items for it in each.misfits if it.taint}, key=str)
    named = ", ".join(map(str, taints))
    tolerations = list(children(item.component.template, "spec", "tolerations"))
    return Cause(
        message=f"{item.component.ref} leaves out {item.where}: it does not tolerate {named}",
        blame=Blame.PLACEMENT,
        evidence=(
            Evidence(f"taints of node {first.node.name}", ", ".join(map(str, first.node.taints))),
            Evidence(f"tolerations of {item.component.ref}", canonical(tolerations)),
            *first.signs[:2],
        ),
        refuted_by="the taint removed from one of the nodes, and still no pod there",
        object=item.object,
        nodes=item.nodes,
        explains=item.explains,
        severity=item.severity,
        actions=tuple(
            remedies.edit(
                item.component,
                f"Add a toleration {{key: {key}, operator: Exists, effect: {effect}}}.",
            )
            for key, effect in sorted({(taint.key, taint.effect) for taint in taints})
        ),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(RuledOut("labels", f"{item.where} {item.meets} everything it asks of labels"),),
    )


RULE = DiagnosisRule(
    name="taint-not-tolerated",
    severity=Severity.ERROR,
    level=1,
    cases=("PLACE-4",),
    references=("NVIDIA#68", "nebari-dev/nebari#3074", "Azure/AKS#4418"),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY, Need.PODS}),
    supersedes=frozenset({"driver-not-visible", "plugin-crashes", "plugin-never-registers"}),
    check=_check,
)

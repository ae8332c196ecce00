"""The kubelet's registration server does not answer any more.

Finds: device plugins of a node whose logs say that kubelet.sock refuses the connection, while the
node is Ready and shows none of their devices, a minute and more after the kubelet's start.

Why: the server behind kubelet.sock has ended and the kubelet goes on without it. No plugin of the
node can register until the kubelet starts anew.

Sure: all plugins of the node fail alike, at once; one alone would be a fault of its own. "no such
file" would be a wrong directory. Kubelets since 1.32 report it in /healthz; that of 1.37 does not
try again either.

Do: keep new pods away, drain the node, and restart or upgrade its kubelet. Neither a rollback nor a
restart of plugins helps.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import SETTLING
from bridgehead.core.diagnose.reach import explained, listed
from bridgehead.core.diagnose.remedies import cordon, restart_kubelet
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.told import Told, kubelet_quotes, told
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.model.confidence import Confidence


def _check(scene: Scene) -> Iterable[Cause]:
    refused: dict[str, list[Told]] = {}
    for group in told(scene, "kubelet-socket-refused"):
        for item in group:
            refused.setdefault(item.post.node.name, []).append(item)
    for node, items in sorted(refused.items()):
        start = scene.kubelet_starts.get(node)
        if start is None or scene.now - start.at >= SETTLING:
            yield _cause(scene, node, items)


def _cause(scene: Scene, node: str, items: list[Told]) -> Cause:
    mine = {item.post.plugin.component.ref for item in items}
    others = [post for post in scene.posts_by_node[node] if post.plugin.component.ref not in mine]
    well = sorted(post.plugin.component.ref for post in others if post.sound)
    all_of_them = len(items) > 1 and not well
    by = f"{len(items)} plugins of the node fail alike" if all_of_them else ""
    posts = [item.post for item in items]
    return Cause(
        message=f"the registration server of the kubelet on {node} does not answer: "
        f"{listed(mine)} cannot register there",
        blame=Blame.KUBELET,
        evidence=(
            *(item.quote.evidence for item in items[:3]),
            *(line.evidence for line in kubelet_quotes(scene, node, "server-ended")),
        ),
        refuted_by="a plugin that registers on the same node now",
        object=ObjectRef("v1", "Node", "", node),
        nodes=(node,),
        explains=explained(scene, posts),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(
            RuledOut("a wrong directory", "the error is not: no such file"),
            RuledOut("SELinux or the user", "the error is not: permission denied"),
            *([RuledOut("a fault of one plugin", by)] if by else []),
        ),
        actions=(
            cordon([node], "no plugin can register there"),
            restart_kubelet(node),
        ),
        confidence=Confidence.HIGH if all_of_them else Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="registration-server-dead",
    severity=Severity.ERROR,
    level=3,
    references=("kubernetes#125506", "kubernetes PR#128432"),
    cases=("ZERO-6",),
    helped_by=frozenset(
        {
            Need.NODES,
            Need.PODS,
            Need.DAEMON_SETS,
            Need.LOGS,
            Need.EVENTS,
            Need.NODE_EVIDENCE,
        }
    ),
    supersedes=frozenset({"plugin-crashes", "plugin-never-registers", "kubelet-restart-missed"}),
    check=_check,
)

"""A cause about one plugin on some of its nodes: what all such causes have in common."""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import explained, listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence


def plugin_cause(
    scene: Scene,
    posts: Sequence[Post],
    *,
    message: str,
    blame: Blame,
    evidence: Iterable[Evidence],
    refuted_by: str,
    rollback: RollbackHelps = RollbackHelps.UNKNOWN,
    actions: Iterable[Action] = (),
    ruled_out: Iterable[RuledOut] = (),
    confidence: Confidence | None = None,
    severity: Severity | None = None,
) -> Cause:
    """The cause; the message is completed by the DaemonSet and the nodes, which come before it.

    ``posts`` are of one plugin; evidence that is given twice is shown once.
    """
    component = posts[0].plugin.component
    nodes = tuple(sorted({post.node.name for post in posts}))
    where = f"node {nodes[0]}" if len(nodes) == 1 else f"nodes {listed(nodes)}"
    return Cause(
        message=f"{component.ref} on {where}: {message}",
        blame=blame,
        evidence=tuple(dict.fromkeys(evidence)),
        refuted_by=refuted_by,
        object=ObjectRef("apps/v1", "DaemonSet", component.namespace, component.name),
        nodes=nodes,
        explains=explained(scene, posts),
        actions=tuple(actions),
        rollback_helps=rollback,
        ruled_out=tuple(ruled_out),
        confidence=confidence,
        severity=severity,
    )

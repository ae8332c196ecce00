"""A cause that lies with a plugin on some nodes, with what its reach says filled in."""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import explained, former_ran, reach_of
from bridgehead.core.diagnose.remedies import roll_back
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import begun_with_version
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.confidence import Confidence


def set_ref(component: Component) -> ObjectRef:
    """The names of a plugin's DaemonSet."""
    return ObjectRef("apps/v1", "DaemonSet", component.namespace, component.name)


def scoped_cause(
    scene: Scene,
    posts: Sequence[Post],
    *,
    message: str,
    evidence: Iterable[Evidence],
    refuted_by: str,
    blame: Blame,
    actions: Iterable[Action] = (),
    rollback: RollbackHelps | None = None,
    of_version: bool = False,
    by_past: bool = False,
    ruled_out: Iterable[RuledOut] = (),
    remedy: str = "",
    confidence: Confidence | None = None,
    severity: Severity | None = None,
) -> Cause:
    """The cause for these posts of one plugin.

    With ``rollback`` given, blame and rollback are the caller's: the reach cannot change them.
    Else the reach decides between version and node, and ``blame`` holds where it does not. Where
    the former version is known to run, going back to it comes first. ``of_version`` marks faults
    that a node cannot bring about by itself: where the nodes do not decide, it is enough for them
    that the devices were there until this version came. ``by_past`` marks faults that a node or a
    version may bring about: where no node is sound, the past of these nodes decides.
    """
    reach = reach_of(scene, posts)
    helps, excluded = rollback or reach.rollback, reach.ruled_out
    if of_version and reach.blame is None and former_ran(scene, posts):
        blame, helps = Blame.VERSION, rollback or RollbackHelps.YES
    elif by_past and not rollback and (verdict := begun_with_version(scene, posts)):
        blame, helps, excluded = verdict.blame, verdict.rollback, verdict.ruled_out
    found = blame if rollback else reach.blame or blame
    back = [roll_back(posts[0].plugin.component)] if helps is RollbackHelps.YES else []
    return Cause(
        message=message,
        blame=found,
        evidence=tuple(dict.fromkeys(evidence)),
        refuted_by=refuted_by,
        object=set_ref(posts[0].plugin.component),
        nodes=reach.nodes,
        explains=explained(scene, posts),
        remedy=remedy,
        actions=(*back, *actions),
        rollback_helps=helps,
        ruled_out=(*ruled_out, *(() if rollback else excluded)),
        confidence=confidence,
        severity=severity,
    )


def shown(posts: Iterable[Post], most: int = 3) -> list[Evidence]:
    """What the nodes of these posts show of the plugins' resources."""
    found = [
        Evidence(f"status of node {post.node.name}", f"{name} {post.shown(name)}")
        for post in posts
        for name in post.short or post.vain or post.names
    ]
    return found[:most]


def offering(posts: Sequence[Post]) -> str:
    """The resources that are missing, in words."""
    names = sorted({name for post in posts for name in post.short or post.vain or post.names})
    return ", ".join(names) or "its resource"

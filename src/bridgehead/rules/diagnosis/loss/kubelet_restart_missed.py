"""A plugin has not noticed that its kubelet was started anew.

Finds: a plugin whose process is older than the last start of its kubelet, on a node that is Ready
again for more than a minute and shows none of the plugin's devices, while nothing in its log says
that it has registered since.

Why: a kubelet that starts forgets all plugins and deletes their sockets. A plugin has to watch for
that and register again; one that watches the wrong directory, or not at all, stays unheard.

Sure: all resources of the node fell together at the kubelet's start, others came back and this one
did not. Node event "Starting kubelet."; values in the first minute say nothing.

Do: restart the plugin's pod on that node.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.losing import (
    NOT_REGISTERED,
    NOTHING_FOUND,
    UNHEALTHY,
    fell_together,
    gone,
    just_started,
    never_spoke,
    offered_while_alive,
    restarted_under,
    says_any,
)
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed, reach_of
from bridgehead.core.diagnose.remedies import restart_plugins
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence, stamp
from bridgehead.core.model.confidence import Confidence


def _check(scene: Scene) -> Iterable[Cause]:
    proofs: dict[tuple[str, str], Evidence] = {}
    posts = []
    for post in scene.posts:
        proof = _proof(scene, post)
        if proof:
            proofs[post.plugin.component.ref, post.node.name] = proof
            posts.append(post)
    for group in by_plugin(posts):
        yield _cause(scene, group, proofs)


def _proof(scene: Scene, post: Post) -> Evidence | None:
    """What tells of a kubelet's start that the plugin has lived through without registering."""
    names = gone(post)
    if not names or just_started(scene, post.node.name):
        return None
    if says_any(post, UNHEALTHY, NOTHING_FOUND, NOT_REGISTERED):
        return None
    start = restarted_under(scene, post)
    if start is not None and not _registered_since(post, start.at):
        return None if _never_did(scene, post) else start.evidence
    if start is not None or "kubelet-back" in post.quotes:
        return None
    for name in names:
        history = scene.trajectory(post.node.name, name)
        lived_through = history.fell_at_once and offered_while_alive(scene, post, name)
        if lived_through and fell_together(scene, history):
            return history.evidence
    return None


def _never_did(scene: Scene, post: Post) -> bool:
    """Whether this version has never registered: its whole log is silent, and others are sound."""
    if not never_spoke(post) or any(offered_while_alive(scene, post, it) for it in post.names):
        return False
    return reach_of(scene, [post]).blame is Blame.VERSION


def _registered_since(post: Post, at: float) -> bool:
    """Whether its log tells of a registration after that time, or of having noticed it."""
    registered = post.quotes.get("registered")
    if registered and registered.at is not None:
        return registered.at > at
    noticed = post.quotes.get("kubelet-back")
    return noticed is not None and (noticed.at is None or noticed.at > at)


def _cause(scene: Scene, posts: Sequence[Post], proofs: dict[tuple[str, str], Evidence]) -> Cause:
    component = posts[0].plugin.component
    nodes = [post.node.name for post in posts]
    back = [proof for node in nodes for proof in _others_back(scene, node, component.ref)]
    version = reach_of(scene, posts).blame is Blame.VERSION
    return scoped_cause(
        scene,
        posts,
        message=f"{component.ref} has missed the restart of the kubelet on {listed(nodes)} and has "
        f"not registered {offering(posts)} again",
        evidence=[
            *(proofs[component.ref, node] for node in nodes[:3]),
            *(
                Evidence(f"status of pod {post.pod.ref}", f"running since {stamp(post.started)}")
                for post in posts[:2]
                if post.pod and post.started
            ),
            *back[:2],
            *shown(posts),
        ],
        refuted_by="a registration in the plugin's log after the kubelet's start",
        blame=Blame.VERSION,
        rollback=None if version else RollbackHelps.UNKNOWN,
        ruled_out=[
            RuledOut("a restart of the plugin", "its process is older than the kubelet's"),
            *(
                [RuledOut("a registration server that is dead", "other plugins are back")]
                if back
                else []
            ),
        ],
        actions=restart_plugins((post.pod, post.node.name) for post in posts),
        confidence=Confidence.HIGH if back else Confidence.MEDIUM,
    )


def _others_back(scene: Scene, node: str, ref: str) -> list[Evidence]:
    """Other plugins' resources that the node shows again."""
    mine = {
        name
        for post in scene.posts_by_node[node]
        if post.plugin.component.ref == ref
        for name in post.names
    }
    return [
        Evidence(f"status of node {node}", f"{name} {offer}")
        for name, offer in sorted(scene.nodes[node].offers.items())
        if name not in mine and offer.allocatable
    ]


RULE = DiagnosisRule(
    name="kubelet-restart-missed",
    severity=Severity.ERROR,
    level=3,
    references=("kubevirt#17122", "rdma PR#82", "sriov#411"),
    cases=("LOSS-2",),
    helped_by=frozenset(
        {Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.EVENTS, Need.HISTORY}
    ),
    supersedes=frozenset({"fewer-devices"}),
    check=_check,
)

"""The stream of devices between a plugin and its kubelet has ended, and the plugin lives on.

Finds: a plugin that runs as before, on a node that is Ready and shows none of its devices any more,
where the kubelet's or the plugin's log tells of the end of the stream, or earlier readings show a
fall that no restart of plugin or kubelet explains.

Why: the kubelet never asks for the list a second time. Only a new registration brings the devices
back, and a plugin that has not noticed does not make one. Capacity follows after five minutes.

Sure: the pod is much older than the fall, its containers have not restarted, and other resources of
the node did not fall with it. N/0 that lasts longer than six minutes is a matter of health instead.

Do: restart the plugin's pod on that node; if its devices are not back within a minute, stop and
look at the kubelet. The plugin should exit when its stream ends.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.losing import (
    NOT_REGISTERED,
    NOTHING_FOUND,
    UNHEALTHY,
    connected,
    fell_together,
    gone,
    offered_while_alive,
    restarted_under,
    says_any,
)
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed, reach_of
from bridgehead.core.diagnose.remedies import restart_plugins
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.diagnose.telling_lines import Quote
from bridgehead.core.diagnose.told import kubelet_quote
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence, stamp
from bridgehead.core.model.confidence import Confidence

_OLD = 600.0
"""Seconds for which a process must have run before its age alone says something."""


def _check(scene: Scene) -> Iterable[Cause]:
    proofs: dict[tuple[str, str], tuple[Evidence, Confidence]] = {}
    posts = []
    for post in scene.posts:
        proof = _proof(scene, post)
        if proof:
            proofs[post.plugin.component.ref, post.node.name] = proof
            posts.append(post)
    for group in by_plugin(posts):
        yield _cause(scene, group, proofs)


def _proof(scene: Scene, post: Post) -> tuple[Evidence, Confidence] | None:
    names = gone(post)
    if not names or says_any(post, UNHEALTHY, NOTHING_FOUND, NOT_REGISTERED):
        return None
    quote = post.quote("stream-ended") or kubelet_quote(scene, post, "stream-ended")
    start = restarted_under(scene, post)
    if start is not None and not (quote and _after(post, quote, start.at)):
        return None
    if quote:
        return quote.evidence, Confidence.HIGH
    for name in names:
        if connected(scene, post, name) or post.node.offer(name) is None:
            continue
        history = scene.trajectory(post.node.name, name)
        fell = history.dropped_at is not None and offered_while_alive(scene, post, name)
        if fell and not history.fell_at_once and not fell_together(scene, history):
            # Within five minutes the same numbers may mean that all devices are unhealthy.
            fresh = bool(post.node.offers[name].capacity)
            return history.evidence, Confidence.MEDIUM if fresh else Confidence.HIGH
        if not history.stretches and _old_and_quiet(scene, post, name):
            said = f"{post.quotes['registered'].text}"
            source = post.quotes["registered"].evidence.source
            return Evidence(source, said), Confidence.MEDIUM
    return None


def _after(post: Post, quote: Quote, start: float) -> bool:
    """Whether the stream ended after the kubelet's start, which the plugin had noticed."""
    if quote.at is not None:
        return quote.at > start
    return "kubelet-back" in post.quotes


def _old_and_quiet(scene: Scene, post: Post, name: str) -> bool:
    """With one reading alone: registered long ago, nothing said since, and now 0 of 0."""
    offer = post.node.offer(name)
    start = scene.kubelet_starts.get(post.node.name)
    later = start is not None and post.started is not None and start.at > post.started
    return (
        offer is not None
        and not offer.capacity
        and "registered" in post.quotes
        and not later
        and (post.age or 0.0) >= _OLD
    )


def _cause(
    scene: Scene,
    posts: Sequence[Post],
    proofs: dict[tuple[str, str], tuple[Evidence, Confidence]],
) -> Cause:
    component = posts[0].plugin.component
    nodes = [post.node.name for post in posts]
    found = [proofs[component.ref, node] for node in nodes]
    surest = min((confidence for _, confidence in found), key=lambda item: item.rank)
    version = reach_of(scene, posts).blame is Blame.VERSION
    return scoped_cause(
        scene,
        posts,
        message=f"the stream of devices of {component.ref} has ended on {listed(nodes)}, and the "
        f"plugin has not registered {offering(posts)} again",
        evidence=[*(proof for proof, _ in found[:3]), *_ages(posts), *shown(posts)],
        refuted_by="devices that do not come back after a restart of the plugin's pod",
        blame=Blame.VERSION,
        rollback=None if version else RollbackHelps.UNKNOWN,
        ruled_out=[
            RuledOut("a kubelet restart", "nothing tells of one since the plugin began"),
            RuledOut("a restart of the plugin", "its process is older than the fall"),
        ],
        actions=restart_plugins(
            ((post.pod, post.node.name) for post in posts), _busy_words(scene, posts)
        ),
        confidence=surest,
    )


def _busy_words(scene: Scene, posts: Sequence[Post]) -> str:
    """A plugin that does not find devices in use again must wait for them."""
    if not posts[0].plugin.family.shrinks_when_busy:
        return ""
    busy = any(scene.in_use(post.node.name, name) for post in posts for name in post.names)
    return "once no pod there holds its devices" if busy else ""


def _ages(posts: Sequence[Post]) -> list[Evidence]:
    return [
        Evidence(
            f"status of pod {post.pod.ref}",
            f"running since {stamp(post.started)}, {post.pod.restarts} restarts",
        )
        for post in posts[:2]
        if post.pod and post.started
    ]


RULE = DiagnosisRule(
    name="stream-ended",
    severity=Severity.ERROR,
    level=3,
    references=("ROCm#186", "ROCm PR#187", "kubernetes#131013", "kubernetes#92958"),
    cases=("LOSS-1",),
    helped_by=frozenset(
        {
            Need.NODES,
            Need.PODS,
            Need.DAEMON_SETS,
            Need.LOGS,
            Need.EVENTS,
            Need.HISTORY,
            Need.NODE_EVIDENCE,
        }
    ),
    check=_check,
)

"""A node that should have a pod of the plugin has none, and nothing says why.

Finds: a node that fits the plugin's DaemonSet, is Ready, and has no pod of it or only one that has
been going for minutes, where the DaemonSet's controller has not said that it cannot make one.

Why: without the plugin the node offers none of its devices; five minutes later they are gone from
its capacity as well.

Sure: selector, affinity and taints admit a pod there. A pod that was just deleted is made anew
within seconds; where creating it fails there is an event on the DaemonSet.

Do: look at the DaemonSet's events and at its controller; a pod that does not end keeps its
successor away until the node's kubelet lets it go.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import SETTLING, Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import child, text
from bridgehead.core.model.times import epoch

_GOING = 120.0
"""Seconds that a pod may take to end before that is worth a word."""


def _check(scene: Scene) -> Iterable[Cause]:
    missing = [post for post in scene.posts if _lacks_pod(scene, post)]
    going = [post for post in scene.posts if _keeps_going(scene, post)]
    for group in by_plugin(missing):
        component = group[0].plugin.component
        if not _excused(scene, component) and _counts_less(scene, component, group):
            yield _cause(scene, group, going=False)
    for group in by_plugin(going):
        yield _cause(scene, group, going=True)


def _lacks_pod(scene: Scene, post: Post) -> bool:
    return (
        post.pod is None
        and post.node.ready is True
        and not misfit(post.plugin.component.template, post.node)
        and scene.now - _made(scene, post) >= SETTLING
    )


def _made(scene: Scene, post: Post) -> float:
    """When the node or the DaemonSet was made, whichever is later; 0 where nothing tells."""
    component = post.plugin.component
    raw = (
        scene.observed.raw("Node", "", post.node.name),
        scene.observed.raw("DaemonSet", component.namespace, component.name),
    )
    times = [epoch(text(item, "metadata", "creationTimestamp")) for item in raw if item]
    return max((time for time in times if time is not None), default=0.0)


def _keeps_going(scene: Scene, post: Post) -> bool:
    if post.pod is None or not post.pod.deleting or post.node.ready is not True:
        return False
    since = epoch(text(post.raw, "metadata", "deletionTimestamp"))
    return since is not None and scene.now - since >= _GOING


def _excused(scene: Scene, component: Component) -> bool:
    """Whether its controller says why, has not caught up yet, or is to make no pods any more."""
    if component.deleting or component.generation > component.observed_generation > 0:
        return True
    events = scene.observed.events_of("DaemonSet", component.namespace, component.name)
    return any(event.reason == "FailedCreate" for event in events)


def _counts_less(scene: Scene, component: Component, posts: Sequence[Post]) -> bool:
    """Whether its status has fewer pods than it wants, or devices are short for want of them."""
    status = child(
        scene.observed.raw("DaemonSet", component.namespace, component.name) or {}, "status"
    )
    desired, current = (
        child(status, field) for field in ("desiredNumberScheduled", "currentNumberScheduled")
    )
    fewer = isinstance(desired, int) and isinstance(current, int) and current < desired
    return fewer or any(post.short for post in posts)


def _cause(scene: Scene, posts: Sequence[Post], *, going: bool) -> Cause:
    component = posts[0].plugin.component
    nodes = [post.node.name for post in posts]
    if going:
        what = f"the pod of {component.ref} on {listed(nodes)} has been going for minutes"
        proof = [
            Evidence(
                f"metadata of pod {post.pod.ref}",
                f"deletionTimestamp {text(post.raw, 'metadata', 'deletionTimestamp')}",
            )
            for post in posts[:3]
            if post.pod
        ]
    else:
        what = f"{component.ref} has no pod on {listed(nodes)}, which it should have"
        proof = [
            Evidence(f"pods of node {node}", f"none of {component.ref} that has not ended")
            for node in nodes[:3]
        ]
    return scoped_cause(
        scene,
        posts,
        message=f"{what}: nobody offers {offering(posts)} there",
        evidence=[*proof, *shown(posts)],
        refuted_by="a pod of the plugin on the node",
        blame=Blame.KUBELET if going else Blame.PLACEMENT,
        rollback=RollbackHelps.NO if going else RollbackHelps.UNKNOWN,
        ruled_out=[
            RuledOut("placement", "selector, affinity and tolerations admit a pod there"),
        ],
        actions=[
            Action(
                text="Look at what the controller or the kubelet says about it.",
                command=f"kubectl describe pod -n {component.namespace} {posts[0].pod.name}"
                if going and posts[0].pod
                else f"kubectl describe daemonset -n {component.namespace} {component.name}",
            )
        ],
    )


RULE = DiagnosisRule(
    name="plugin-pod-missing",
    severity=Severity.ERROR,
    level=3,
    references=("pkg/controller/daemon, Kubernetes 1.37",),
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.EVENTS}),
    check=_check,
)

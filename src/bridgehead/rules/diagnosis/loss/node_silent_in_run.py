"""A node was not Ready when it was changed.

Finds: a node that failed in a rollout and whose condition Ready is False or Unknown.

Why: what such a node shows is as old as its kubelet's last word. Its new pod cannot be seen to
start, its devices cannot be counted, and neither can it be taken back: a pod that is deleted there
stays until the kubelet reports again.

Sure: the condition's reason says who stopped: NodeStatusUnknown is a kubelet, a network or a
machine that is gone, KubeletNotReady a kubelet that says itself what it lacks. Other nodes that are
sound under the same version speak for the version.

Do: bring the node back or take it out of the cluster, then run the same command again.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, reach_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonObject, children, text


def _check(scene: Scene) -> Iterable[Cause]:
    silent = [post for post in scene.posts if post.condemned and post.node.ready is not True]
    for posts in by_plugin(silent):
        yield plugin_cause(
            scene,
            posts,
            message="the node is not Ready, so that nothing is known of its devices",
            blame=Blame.KUBELET,
            evidence=[_condition(scene, post) for post in posts[:3]],
            refuted_by="the node is Ready and the same gate fails again",
            rollback=RollbackHelps.NO,
            actions=[_look(posts[0])],
            ruled_out=_sound_elsewhere(scene, posts),
        )


def _sound_elsewhere(scene: Scene, posts: Sequence[Post]) -> Sequence[RuledOut]:
    reach = reach_of(scene, posts)
    return reach.ruled_out if reach.blame is Blame.DRIFT else ()


def _condition(scene: Scene, post: Post) -> Evidence:
    raw: JsonObject = scene.observed.raw("Node", "", post.node.name) or {}
    for item in children(raw, "status", "conditions"):
        if text(item, "type") == "Ready":
            said = f"Ready {text(item, 'status')}: {text(item, 'reason')}, {text(item, 'message')}"
            return Evidence(f"status of node {post.node.name}", said)
    return Evidence(f"status of node {post.node.name}", "no condition Ready")


def _look(post: Post) -> Action:
    return Action(
        text=f"Bring {post.node.name} back or take it out of the cluster, then run the same again",
        command=f"kubectl describe node {post.node.name}",
        rung="runbook",
    )


RULE = DiagnosisRule(
    name="node-silent-in-run",
    severity=Severity.ERROR,
    level=1,
    references=("https://kubernetes.io/docs/reference/node/node-status/",),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.DAEMON_SETS}),
    check=_check,
)

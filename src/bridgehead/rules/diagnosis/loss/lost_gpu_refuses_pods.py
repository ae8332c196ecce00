"""One GPU that has fallen off the bus makes a node refuse all new pods with devices.

Finds: pods that a node refused because GetPreferredAllocation failed, where the message or the
plugin's log says that a GPU is lost.

Why: the plugin looks at every device before it prefers some, and fails for all as one fails. Their
controllers make new pods, which are refused again, by the thousands.

Sure: the message names GetPreferredAllocation and a lost GPU; other nodes are fine. The scheduler
still sees free devices there.

Do: cordon the node, then remove the refused pods of controllers and reboot the node, or replace the
GPU. A plugin that leaves out lost devices avoids it.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import explained
from bridgehead.core.diagnose.remedies import cordon, prune_refused, reboot
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.diagnose.telling_lines import Quote
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.pod import Pod

_LOST = ("gpu is lost", "gpu_is_lost", "fallen off the bus")


def _check(scene: Scene) -> Iterable[Cause]:
    refused: dict[str, list[Pod]] = {}
    for pod in scene.observed.snapshot.pods:
        if pod.refused and "GetPreferredAllocation" in pod.message:
            refused.setdefault(pod.node, []).append(pod)
    for node, pods in sorted(refused.items()):
        posts = [
            post
            for post in scene.posts_by_node.get(node, ())
            if any(name in pod.requests for pod in pods for name in post.names)
        ]
        since = max((post.started for post in posts if post.started), default=0.0)
        recent = sorted(
            (pod for pod in pods if pod.created >= since), key=lambda pod: (pod.created, pod.name)
        )
        quote = _said(posts)
        if recent and (quote or _names_lost(recent)):
            yield _cause(scene, node, recent, posts, quote)


def _said(posts: Iterable[Post]) -> Quote | None:
    return next((it.quotes["device-lost"] for it in posts if "device-lost" in it.quotes), None)


def _names_lost(pods: Iterable[Pod]) -> bool:
    return any(words in pod.message.lower() for pod in pods for words in _LOST)


def _cause(
    scene: Scene, node: str, pods: list[Pod], posts: list[Post], quote: Quote | None
) -> Cause:
    newest = pods[-1]
    known = {item.key for item in scene.symptoms}
    keys = {pod_key(pod) for pod in pods} & known
    elsewhere = sorted(
        post.node.name
        for post in scene.posts
        if post.sound
        and post.node.name != node
        and posts
        and post.plugin.component.ref == posts[0].plugin.component.ref
    )
    return Cause(
        message=f"a GPU of {node} is lost, and the plugin therefore refuses every new pod there: "
        f"{len(pods)} so far",
        blame=Blame.BELOW,
        evidence=(
            Evidence(f"status of pod {newest.ref}", newest.message),
            *([quote.evidence] if quote else []),
        ),
        refuted_by="a new pod with devices that the node admits",
        object=ObjectRef("v1", "Node", "", node),
        nodes=(node,),
        explains=tuple(sorted(keys | set(explained(scene, posts)))),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(RuledOut("a bad version", f"{elsewhere[0]} admits pods with the same plugin"),)
        if elsewhere
        else (),
        actions=(
            cordon([node], "every pod with devices is refused there"),
            prune_refused(node, newest.namespace),
            reboot(node, "the GPU must be found again, or be replaced"),
        ),
    )


RULE = DiagnosisRule(
    name="lost-gpu-refuses-pods",
    severity=Severity.ERROR,
    level=3,
    references=("NVIDIA#231", "kubernetes#97131"),
    cases=("LOSS-6",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS}),
    supersedes=frozenset({"preferred-allocation-fails", "xid-reported", "devices-unhealthy"}),
    check=_check,
)

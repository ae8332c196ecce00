"""The driver has reported an error of a GPU, and the plugin takes the GPU for unhealthy.

Finds: a node with fewer healthy devices than its capacity whose plugin's log, or a Node event,
gives a critical Xid.

Why: the plugin never takes the verdict back before it starts anew. Some Xids come from the
application and say nothing about the hardware; others mean that the GPU is failing.

Sure: the log gives Xid and GPU. 13, 31, 43, 45, 68 and 109 are of the application; 48, 63, 64, 74,
79, 94, 95 and others are of the hardware (https://docs.nvidia.com/deploy/xid-errors/).

Do: for an application's Xid restart the plugin's pod, once a device and day. For one of the
hardware keep new pods away and test or replace the GPU; do not bring it back.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.components.xids import APPLICATION_XIDS, xids_in
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.remedies import cordon, restart_plugin
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import scoped_cause, shown
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    events = _node_events(scene)
    found: dict[tuple[str, str], Evidence] = {}
    posts = []
    for post in scene.posts:
        if not post.failing or not any(_fewer(post, name) for name in post.short):
            continue
        quote = post.quotes.get("device-error")
        proof = quote.evidence if quote else events.get(post.node.name)
        if proof:
            found[post.plugin.component.ref, post.node.name] = proof
            posts.append(post)
    for group in by_plugin(posts):
        yield _cause(scene, group, found)


def _fewer(post: Post, name: str) -> bool:
    offer = post.node.offer(name)
    return offer is not None and offer.allocatable < offer.capacity


def _node_events(scene: Scene) -> dict[str, Evidence]:
    """Xids that something else has seen in a node's kernel log."""
    told = (it for it in scene.observed.events if it.kind == "Node" and "Xid" in it.message)
    return {it.name: Evidence(it.source, it.message) for it in told}


def _cause(scene: Scene, posts: Sequence[Post], found: dict[tuple[str, str], Evidence]) -> Cause:
    component = posts[0].plugin.component
    nodes = [post.node.name for post in posts]
    proofs = [found[component.ref, node] for node in nodes]
    xids = sorted({number for proof in proofs for number in xids_in(proof.text)})
    benign = bool(xids) and set(xids) <= APPLICATION_XIDS
    numbers = ", ".join(str(xid) for xid in xids) or "of unknown number"
    whose = "an application's error" if benign else "an error of the hardware or the driver"
    return scoped_cause(
        scene,
        posts,
        message=f"Xid {numbers} on {listed(nodes)}: {whose}; the plugin takes the GPU for "
        "unhealthy and will not take that back",
        evidence=[*proofs[:3], *shown(posts)],
        refuted_by="an Xid that belongs to another GPU than the unhealthy one",
        blame=Blame.BELOW,
        rollback=RollbackHelps.NO,
        ruled_out=[RuledOut("a plugin that has gone", "it is connected and names the device")],
        actions=[
            Action(
                text="Look at the GPU and at what has used it.",
                command=f"kubectl debug node/{nodes[0]} -it --image=busybox --profile=sysadmin -- "
                "chroot /host sh -c 'dmesg | grep -i xid; nvidia-smi -q -d ECC'",
            ),
            restart_plugin(posts[0].pod, nodes[0], "at most once a device and day")
            if benign
            else cordon(nodes, "a GPU of theirs may be failing"),
        ],
    )


RULE = DiagnosisRule(
    name="xid-reported",
    severity=Severity.ERROR,
    level=3,
    references=("NVIDIA#189", "NVIDIA#234", "NVIDIA PR#403", "HAMi#2200"),
    cases=("LOSS-5",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.EVENTS}),
    supersedes=frozenset({"devices-unhealthy"}),
    check=_check,
)

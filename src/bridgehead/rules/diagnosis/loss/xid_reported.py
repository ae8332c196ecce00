"""The driver has reported an error of a GPU, and the plugin takes the GPU for unhealthy.

Finds: a node with fewer healthy devices than its capacity whose plugin's log, or a Node event,
gives a critical Xid.

Why: the plugin never takes the verdict back before it starts anew. Some Xids come from the
application and say nothing about the hardware; others mean that the GPU is failing.

Sure: the log gives Xid and GPU. 13, 31, 43, 45, 68 and 109 are of the application; 48, 63, 64, 74,
79, 94, 95 and others are of the hardware (https://docs.nvidia.com/deploy/xid-errors/). Of several
on one node the worst counts, whichever came last.

Do: for an application's Xid restart the plugin's pod, once a device and day. For one of the
hardware keep new pods away and test or replace the GPU; do not bring it back.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from bridgehead.core.components.xids import is_applications, xids_in
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.remedies import cordon, restart_plugins
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import scoped_cause, shown
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    events = _node_events(scene)
    found: dict[tuple[str, str], tuple[Evidence, ...]] = {}
    hard: list[Post] = []
    benign: list[Post] = []
    for post in scene.posts:
        if not post.failing or not any(_fewer(post, name) for name in post.short):
            continue
        proofs = _proofs(post, events.get(post.node.name, ()))
        if proofs:
            found[post.plugin.component.ref, post.node.name] = proofs
            (benign if all(is_applications(it.text) for it in proofs) else hard).append(post)
    for group in by_plugin(hard):
        yield _cause(scene, group, found, benign=False)
    for group in by_plugin(benign):
        yield _cause(scene, group, found, benign=True)


def _fewer(post: Post, name: str) -> bool:
    offer = post.node.offer(name)
    return offer is not None and offer.allocatable < offer.capacity


def _node_events(scene: Scene) -> dict[str, list[Evidence]]:
    """Xids that something else has seen in each node's kernel log, oldest first."""
    found: dict[str, list[Evidence]] = defaultdict(list)
    for it in sorted(scene.observed.events, key=lambda event: event.last):
        if it.kind == "Node" and ("Xid" in it.message or xids_in(it.message)):
            found[it.name].append(Evidence(it.source, it.message))
    return found


def _proofs(post: Post, events: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Of every Xid of the node the last line, those first that no application makes.

    One number says nothing of another: the last line may be of another GPU. Beside an Xid the loss
    of a GPU counts as well, whatever the number is.
    """
    told = [*(quote.evidence for quote in post.lines_of("device-error")), *events]
    lost = [quote.evidence for quote in post.lines_of("device-lost")] if told else []
    last = {xids_in(proof.text): proof for proof in (*lost, *told)}
    tagged = (msgspec.structs.replace(proof, node=post.node.name) for proof in last.values())
    return tuple(
        sorted(tagged, key=lambda it: (is_applications(it.text) is True, xids_in(it.text)))
    )


def _cause(
    scene: Scene,
    posts: Sequence[Post],
    found: dict[tuple[str, str], tuple[Evidence, ...]],
    *,
    benign: bool,
) -> Cause:
    component = posts[0].plugin.component
    nodes = [post.node.name for post in posts]
    proofs = [proof for node in nodes for proof in found[component.ref, node]]
    xids = sorted({number for proof in proofs for number in xids_in(proof.text)})
    numbers = ", ".join(str(xid) for xid in xids) or "of unknown number"
    whose = "an application's error" if benign else "an error of the hardware or the driver"
    return scoped_cause(
        scene,
        posts,
        message=f"Xid {numbers} on {listed(nodes)}: {whose}; the plugin takes the GPU for "
        "unhealthy and will not take that back",
        evidence=[*proofs, *shown(posts)],
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
            *(_restarts(posts) if benign else [cordon(nodes, "a GPU of theirs may be failing")]),
        ],
    )


def _restarts(posts: Sequence[Post]) -> list[Action]:
    pods = ((post.pod, post.node.name) for post in posts)
    return restart_plugins(pods, "at most once a device and day")


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

"""A plugin that was restarted has not found again the devices that pods hold.

Finds: a node that shows fewer devices than it should by exactly the number that pods hold which are
older than the plugin's process; of a plugin known for it, one that shows fewer than those hold.

Why: a virtual function that was moved into a pod's network namespace is not seen on the host. The
plugin that starts anew offers the free ones only, while requests still count the others: less is
allocatable than is requested, and nothing more is scheduled. Card and driver are as they were: it
is how the plugin looks for devices, by its version and its selectors. Going back to the former
version is one more restart with devices in use.

Sure: capacity now plus devices in use is the former capacity, and there is one pod that claims the
resource. The number comes back as pods end and the plugin starts once more.

Do: let the pods that hold devices end, then restart the plugin. Restart such plugins only on nodes
where nothing uses their devices.
"""

from collections.abc import Iterable, Sequence

import msgspec

from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import scoped_cause
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence, stamp
from bridgehead.core.model.confidence import Confidence


class _Missing(msgspec.Struct, frozen=True):
    name: str
    should: int
    now: int
    held: int


def _check(scene: Scene) -> Iterable[Cause]:
    found: dict[tuple[str, str], _Missing] = {}
    posts = []
    for post in scene.posts:
        missing = _missing(scene, post)
        if missing:
            found[post.plugin.component.ref, post.node.name] = missing
            posts.append(post)
    for group in by_plugin(posts):
        yield _cause(scene, group, found)


def _missing(scene: Scene, post: Post) -> _Missing | None:
    """What is missing by exactly what older pods hold; None where the sums do not meet.

    Of a plugin that is known for it, fewer devices than older pods hold are enough.
    """
    started = post.started
    if started is None or not post.settled:
        return None
    for name in post.names:
        offer, expected = post.node.offer(name), scene.expected(post.node.name, name)
        if offer is None or offer.capacity != offer.allocatable:
            continue
        older = [pod for pod in scene.holders(post.node.name, name) if pod.created < started]
        held = sum(pod.requests[name] for pod in older)
        before = offer.capacity + held
        meets = name in post.short and expected is not None and before == expected.count
        broken = post.plugin.family.shrinks_when_busy and offer.capacity < held
        if held and (meets or (broken and expected is None)):
            return _Missing(name, before, offer.capacity, held)
    return None


def _cause(scene: Scene, posts: Sequence[Post], found: dict[tuple[str, str], _Missing]) -> Cause:
    plugin = posts[0].plugin
    nodes = [post.node.name for post in posts]
    sums = [found[plugin.component.ref, node] for node in nodes]
    history = [
        scene.trajectory(post.node.name, it.name) for post, it in zip(posts, sums, strict=True)
    ]
    known = plugin.family.shrinks_when_busy or any(it.stretches for it in history)
    return scoped_cause(
        scene,
        posts,
        message=f"{plugin.component.ref} has not found the devices in use again after its restart "
        f"on {listed(nodes)}: {sums[0].now} of {sums[0].should} are left, pods hold {sums[0].held}",
        evidence=[
            *(
                Evidence(
                    f"status of node {node}",
                    f"{it.name} {it.now}/{it.now}, expected {it.should}, in use {it.held}",
                )
                for node, it in list(zip(nodes, sums, strict=True))[:3]
            ),
            *(
                Evidence(f"status of pod {post.pod.ref}", f"running since {stamp(post.started)}")
                for post in posts[:2]
                if post.pod and post.started
            ),
            *(it.evidence for it in history[:2] if it.stretches),
        ],
        refuted_by="the number of devices unchanged after the pods that hold them have ended and "
        "the plugin has started once more",
        blame=Blame.VERSION,
        rollback=RollbackHelps.NO,
        ruled_out=[
            RuledOut("unhealthy devices", "capacity is lower, and equal to allocatable"),
            RuledOut("a second claimant", "one pod of one plugin offers the resource"),
        ],
        actions=[
            Action(
                text=f"Let the pods on {nodes[0]} that hold {sums[0].name} end, or drain the node; "
                "then restart the plugin's pod there.",
                command=f"kubectl drain {nodes[0]} --ignore-daemonsets --delete-emptydir-data",
                risk=Risk.WORKLOADS,
                rung="runbook",
            )
        ],
        confidence=Confidence.HIGH if known else Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="devices-in-use-lost",
    severity=Severity.ERROR,
    level=3,
    references=("sriov-op#1028", "sriov#565"),
    cases=("LOSS-8",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.HISTORY}),
    supersedes=frozenset(
        {"fewer-devices", "driver-not-bound", "selectors-match-nothing", "devices-came-later"}
    ),
    check=_check,
)

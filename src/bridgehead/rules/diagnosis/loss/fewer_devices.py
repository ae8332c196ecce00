"""A version of the plugin offers fewer devices than the one before.

Finds: nodes whose pods of one revision are ready and offer fewer healthy devices than the node had
before that pod, or than nodes of the same kind have with another revision.

Why: everything counts as sound: the pod is ready, capacity equals allocatable, and the difference
is noticed only as pods wait.

Sure: the fall comes with the new pod and is the same on all its nodes; nothing is unhealthy, no
devices in use are missing by their number, and one pod claims the resource.

Do: go back to the former version, and compare the configuration of both.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.losing import NOT_REGISTERED, UNHEALTHY, just_started, says_any
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed, posts_of_plugin, reach_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import scoped_cause, shown
from bridgehead.core.diagnose.version_or_node import begun_with_version
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule

_OTHERWISE = (
    "init-failed",
    "scan-failed",
    "driver-missing",
    "stream-ended",
    "device-listed",
    "options-refused",
)


def _check(scene: Scene) -> Iterable[Cause]:
    posts = [post for post in scene.posts if _fewer(scene, post)]
    for group in by_plugin(posts):
        by_revision: dict[str, list[Post]] = {}
        for post in group:
            by_revision.setdefault(post.pod.revision if post.pod else "", []).append(post)
        for same in by_revision.values():
            if _by_version(scene, same):
                yield _cause(scene, same)


def _fewer(scene: Scene, post: Post) -> bool:
    """Whether a registered plugin offers fewer devices, and none of them is unhealthy."""
    if not (post.failing and post.settled and post.pod and post.pod.ready):
        return False
    if says_any(post, UNHEALTHY, NOT_REGISTERED, _OTHERWISE) or just_started(scene, post.node.name):
        return False
    return any(_lower(scene, post, name) for name in post.short)


def _lower(scene: Scene, post: Post, name: str) -> bool:
    offer, expected = post.node.offer(name), scene.expected(post.node.name, name)
    if offer is None or expected is None or offer.capacity != offer.allocatable:
        return False
    told = bool(offer.allocatable) or bool(
        {"registered", "no-device-selected", "no-device-found"} & set(post.quotes)
    )
    held = scene.in_use(post.node.name, name)
    in_use_lost = bool(held) and offer.capacity + held == expected.count
    return told and offer.allocatable < expected.count and not in_use_lost


def _by_version(scene: Scene, posts: Sequence[Post]) -> bool:
    """Whether the fall goes with the revision: others are sound, or it came with the new pod."""
    reach = reach_of(scene, posts)
    if reach.blame is Blame.VERSION:
        return True
    if reach.blame is not None:
        return False
    revisions = {post.pod.revision for post in posts_of_plugin(scene, posts[0].plugin) if post.pod}
    known = len(scene.observed.snapshot.revisions_of(posts[0].plugin.component)) > 1
    return (known or len(revisions) > 1) and all(_fell_with_pod(scene, post) for post in posts)


def _fell_with_pod(scene: Scene, post: Post) -> bool:
    """Whether the node had more until this pod was made, by its earlier readings."""
    for name in post.short:
        dropped = scene.trajectory(post.node.name, name)
        higher = [it for it in dropped.stretches if (it.allocatable or 0) > post.allocatable(name)]
        if higher and post.pod and higher[-1].end <= post.pod.created + 60.0:
            return True
    return False


def _cause(scene: Scene, posts: Sequence[Post]) -> Cause:
    component = posts[0].plugin.component
    name = posts[0].short[0]
    expected = scene.expected(posts[0].node.name, name)
    lines = [
        post.quotes[key]
        for post in posts[:2]
        for key in ("no-device-selected", "no-device-found")
        if key in post.quotes
    ]
    history = [scene.trajectory(post.node.name, name) for post in posts[:2]]
    verdict = begun_with_version(scene, posts)
    sure = verdict is not None and verdict.of_version
    return scoped_cause(
        scene,
        posts,
        message=f"this version of {component.ref} offers fewer of {name} on "
        f"{listed(post.node.name for post in posts)}: {posts[0].allocatable(name)} instead of "
        f"{expected.count if expected else 'more'}",
        evidence=[
            *shown(posts),
            *(line.evidence for line in lines),
            *(item.evidence for item in history if item.stretches),
        ],
        refuted_by="the former version offering no more on the same node",
        blame=Blame.VERSION,
        by_past=True,
        rollback=None if sure else RollbackHelps.UNKNOWN,
        ruled_out=[RuledOut("unhealthy devices", "capacity is as low as allocatable")],
        actions=[
            Action(
                text="Compare this revision with the former one.",
                command=f"kubectl rollout history daemonset/{component.name} "
                f"-n {component.namespace}",
            )
        ],
    )


RULE = DiagnosisRule(
    name="fewer-devices",
    severity=Severity.ERROR,
    level=3,
    references=("Kubernetes documentation: device plugins",),
    helped_by=frozenset(
        {Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.HISTORY, Need.REVISIONS}
    ),
    supersedes=frozenset({"driver-not-bound", "plugin-never-registers"}),
    check=_check,
)

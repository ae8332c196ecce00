"""Whether a version is bad or a node has drifted: by other nodes, and by the same node before.

Other nodes come first: the same revision sound elsewhere speaks against the node, only the former
one sound elsewhere against the version. Without any, the node's own past tells: whether it offered
devices under the former revision, or under the very revision that fails there now.
"""

from collections.abc import Sequence

import msgspec

from bridgehead.core.diagnose.cause import Blame, RollbackHelps, RuledOut
from bridgehead.core.diagnose.likeness import may_be_alike
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import (
    Reach,
    listed,
    posts_of_plugin,
    reach_of,
    was_started,
)
from bridgehead.core.diagnose.revisions import former_of, templates_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.journal.entry import stamp

_SECOND = 1.0
"""Kubernetes leaves out parts of a second: what it dates came up to so much later."""

_STALE = 10.0
"""For so long a node goes on showing the devices of a pod that is gone: kubelets report in such
steps."""


class Verdict(msgspec.Struct, frozen=True):
    """Who is to blame, whether the former version would help, and what that is concluded from."""

    blame: Blame
    rollback: RollbackHelps
    ruled_out: tuple[RuledOut, ...] = ()

    @property
    def of_version(self) -> bool:
        """Whether the version is to blame, and the former one is known to run there."""
        return self.rollback is RollbackHelps.YES


def version_or_node(scene: Scene, posts: Sequence[Post], otherwise: Blame) -> Verdict:
    """The verdict on these posts of one plugin; ``otherwise`` where nothing decides."""
    reach = reach_of(scene, posts)
    if reach.blame is Blame.VERSION:
        return _of_version(scene, posts, reach)
    if reach.blame is not None:
        return Verdict(reach.blame, reach.rollback, reach.ruled_out)
    calm = _by_readiness(scene, posts)
    if calm is not None:
        return calm
    past = (item for post in posts if (item := _by_past(scene, post)))
    return next(past, None) or Verdict(otherwise, RollbackHelps.UNKNOWN)


def begun_with_version(scene: Scene, posts: Sequence[Post]) -> Verdict | None:
    """That the version is to blame for these posts of one plugin, if nodes or their past say so.

    Where no node is sound, the past of the same nodes tells: the former version had offered devices
    on one of them at least, and on none of them has this one. None where neither says so.
    """
    reach = reach_of(scene, posts)
    if reach.blame is Blame.VERSION:
        return _of_version(scene, posts, reach)
    return _begun_with_it(scene, posts) if reach.blame is None else None


def may_be_of_version(scene: Scene, posts: Sequence[Post]) -> bool:
    """Whether nothing tells that the former version would fail there as well, though there is one.

    All of these posts run the standing revision, and neither other nodes nor their own past say
    that it has ever been sound on such nodes.
    """
    standing, former = former_of(templates_of(scene, posts[0].plugin.component))
    if standing is None or former is None or reach_of(scene, posts).blame is Blame.DRIFT:
        return False
    if any(post.pod is None or post.pod.revision != standing.hash for post in posts):
        return False
    past = (_by_past(scene, post) for post in posts)
    return not any(item is not None and item.blame is Blame.DRIFT for item in past)


def _of_version(scene: Scene, posts: Sequence[Post], reach: Reach) -> Verdict:
    """Where the former version is sound on other kinds of nodes alone, their own past may tell."""
    judged = Verdict(Blame.VERSION, reach.rollback, reach.ruled_out)
    return judged if judged.of_version else _begun_with_it(scene, posts) or judged


def _begun_with_it(scene: Scene, posts: Sequence[Post]) -> Verdict | None:
    past = [item for post in posts if (item := _by_past(scene, post))]
    of_version = bool(past) and all(item.of_version for item in past)
    return past[0] if of_version else None


def _by_readiness(scene: Scene, posts: Sequence[Post]) -> Verdict | None:
    """Where no resource of the plugin is known: a pod that is ready is all that can be seen."""
    failing = {post.node.name for post in posts}
    revisions = {post.pod.revision for post in posts if post.pod and post.pod.revision}
    others = posts_of_plugin(scene, posts[0].plugin)
    calm = [
        item
        for item in others
        if item.node.name not in failing and item.pod and item.pod.ready and not item.names
        if any(may_be_alike(item.node, post.node) for post in posts)
    ]
    same = [item.node.name for item in calm if item.pod and item.pod.revision in revisions]
    former = [item.node.name for item in calm if item.pod and item.pod.revision not in revisions]
    if not revisions or not calm:
        return None
    if same:
        by = f"the same version runs on {listed(same)}"
        return Verdict(Blame.DRIFT, RollbackHelps.NO, (RuledOut("a bad version", by),))
    by = f"the other version runs on {listed(former)}"
    return Verdict(Blame.VERSION, RollbackHelps.YES, (RuledOut("a drifted node", by),))


def _by_past(scene: Scene, post: Post) -> Verdict | None:
    standing, former = former_of(templates_of(scene, post.plugin.component))
    if post.pod is None or standing is None or standing.at is None:
        return None
    readings = [
        item
        for item in scene.observed.history
        if item.node == post.node.name and item.resource in post.names and item.allocatable
    ]
    began = standing.at + _SECOND
    its_own = max(began, post.pod.created + _SECOND + _STALE)
    after = [it.at for it in readings if it.at >= its_own] if was_started(post) else []
    if after and post.pod.revision == standing.hash:
        by = f"the same version offered devices at {stamp(max(after))} (baseline)"
        return Verdict(Blame.DRIFT, RollbackHelps.NO, (RuledOut("a bad version", by),))
    before = [item.at for item in readings if item.at < began]
    if before and former is not None and post.pod.revision == standing.hash:
        by = f"the former version offered devices at {stamp(max(before))} (baseline)"
        return Verdict(Blame.VERSION, RollbackHelps.YES, (RuledOut("a drifted node", by),))
    return None

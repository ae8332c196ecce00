"""Whether a node without an image has asked for it since another node got it.

A kubelet asks again after a back-off of up to five minutes (pkg/kubelet/kubelet.go,
MaxImageBackOff, Kubernetes 1.37). An image that was published late, or a registry that was away for
a while, is therefore on some nodes while others still wait for their next try: that is no drift.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.ailing import Ailing
from bridgehead.core.diagnose.likeness import may_be_alike
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import posts_of_plugin
from bridgehead.core.diagnose.scene import Scene

_LONGEST = 300.0 + 60.0
"""Seconds within which a kubelet has asked again and was answered."""
_FAILED_PULL = "Failed to pull image"
"""How a kubelet's event of a pull that failed begins; later ones only tell of its back-off."""
_FOR_GOOD = frozenset({"InvalidImageName", "ErrImageNeverPull"})
"""Reasons for which no registry is asked."""


def got_meanwhile(scene: Scene, items: Sequence[Ailing]) -> tuple[str, ...]:
    """Nodes that got the version of these pods after the last pull for any of them failed.

    ``items`` are of one plugin. Empty where one of them has failed since some node got it, or where
    none has it at all.
    """
    if any(item.container.reason in _FOR_GOOD for item in items):
        return ()
    got = [post for post in _with_same(scene, items) if post.started is not None]
    if not got or any(_asked_since(scene, item, post) for item in items for post in got):
        return ()
    return tuple(sorted({post.node.name for post in got}))


def _with_same(scene: Scene, items: Sequence[Ailing]) -> Iterable[Post]:
    failing = {item.post.node.name for item in items}
    revisions = {item.post.pod.revision for item in items if item.post.pod}
    for post in posts_of_plugin(scene, items[0].post.plugin):
        ready = post.pod is not None and post.pod.ready and post.pod.revision in revisions
        like = any(may_be_alike(post.node, item.post.node) for item in items)
        if ready and like and post.node.name not in failing:
            yield post


def _asked_since(scene: Scene, item: Ailing, other: Post) -> bool:
    """Whether a pull for this pod has failed that began when the other node had the image."""
    pod, at = item.post.pod, other.started
    assert pod is not None
    assert at is not None
    if pod.created >= at or scene.now - at >= _LONGEST:
        return True
    failed = [it.last for it in scene.events(pod) if it.message.startswith(_FAILED_PULL)]
    return bool(failed) and max(failed) > at

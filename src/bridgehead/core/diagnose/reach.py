"""How far a fault of a plugin goes, and what that says about version and node."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import msgspec

from bridgehead.core.diagnose.cause import Blame, RollbackHelps, RuledOut
from bridgehead.core.diagnose.likeness import alike, may_be_alike, one_of_each
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.revisions import templates_of
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import daemon_set_key, pod_key, resource_key
from bridgehead.core.findings.standing import few


class Reach(msgspec.Struct, frozen=True):
    """What the nodes that fail and those that do not say about where a fault lies.

    ``blame`` is None where they do not decide between version and node.
    """

    nodes: tuple[str, ...]
    blame: Blame | None
    rollback: RollbackHelps
    ruled_out: tuple[RuledOut, ...] = ()


def reach_of(scene: Scene, posts: Sequence[Post]) -> Reach:
    """How far a fault goes that these posts of one plugin show.

    What a run tried on these very nodes decides. Else the version is not to blame where it is sound
    on other nodes with the devices of each: a version may be bad for one model alone, so that one
    that is sound for some of the models decides nothing. Where only other versions are sound, it is
    to blame, unless their nodes are of another kind.
    """
    plugin, nodes = posts[0].plugin, tuple(sorted({post.node.name for post in posts}))
    rival = drift_refuted(scene, plugin.component.ref, nodes)
    if rival is not None and all(map(was_started, posts)):
        return Reach(nodes, Blame.VERSION, RollbackHelps.YES, (rival,))
    revisions = {post.pod.revision for post in posts if post.pod and post.pod.revision}
    sound = [
        post
        for post in posts_of_plugin(scene, plugin)
        if post.sound and post.node.name not in nodes
    ]
    same = [post for post in sound if post.pod and post.pod.revision in revisions]
    later = _made_after(scene, plugin, revisions)
    other = [post for post in sound if post.pod and post.pod.revision not in (*revisions, *later)]
    kinds = one_of_each(post.node for post in posts)
    likes = [[it for it in same if may_be_alike(it.node, kind)] for kind in kinds]
    comparable = [it for each in likes for it in each]
    if comparable and not all(likes):
        return Reach(nodes, None, RollbackHelps.UNKNOWN)
    if comparable:
        by = f"the same version is sound on {listed(post.node.name for post in comparable)}"
        return Reach(nodes, Blame.DRIFT, RollbackHelps.NO, (RuledOut("a bad version", by),))
    if same:
        return _of_one_model(nodes, posts, same, other)
    if other and revisions:
        by = f"the other version is sound on {listed(post.node.name for post in other)}"
        near = any(alike(post.node, it.node) for post in posts for it in other)
        return Reach(
            nodes,
            Blame.VERSION,
            RollbackHelps.YES if near else RollbackHelps.UNKNOWN,
            (RuledOut("a drifted node", by),) if near else (),
        )
    return Reach(nodes, None, RollbackHelps.UNKNOWN)


def _made_after(scene: Scene, plugin: Plugin, revisions: Collection[str]) -> frozenset[str]:
    """Versions that came after these: that one of them is sound is no reason to go back.

    By the time of their creation, as a version that is rolled back to gets a new number.
    """
    times = {item.hash: item.at for item in templates_of(scene, plugin.component)}
    mine = [times.get(name) for name in revisions]
    last = max((at for at in mine if at is not None), default=None)
    if last is None or None in mine:
        return frozenset()
    return frozenset(name for name, at in times.items() if at is not None and at > last)


def drift_refuted(scene: Scene, component: str, nodes: Collection[str]) -> RuledOut | None:
    """That no node has drifted, where a run has tried the component's former version on them."""
    verdicts = scene.observed.verdicts
    if component != verdicts.component or not nodes or not set(nodes) <= verdicts.former_back:
        return None
    by = f"the former version was started anew on {listed(nodes)} and offered all devices"
    return RuledOut("a drifted node", by)


def was_started(post: Post) -> bool:
    """Whether a process of it ran. The former version's image is on the node: that it starts there
    says nothing of a node that cannot get the new one.
    """
    return post.pod is not None and any(
        item.state in ("running", "terminated") or item.last_exit_code is not None
        for item in (*post.pod.init_containers, *post.pod.containers)
    )


def _of_one_model(
    nodes: tuple[str, ...], posts: Sequence[Post], same: Sequence[Post], other: Sequence[Post]
) -> Reach:
    """Where the version is sound on other devices only: their own kind decides, if it can."""
    kin = [[it for it in other if alike(post.node, it.node)] for post in posts]
    if not all(kin):
        return Reach(nodes, None, RollbackHelps.UNKNOWN)
    by = (
        f"the other version is sound on {listed(it.node.name for its in kin for it in its)}, of "
        f"the same kind; this one only on {listed(it.node.name for it in same)}, with other devices"
    )
    return Reach(nodes, Blame.VERSION, RollbackHelps.YES, (RuledOut("a drifted node", by),))


def former_ran(scene: Scene, posts: Sequence[Post]) -> bool:
    """Whether the nodes had devices until the pods of this revision came, after another one."""
    component = posts[0].plugin.component
    if len(scene.observed.snapshot.revisions_of(component)) < 2:
        return False
    return all(
        post.pod is not None
        and any(
            stretch.allocatable and stretch.begin < post.pod.created
            for name in post.names
            for stretch in scene.trajectory(post.node.name, name).stretches
        )
        for post in posts
    )


def posts_of_plugin(scene: Scene, plugin: Plugin) -> tuple[Post, ...]:
    """All posts of one plugin."""
    return scene.posts_by_plugin.get(plugin.component.ref, ())


def by_plugin(posts: Iterable[Post]) -> list[list[Post]]:
    """Posts of each plugin together, in the order of their plugins."""
    found: dict[str, list[Post]] = defaultdict(list)
    for post in posts:
        found[post.plugin.component.ref].append(post)
    return list(found.values())


def listed(names: Iterable[str], most: int = 3) -> str:
    """Some names and how many more there are."""
    return few(sorted(set(names)), most)


def explained(scene: Scene, posts: Iterable[Post]) -> tuple[str, ...]:
    """Keys of the symptoms that follow from these plugins not offering their devices there.

    Devices that are short, the plugins' own pods, pods that wait for such devices, and names that
    nobody offers.
    """
    every = list(posts)
    names = {name for post in every for name in post.short or post.vain or post.names}
    mine = {pod_key(post.pod) for post in every if post.pod}
    sets = {
        daemon_set_key(post.plugin.component.namespace, post.plugin.component.name)
        for post in every
        if post.pod is None
    }
    direct = {item.key for post in every for item in post.symptoms}
    direct |= mine | sets | {resource_key(name) for name in names}
    direct |= {
        pod_key(pod) for pod in scene.waiting_pods if any(name in names for name in pod.requests)
    }
    return tuple(item.key for item in scene.symptoms if item.key in direct)

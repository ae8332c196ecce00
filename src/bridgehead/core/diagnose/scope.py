"""Where something is seen and where it is not: the first thing that tells causes apart."""

from collections.abc import Iterable, Sequence

import msgspec

from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.findings.standing import few
from bridgehead.core.inventory.cohort import UNKNOWN, cohort_of, labelled_device
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.settings import CohortKey


class Scope(msgspec.Struct, frozen=True):
    """In words: how many of which nodes, and what those have in common that others have not."""

    text: str
    of_version: bool = False
    """Whether it tells nodes apart that run the very same version of a plugin."""


class _Peers(msgspec.Struct, frozen=True):
    """Nodes that something could be seen on as well; ``sound`` are those that show they are well.

    ``which`` says what narrows them; empty where nothing has been left out.
    """

    every: frozenset[str]
    sound: frozenset[str]
    which: str = ""


def scope_of(scene: Scene, names: Sequence[str], about: ObjectRef) -> Scope:
    """Where it is seen, compared with nodes on which the same version of the plugin runs."""
    if not names:
        return Scope(f"one pod, {about.namespace}/{about.name}" if about.kind == "Pod" else "")
    plugin, user = _plugin_of(scene, about)
    running = _running(scene, plugin, names, user) if plugin is not None else None
    peers = running or _could(scene, None if user else plugin, names)
    others = peers.every - set(names)
    total = len({*names, *peers.every})
    which = f" {peers.which}" if peers.which else ""
    if not others:
        only = f"the only node{which or ' there is for it'}"
        return Scope(f"all {total} nodes{which}" if total > 1 else only)
    sound = others <= peers.sound
    alone = " alone" if sound else ""
    what = f"node {names[0]}{alone}" if len(names) == 1 else f"{len(names)} nodes"
    counted = f"{what}, of {total}{which}"
    bad = [scene.nodes[name] for name in names if name in scene.nodes]
    good = [scene.nodes[name] for name in sorted(others)]
    telling = _separating(bad, good) if sound else ""
    if not telling:
        return Scope(counted)
    return Scope(f"{counted}: {telling}", running is not None and user is None)


def _plugin_of(scene: Scene, about: ObjectRef) -> tuple[Plugin | None, Pod | None]:
    """The plugin by its DaemonSet, by one of its pods, or by a pod that asks for its devices.

    That pod comes with it.
    """
    key = (about.namespace, about.name)
    for plugin in scene.plugins:
        component = plugin.component
        if about.kind == "DaemonSet" and key == (component.namespace, component.name):
            return plugin, None
        if about.kind == "Pod" and any((pod.namespace, pod.name) == key for pod in plugin.pods):
            return plugin, None
    if about.kind == "Pod":
        pods = scene.observed.snapshot.pods
        user = next((pod for pod in pods if (pod.namespace, pod.name) == key), None)
        for plugin in scene.plugins:
            if user is not None and set(plugin.resources) & set(user.requests):
                return plugin, user
    return None, None


def _running(scene: Scene, plugin: Plugin, names: Sequence[str], user: Pod | None) -> _Peers | None:
    """Nodes that run the versions of these nodes; None where no pod of the plugin is on these.

    A node with another version, or without any, says nothing of what this one does there; nor does
    a node that has given no devices, where it is about their ``user``.
    """
    posts = {
        post.node.name: post
        for post in scene.posts_by_plugin.get(plugin.component.ref, ())
        if post.pod is not None
    }
    versions = {_version(posts[name]) for name in names if name in posts}
    if not versions:
        return None
    same = {name: post for name, post in posts.items() if _version(post) in versions}
    which = "with this version" if len(versions) == 1 else "with these versions"
    if len(same) == len(posts):
        elsewhere = _could(scene, None if user else plugin, names).every - set(same)
        which = "on which it runs" if elsewhere else ""
    wanted = set(plugin.resources) & set(user.requests) if user else set()
    sound = (
        name
        for name, post in same.items()
        if _well(post)
        if user is None or any(scene.in_use(name, item) for item in wanted)
    )
    return _Peers(frozenset(same), frozenset(sound), which)


def _version(post: Post) -> str:
    return post.pod.revision if post.pod is not None else ""


def _well(post: Post) -> bool:
    """Whether the node shows that it is; a plugin whose names nobody knows, by its pod alone."""
    if post.names:
        return post.sound
    return post.pod is not None and post.pod.ready and not post.condemned


def _could(scene: Scene, plugin: Plugin | None, names: Sequence[str]) -> _Peers:
    """Nodes that the plugin is for, or those with devices where it is about no plugin."""
    if plugin is not None:
        wanted = {node.name for node in scene.wanted_on(plugin)}
        every = wanted or {name for name in names if name in scene.nodes}
    else:
        by_any = {node.name for plugin in scene.plugins for node in scene.wanted_on(plugin)}
        every = {it.name for it in scene.nodes.values() if it.offers or it.name in by_any}
    return _Peers(frozenset(every), frozenset(every))


def _separating(bad: Iterable[Node], good: Iterable[Node]) -> str:
    """The key whose values on bad nodes no good node has: ``exactly those with kernel 5.15``."""
    bad, good = list(bad), list(good)
    for key in CohortKey:
        values = {_value(node, key) for node in bad}
        others = {_value(node, key) for node in good}
        if values and len(values) <= 2 and not values & others and values != {UNKNOWN}:
            return (
                f"exactly those with {key.value} {' or '.join(sorted(values))}; "
                f"the others have {few(sorted(others), 3)}"
            )
    return ""


def _value(node: Node, key: CohortKey) -> str:
    """What a node offers is what has failed there, so it tells no node from another."""
    if key is CohortKey.DEVICE:
        return labelled_device(node) or UNKNOWN
    return cohort_of(node, (key,)).value(key)

"""A resource name stays on a node that nobody serves any more.

Finds: a name without healthy devices on a node where no plugin serves it: the plugin that is known
to have offered it has another name now, by its log where the old capacity still stands; or no
plugin for it is left, and pods ask for it.

Why: the kubelet never deletes a name from its node's status. Pods that ask for the old name stay
Pending, and quotas and dashboards count it.

Sure: the plugin's log registers the new name only. While a plugin for the name runs there it is a
lost stream or a fault of its own instead. Without anybody asking for it the name is harmless.

Do: let workloads ask for the new name; then take the old one out of the node's status if it
disturbs. A rollback does not remove it, and brings its devices back if the former version had it.
"""

import re
from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.own_device import given_up, has_offered
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed, reach_of
from bridgehead.core.diagnose.remedies import remove_name, roll_back
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import set_ref
from bridgehead.core.diagnose.symptom import devices_key, pod_key, resource_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod


def _check(scene: Scene) -> Iterable[Cause]:
    dead: dict[str, list[tuple[Node, str]]] = {}
    for node in scene.nodes.values():
        if node.ready is not True:
            continue
        for name, offer in node.offers.items():
            if offer.allocatable == 0 and _unserved(scene, node, name):
                dead.setdefault(name, []).append((node, _instead(scene, node, name)))
    for name, places in sorted(dead.items()):
        nodes = tuple(node.name for node, _ in places)
        # What an uninstalled plugin leaves behind harms nobody who does not ask for it.
        if any(instead for _, instead in places) or _asking(scene, name, nodes):
            yield _cause(scene, name, places)


def _instead(scene: Scene, node: Node, name: str) -> str:
    """A name of the same domain that the node does have devices of; empty where there is none.

    Only of a plugin that is known to have offered the dead name: two plugins may share a domain.
    """
    own = (it for it in scene.posts_by_node.get(node.name, ()) if _of_domain(it, name))
    if not any(has_offered(scene, post, name) for post in own):
        return ""
    domain = name.partition("/")[0]
    alive = (
        other
        for other, offer in sorted(node.offers.items())
        if other != name and other.partition("/")[0] == domain and offer.allocatable
    )
    return next(alive, "")


def _unserved(scene: Scene, node: Node, name: str) -> bool:
    """Whether no plugin of the node serves the name, nor could, as far as is known."""
    posts = scene.posts_by_node.get(node.name, ())
    instead = _instead(scene, node, name)
    if instead:
        own = [post for post in posts if _of_domain(post, name)]
        told = bool(own) and all("registered" in post.quotes for post in own)
        if node.offers[name].capacity and not told:
            return False
        # Devices that pods hold may be lost to a plugin that serves the name still.
        open_still = scene.in_use(node.name, name) > 0 and not told
        return not open_still and not any(_serves(post, name) for post in own)
    if node.offers[name].capacity:
        return False
    return all(_unrelated(scene, post, name) for post in posts) and bool(
        scene.observed.has(Need.PODS)
    )


def _of_domain(post: Post, name: str) -> bool:
    domain = name.partition("/")[0]
    return any(it.partition("/")[0] == domain for it in post.names)


def _serves(post: Post, name: str) -> bool:
    """Whether the plugin's log speaks of the name, or there is no log that could deny it.

    Without a log the plugin is taken to serve what its names say, if it serves nothing else.
    """
    domain, _, last = name.partition("/")
    lines = [line for key, log in post.logs if not key.previous for line in log.lines]
    if "registered" in post.quotes:
        # Some plugins leave the domain out; where one does not, its last word may be any word.
        said = name if any(f"{domain}/" in line for line in lines) else last
        whole = re.compile(rf"(?<![\w./-]){re.escape(said)}(?![\w/-]|\.\w)")
        return any(whole.search(line) for line in lines)
    return name in post.names and not post.alive


def _unrelated(scene: Scene, post: Post, name: str) -> bool:
    """Whether the plugin has nothing to do with the name.

    That pods ask for it and it is of the plugin's domain tells nothing where the plugin serves
    another name.
    """
    if not post.names or post.plugin.family.offers(name) or has_offered(scene, post, name):
        return False
    served = [it for it in post.plugin.resources if it != name and post.allocatable(it)]
    return name not in post.names or (name not in post.plugin.resources and bool(served))


def _cause(scene: Scene, name: str, places: list[tuple[Node, str]]) -> Cause:
    nodes = tuple(node.name for node, _ in places)
    instead = next((other for _, other in places if other), "")
    asking = _asking(scene, name, nodes)
    known = {item.key for item in scene.symptoms}
    keys = {resource_key(name), *(pod_key(pod) for pod in asking)}
    keys |= {devices_key(node.name, name) for node, other in places if other}
    gone = [node.name for node, _ in places if not node.offers[name].capacity]
    known_names = {node.name: dict(node.offers) for node, _ in places}
    shown = [
        Evidence(f"status of node {node}", ", ".join(f"{it} {known_names[node][it]}" for it in its))
        for node in nodes[:3]
        for its in [[it for it in (name, instead) if it in known_names[node]]]
    ]
    said = f"; {instead} has taken its place" if instead else "; no plugin for it is left there"
    fix = (
        f"Let workloads ask for {instead} instead."
        if instead
        else f"Install the plugin of {name} again, or let workloads ask for what nodes offer."
    )
    renamer = _renamer(scene, name, places)
    new = renamer is not None and given_up(scene, renamer, name) is True
    back = [roll_back(renamer.plugin.component)] if renamer and new else []
    lost = bool(asking) or _gone_everywhere(scene, name, places)
    found = Severity.WARNING if keys & known else Severity.INFO
    return Cause(
        message=f"{name} is a dead name on {listed(nodes)}{said}",
        blame=Blame.CONFIGURATION,
        evidence=(
            *shown,
            *(Evidence(f"spec of pod {pod.ref}", f"asks for {name}") for pod in asking[:2]),
        ),
        refuted_by="a plugin on the node that registers the name",
        object=set_ref(renamer.plugin.component)
        if renamer
        else ObjectRef("v1", "Node", "", nodes[0]),
        nodes=nodes,
        explains=tuple(sorted(keys & known)),
        rollback_helps=RollbackHelps.YES if back else _rollback(scene, name, nodes, renamer),
        ruled_out=(RuledOut("a lost stream", "no plugin of the node serves this name"),),
        actions=(
            *([Action(text=fix)] if asking or back or not gone else [remove_name(gone[0], name)]),
            *back,
        ),
        severity=Severity.ERROR if back and lost else found,
        confidence=Confidence.HIGH if instead else Confidence.MEDIUM,
    )


def _renamer(scene: Scene, name: str, places: list[tuple[Node, str]]) -> Post | None:
    """The plugin that has given up the name for another one; None where none is known."""
    for node, instead in places:
        for post in scene.posts_by_node.get(node.name, ()):
            if instead and _of_domain(post, name) and has_offered(scene, post, name):
                return post
    return None


def _gone_everywhere(scene: Scene, name: str, places: list[tuple[Node, str]]) -> bool:
    """Whether devices are missed under the name, and no node offers any under it."""
    known = {item.key for item in scene.symptoms}
    offers = (offer for node in scene.nodes.values() if (offer := node.offer(name)))
    missed = any(devices_key(node.name, name) in known for node, _ in places)
    return missed and not any(offer.allocatable for offer in offers)


def _rollback(
    scene: Scene, name: str, nodes: tuple[str, ...], renamer: Post | None
) -> RollbackHelps:
    """Open where another version still serves the name elsewhere; no version removes a name.

    Nor is it said of a plugin that failed over it in a run, which has tried the former version; nor
    of one with a former version of which nobody knows what names it had.
    """
    posts = [post for node in nodes for post in scene.posts_by_node.get(node, ())]
    untold = renamer is not None and given_up(scene, renamer, name) is None
    if untold or any(post.condemned for post in posts):
        return RollbackHelps.UNKNOWN
    served = any(post.sound and name in post.names for post in scene.posts)
    renamed = [post for post in posts if name in post.names]
    blamed = {reach_of(scene, group).blame for group in by_plugin(renamed)}
    both = served and Blame.VERSION in blamed
    return RollbackHelps.UNKNOWN if both else RollbackHelps.NO


def _asking(scene: Scene, name: str, nodes: tuple[str, ...]) -> list[Pod]:
    """Pods that wait for the name, where no node outside of these has devices of it."""
    others = (node for node in scene.nodes.values() if node.name not in nodes)
    if any(offer.allocatable for node in others for offer in [node.offer(name)] if offer):
        return []
    return sorted(
        (pod for pod in scene.waiting_pods if name in pod.requests), key=lambda pod: pod.ref
    )


RULE = DiagnosisRule(
    name="dead-resource-name",
    severity=Severity.WARNING,
    level=3,
    references=("NVIDIA#240", "intel#205", "kubernetes#92396", "kubernetes#52510"),
    cases=("LOSS-7",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.HISTORY}),
    supersedes=frozenset({"fewer-devices"}),
    check=_check,
)

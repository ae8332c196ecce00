"""What cannot be judged yet: what is missing in the first minute of a plugin or a kubelet.

Such a gap is no symptom, as every start has one. It is no health either: whoever looks then must be
told to look again.
"""

import math
from collections.abc import Iterable

from bridgehead.core.diagnose.daemon_set_symptoms import on_their_way
from bridgehead.core.diagnose.device_hints import lacks_device
from bridgehead.core.diagnose.device_symptoms import Survey, just_began, young_pod
from bridgehead.core.diagnose.diagnosis import TooEarly
from bridgehead.core.diagnose.patience import PATIENCE
from bridgehead.core.diagnose.pod_state import unsound
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod

_NO_FAULT = ("registered", "kubelet-back", "device-listed")
"""Marks in logs that speak of no trouble."""


def too_early(scene: Scene) -> tuple[TooEarly, ...]:
    """Plugins on nodes that just began and show fewer devices than they should, or none at all;
    and plugins of which pods may be on their way.

    Silent are nodes of which nothing says that they have devices of the plugin, once any node has:
    that do not even show its name, with a log that tells of no fault.
    """
    return (*_sets(scene), *_posts(scene))


def begun_lately(scene: Scene, component: str, nodes: Iterable[str]) -> tuple[TooEarly, ...]:
    """The component's plugin on these nodes where it has just begun, whatever they show.

    For somebody who knows that it failed there: devices stay on offer for minutes after a plugin is
    gone, so that nothing is missing yet.
    """
    begun = (
        (plugin, scene.nodes[name])
        for plugin in scene.plugins
        for name in nodes
        if plugin.component.ref == component and name in scene.nodes
    )
    found = []
    for plugin, node in begun:
        pod = young_pod(scene, node, plugin)
        if pod is not None:
            text, again = _began(scene, node, pod)
            found.append(TooEarly(component=component, node=node.name, text=text, again=again))
    return tuple(found)


def _sets(scene: Scene) -> Iterable[TooEarly]:
    for plugin in scene.plugins:
        lacking = on_their_way(scene, plugin)
        if lacking is not None:
            what, age = lacking
            yield TooEarly(
                component=plugin.component.ref, node="", text=what, again=_left(max(0.0, age))
            )


def _posts(scene: Scene) -> tuple[TooEarly, ...]:
    begun = [
        (node, plugin, pod)
        for node in scene.nodes.values()
        for plugin in scene.plugins
        for pod in (young_pod(scene, node, plugin),)
        if not scene.observed.verdicts.gate(plugin.component.ref, node.name)
        if (pod is not None and not _failed(scene, pod))
        or (pod is None and just_began(scene, node))
    ]
    if not begun:
        return ()
    survey = Survey(scene)
    judged = {node.name for node in survey.nodes}
    found = (_point(scene, survey, *item) for item in begun if item[0].name in judged)
    return tuple(item for item in found if item is not None)


def _failed(scene: Scene, pod: Pod) -> bool:
    """Whether its own status says already what keeps it from starting: that is judged."""
    return not pod.deleting and bool(unsound(pod, scene.now, PATIENCE))


def _point(
    scene: Scene, survey: Survey, node: Node, plugin: Plugin, pod: Pod | None
) -> TooEarly | None:
    ref = plugin.component.ref
    gaps = [survey.gap(node, name) for name in survey.names[ref]]
    shown = [item.text for item in gaps if item is not None and not item.guessed]
    what = "; ".join(shown)
    if not what and pod is not None:
        unseen = _unseen(survey, node, plugin)
        what = "it offers nothing yet" if unseen else _doubtful(scene, survey, node, plugin, pod)
    if not what:
        return None
    began, left = _began(scene, node, pod)
    return TooEarly(component=ref, node=node.name, text=f"{began}; {what}", again=left)


def _doubtful(scene: Scene, survey: Survey, node: Node, plugin: Plugin, pod: Pod) -> str:
    """What speaks of trouble where nothing tells that the node should have devices; else empty.

    A name that is there with nothing behind it may be all that is left of devices, or not yet more.
    """
    ref = plugin.component.ref
    offers = [(name, offer) for name in survey.names[ref] if (offer := node.offer(name))]
    if pod.deleting or any(offer.allocatable for _, offer in offers):
        return ""
    here = (it for it in scene.posts_by_plugin.get(ref, ()) if it.node.name == node.name)
    post = next(here, None)
    if post is None or lacks_device(post):
        return ""
    faults = [quote for key, quote in post.quotes.items() if key not in _NO_FAULT]
    if faults:
        return f"its log says: {faults[0].evidence.text}"
    return next((f"the node shows {name} {offer} so far" for name, offer in offers), "")


def _unseen(survey: Survey, node: Node, plugin: Plugin) -> bool:
    """Whether nobody has seen a device of the plugin anywhere, nor any here that may be its."""
    if not survey.is_dark([plugin]):
        return False
    named = bool(survey.names[plugin.component.ref])
    return named or not any(offer.allocatable for offer in node.offers.values())


def _began(scene: Scene, node: Node, pod: Pod | None) -> tuple[str, int]:
    """What has just begun, and after how many seconds it may be judged."""
    if pod is None:
        age = scene.now - scene.kubelet_starts[node.name].at
        return f"the kubelet of node {node.name} started {age:.0f} s ago", _left(age)
    name = f"plugin pod {pod.ref} on node {node.name}"
    if pod.deleting:
        return f"{name} is on its way out", _left(0.0)
    age = scene.now - pod.created
    return f"{name} started {age:.0f} s ago", _left(age)


def _left(age: float) -> int:
    """Seconds until it can be judged; what hangs for longer is looked at again after as long."""
    return math.ceil(PATIENCE - age) if age < PATIENCE else int(PATIENCE)

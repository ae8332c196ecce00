"""Which resources a device plugin offers, where nobody has said so: inferred, and how surely."""

import re
from collections.abc import Iterable, Sequence

import msgspec

from bridgehead.core.components.family import family_of
from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.components.signature import Family
from bridgehead.core.model.component import Component
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import canonical, child, children
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod

# Node Feature Discovery publishes resources without any plugin; names without a domain are in its
# own. Source: https://nfd.sigs.k8s.io/usage/customization-guide (extended resources)
_NFD = "nfd.node.kubernetes.io/extended-resources"
_NFD_DOMAIN = "feature.node.kubernetes.io"


class Offered(msgspec.Struct, frozen=True):
    """Resources of a component, sorted, and what they were inferred from."""

    resources: tuple[str, ...]
    how: str
    confidence: Confidence


class _Plugin(msgspec.Struct, frozen=True):
    """A device plugin with the nodes that have its pods and those that have none."""

    component: Component
    family: Family
    here: tuple[Node, ...]
    elsewhere: tuple[Node, ...]


def offered_by(
    components: Iterable[Component], nodes: Sequence[Node], pods: Iterable[Pod]
) -> dict[str, Offered]:
    """The resources of every device plugin among the components, by the component's ``ref``.

    A family claims its own names. Of the names left, a plugin of no known family gets those that
    its template names, else those that are offered only where its pods are.
    """
    plugins = _plugins(components, nodes, tuple(pods))
    found = {item.component.ref: _of_family(item) for item in plugins if item.family.resources}
    claimed = {name for offer in found.values() for name in offer.resources} | _published(nodes)
    unknown = [item for item in plugins if not item.family.resources]
    for item in unknown:
        named = _named(item, claimed)
        if named:
            found[item.component.ref] = Offered(named, "named in its template", Confidence.HIGH)
    claimed |= {name for offer in found.values() for name in offer.resources}
    left = [item for item in unknown if item.component.ref not in found]
    guesses = {item.component.ref: _only_here(item, claimed) for item in left}
    for item in left:
        found[item.component.ref] = _guess(item, guesses)
    return dict(sorted(found.items()))


def pods_of(component: Component, pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """Pods that belong to the component: by its uid or, in records without uids, by its name."""
    return tuple(pod for pod in pods if owns(component, pod))


def owns(component: Component, pod: Pod) -> bool:
    """Whether the component's controller made the pod."""
    if component.uid and pod.owner_uid:
        return pod.owner_uid == component.uid
    named = (pod.owner_kind, pod.namespace, pod.owner_name)
    return named == ("DaemonSet", component.namespace, component.name)


def _plugins(
    components: Iterable[Component], nodes: Sequence[Node], pods: tuple[Pod, ...]
) -> list[_Plugin]:
    daemons = [pod for pod in pods if pod.owner_kind == "DaemonSet" and not pod.terminal]
    found = []
    for component in sorted(components, key=lambda item: item.ref):
        if not is_device_plugin(component):
            continue
        names = {pod.node for pod in pods_of(component, daemons)}
        here = tuple(node for node in nodes if node.name in names)
        elsewhere = tuple(node for node in nodes if node.name not in names)
        found.append(_Plugin(component, family_of(component.template), here, elsewhere))
    return found


def _of_family(plugin: _Plugin) -> Offered:
    names = {name for name in _names(plugin.here) if plugin.family.offers(name)}
    how = f"names of the {plugin.family.name} family on nodes with its pods"
    live = _alive(plugin.here, names)
    if live:
        return Offered(live, how, Confidence.HIGH)
    if names:
        return Offered(
            tuple(sorted(names)), f"{how}, none of which has a device now", Confidence.LOW
        )
    return Offered(
        (), f"no node with its pods shows a name of the {plugin.family.name} family", Confidence.LOW
    )


def _named(plugin: _Plugin, claimed: set[str]) -> tuple[str, ...]:
    """Resources of its nodes whose names stand in what its containers are given.

    A nodeSelector or a toleration may be keyed by the same name and says nothing of the kind.
    """
    spec = child(plugin.component.template, "spec")
    containers = (*children(spec, "initContainers"), *children(spec, "containers"))
    given = [
        {key: item[key] for key in ("command", "args", "env") if key in item} for item in containers
    ]
    written = canonical(given)
    names = (name for name in _names(plugin.here) if name not in claimed)
    return tuple(
        name for name in names if re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])", written)
    )


def _only_here(plugin: _Plugin, claimed: set[str]) -> tuple[str, ...]:
    """Resources with devices on nodes with its pods and none on nodes without.

    Allocatable tells, not capacity: that stays for five minutes after a plugin has gone.
    """
    names = {name for name in _names(plugin.here) if name not in claimed}
    return tuple(
        name
        for name in _alive(plugin.here, names)
        if not any(
            name in node.offers and node.offers[name].allocatable for node in plugin.elsewhere
        )
    )


def _guess(plugin: _Plugin, guesses: dict[str, tuple[str, ...]]) -> Offered:
    own = guesses[plugin.component.ref]
    if not own:
        how = "no resource is offered only on nodes with its pods"
        return Offered((), how, Confidence.LOW)
    rivals = sorted(ref for ref, names in guesses.items() if set(names) & set(own))
    rivals.remove(plugin.component.ref)
    if rivals:
        how = f"offered only on nodes with its pods, but {', '.join(rivals)} run there too"
        return Offered(own, how, Confidence.LOW)
    if plugin.elsewhere:
        return Offered(own, "offered only on nodes with its pods", Confidence.MEDIUM)
    how = "its pods run on every node, and no other plugin is known to offer it"
    return Offered(own, how, Confidence.MEDIUM)


def _published(nodes: Iterable[Node]) -> set[str]:
    """Resources that Node Feature Discovery itself publishes."""
    listed = {
        name.strip()
        for node in nodes
        for name in node.annotations.get(_NFD, "").split(",")
        if name.strip()
    }
    return {name if "/" in name else f"{_NFD_DOMAIN}/{name}" for name in listed}


def _names(nodes: Iterable[Node]) -> list[str]:
    return sorted({name for node in nodes for name in node.offers})


def _alive(nodes: Iterable[Node], names: set[str]) -> tuple[str, ...]:
    """Those names that have healthy devices on one of the nodes or, if none has, any devices."""
    offers = [
        (name, offer) for node in nodes for name, offer in node.offers.items() if name in names
    ]
    healthy = {name for name, offer in offers if offer.allocatable}
    present = {name for name, offer in offers if offer.capacity}
    return tuple(sorted(healthy or present))

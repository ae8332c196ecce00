"""R5: remove a resource name that nobody offers any more from a node's status."""

from collections.abc import Iterator

from bridgehead.core.components.family import family_of_images
from bridgehead.core.diagnose.scene import Plugin
from bridgehead.core.findings.standing import few
from bridgehead.core.inventory.plugins import registers_devices
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.device import Offer
from bridgehead.core.model.durations import duration_text
from bridgehead.core.model.node import Node
from bridgehead.core.recover.assessment import Assessment, diagnosed, nobody_elses, seldom
from bridgehead.core.recover.precondition import Precondition, judged
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Situation

_NONE = Offer(0, 0)


def dead_name(situation: Situation) -> Assessment:
    """R5 in this situation; the name is the one that is meant, else the one at 0/0."""
    names = _candidates(situation)
    name = names[0] if len(names) == 1 else ""
    node = situation.node.name
    return Assessment(
        rung=Rung.DEAD_NAME,
        preconditions=tuple(_preconditions(situation, names)),
        would=(
            f"remove {name or 'the name'} from capacity and allocatable in the status of node "
            f"{node}, if both are still 0 at that moment",
        ),
        would_not=(
            "touch any other name, or a name that a pod asks for",
            "keep it away for good: a kubelet that restarts may bring back names from its "
            "checkpoint",
        ),
        names=(name,) if name else (),
    )


def _candidates(situation: Situation) -> tuple[str, ...]:
    if situation.resource:
        return (situation.resource,)
    return tuple(sorted(name for name, offer in situation.node.offers.items() if offer == _NONE))


def _preconditions(situation: Situation, names: tuple[str, ...]) -> Iterator[Precondition]:
    node = situation.node
    yield diagnosed(situation, Rung.DEAD_NAME)
    yield nobody_elses(situation)
    what = "one name is meant, and it is at 0/0"
    if len(names) != 1:
        listed = ", ".join(names) or "none"
        yield judged(
            what, False, f"names of node {node.name} at 0/0: {listed}; name one with --resource"
        )
        return
    name = names[0]
    offer = node.offer(name)
    shown = str(offer) if offer else "absent"
    yield judged(what, offer == _NONE, f"node {node.name} shows {name} {shown}")
    yield _long_enough(situation, name)
    yield _no_claimant(situation, name)
    yield _no_requester(situation, name)
    yield _rate(situation)


def _long_enough(situation: Situation, name: str) -> Precondition:
    """By readings: each of them 0/0, the oldest old enough, and nothing else since."""
    needed = situation.limits.dead_for
    what = f"it has shown 0/0 for more than {duration_text(needed)}"
    mine = sorted(
        (
            (item.at, (item.capacity, item.allocatable))
            for item in (*situation.scene.observed.history, *situation.readings)
            if (item.node, item.resource) == (situation.node.name, name)
        ),
        reverse=True,
    )
    since = situation.now
    for at, shown in mine:
        if shown != (0, 0):
            return judged(
                what, False, f"{situation.now - at:.0f} s ago it showed {shown[0]}/{shown[1]}"
            )
        since = at
        if situation.now - since > needed:
            return judged(what, True, f"read at 0/0 {situation.now - since:.0f} s ago and now")
    return judged(
        what,
        None,
        f"read at 0/0 for {situation.now - since:.0f} s: with --yes it is watched for that long; "
        "--baseline with an older inventory tells too",
    )


def _no_claimant(situation: Situation, name: str) -> Precondition:
    what = "no plugin claims it"
    offering = [
        f"{node.name} {offer}"
        for node in situation.scene.nodes.values()
        for offer in [node.offer(name)]
        if offer is not None and offer.capacity
    ]
    if offering:
        return judged(what, False, f"it is offered on {few(offering, 3)}")
    claims = {ref: claim for ref, claim in _claims(situation, name) if claim is not False}
    sure = [ref for ref, claim in claims.items() if claim]
    if sure:
        return judged(what, False, f"{', '.join(sure)} runs on the node and offers such names")
    if claims:
        open_still = ", ".join(claims)
        return judged(what, None, f"what {open_still} on the node offers is not known")
    if any(item.what.split()[:1] == ["daemonsets"] for item in situation.scene.observed.unread):
        return judged(what, None, "not all DaemonSets could be read")
    return judged(what, True, "no node offers a device of it, and no plugin there does")


def _claims(situation: Situation, name: str) -> Iterator[tuple[str, bool | None]]:
    """Whoever can register devices on the node, and whether the name is theirs; None: not known.

    A plugin that has lost all devices shows the same zeros as one that has gone.
    """
    node = situation.node.name
    for plugin in situation.scene.plugins:
        if plugin.pod_on(node) is not None:
            yield plugin.component.ref, _offers(situation.node, plugin, name)
    for pod in situation.scene.pods_on(node):
        if pod.owner_kind != "DaemonSet" and not pod.terminal and registers_devices(pod):
            family = family_of_images(
                item.image for item in (*pod.init_containers, *pod.containers)
            )
            yield f"pod {pod.ref}", family.offers(name) if family.resources else None


def _offers(node: Node, plugin: Plugin, name: str) -> bool | None:
    """A plugin that has devices there under another name has renamed them: LOSS-7 of the study."""
    if name in plugin.resources:
        return True
    if plugin.family.offers(name):
        return not any(offer and offer.capacity for offer in map(node.offer, plugin.resources))
    known = plugin.family.resources or plugin.offered.confidence is not Confidence.LOW
    return False if known else None


def _no_requester(situation: Situation, name: str) -> Precondition:
    what = "no pod asks for it"
    observed = situation.scene.observed
    asking = sorted(
        pod.ref for pod in observed.snapshot.pods if pod.requests.get(name) and not pod.terminal
    )
    if asking:
        return judged(what, False, few(asking))
    if any(item.what.split()[:1] == ["pods"] for item in observed.unread):
        return judged(what, None, "not all pods could be read")
    return judged(what, True, "no pod that has not ended does, in any namespace")


def _rate(situation: Situation) -> Precondition:
    seconds = situation.limits.removes_after
    what = f"at most one removal a node in {seconds / 60:.0f} min"
    return seldom(situation, Rung.DEAD_NAME, seconds, what)

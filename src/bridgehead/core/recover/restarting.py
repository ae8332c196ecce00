"""R1: restart the plugin pod of one node, once, and expect the devices back soon."""

from collections.abc import Iterator

from bridgehead.core.components.resources import pods_of
from bridgehead.core.findings.standing import few
from bridgehead.core.inventory.plugins import standing_revision
from bridgehead.core.model.pod import Pod
from bridgehead.core.recover.assessment import (
    Assessment,
    diagnosed,
    no_open_run,
    nobody_elses,
    seldom,
)
from bridgehead.core.recover.ladder import HANGS, SHRINKS
from bridgehead.core.recover.past import DAY
from bridgehead.core.recover.precondition import Precondition, judged
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import NamedCause, Situation
from bridgehead.core.recover.waiting import needed, settled
from bridgehead.core.recover.xids import xid_class


def restarting(situation: Situation) -> Assessment:
    """R1 in this situation."""
    pod = situation.pod
    within = min((item.fit.within for item in _fitting(situation)), default=120.0)
    gone = f"delete pod {pod.ref} (uid {pod.uid}) of node {pod.node}" if pod else "delete nothing"
    return Assessment(
        rung=Rung.RESTART,
        preconditions=tuple(_preconditions(situation)),
        would=(
            gone,
            "its DaemonSet makes a new one from the template that stands",
            f"the devices have to be back within {within:.0f} s; else it stops and says so",
        ),
        would_not=(
            "restart plugins of other nodes, or make a new revision (kubectl rollout restart does)",
            "remove sockets, restart the kubelet, or end pods that hold devices: a restart of the "
            "plugin leaves them running",
        ),
        pods=(pod,) if pod else (),
        within=within,
    )


def _preconditions(situation: Situation) -> Iterator[Precondition]:
    yield diagnosed(situation, Rung.RESTART)
    yield from _never(situation)
    yield no_open_run(situation)
    yield nobody_elses(situation)
    yield _ready(situation)
    yield _pod(situation)
    yield needed(situation)
    yield settled(situation)
    yield _same_version(situation)
    yield _healthy_elsewhere(situation)
    yield _image(situation)
    yield judged(
        "the namespace takes a pod of the template (dry run)",
        situation.dry_run.accepted,
        situation.dry_run.said,
    )
    yield from _idle(situation)
    yield from _application_error(situation)
    yield _rate(situation)


def _fitting(situation: Situation) -> tuple[NamedCause, ...]:
    return tuple(item for item in situation.faults if Rung.RESTART in item.rungs)


def _never(situation: Situation) -> Iterator[Precondition]:
    what = "nothing that is seen speaks against a restart"
    for item in situation.faults:
        if item.fit.never:
            yield judged(what, False, f"{item.rule}: {item.fit.never}")
            return
    stuck = _stuck(situation)
    if stuck:
        yield judged(what, False, f"{stuck}; if the plugin hangs: {HANGS}")
        return
    yield judged(what, True, "no cause and no stuck pod does")


def _stuck(situation: Situation) -> str:
    """Pods that the kubelet has not taken up for a minute, or that do not end: it may hang."""
    waiting = [
        pod
        for pod in situation.scene.pods_on(situation.node.name)
        if pod.bound
        and not pod.terminal
        and not pod.admitted
        and situation.now - pod.created >= situation.limits.settling
    ]
    if not waiting:
        return ""
    oldest = min(waiting, key=lambda pod: pod.created)
    age = situation.now - oldest.created
    return f"pod {oldest.ref} is bound to the node for {age:.0f} s and not taken up there"


def _ready(situation: Situation) -> Precondition:
    said = {True: "True", False: "False", None: "Unknown"}[situation.node.ready]
    return judged(
        "the node is Ready",
        situation.node.ready is True,
        f"condition Ready of node {situation.node.name}: {said}",
    )


def _pod(situation: Situation) -> Precondition:
    what = "the node has a plugin pod that its DaemonSet replaces"
    pod = situation.pod
    if pod is None:
        ref = situation.plugin.component.ref
        return judged(what, False, f"{ref} has no pod on node {situation.node.name}")
    if pod.deleting:
        return judged(what, False, f"pod {pod.ref} is ending already")
    return judged(what, True, f"pod {pod.ref}, made by {pod.owner_kind} {pod.owner_name}")


def _standing(situation: Situation) -> str:
    component = situation.plugin.component
    revisions = situation.scene.observed.snapshot.revisions_of(component)
    found = standing_revision(component, revisions)
    return found.hash if found else ""


def _same_version(situation: Situation) -> Precondition:
    what = "the pod comes back on the revision that it has"
    pod, standing = situation.pod, _standing(situation)
    if not standing:
        return judged(what, None, "no ControllerRevision holds the template that stands")
    if pod is None:
        return judged(what, None, f"no pod to compare with the standing revision {standing}")
    if pod.revision != standing:
        return judged(
            what,
            False,
            f"pod {pod.ref} is of revision {pod.revision}, and {standing} stands: to restart it "
            "would be to change it",
        )
    return judged(what, True, f"pod {pod.ref} is of revision {standing}, which stands")


def _healthy_elsewhere(situation: Situation) -> Precondition:
    what = "the same revision is healthy on another node"
    pod = situation.pod
    if pod is None:
        return judged(what, None, "there is no pod whose revision could be looked for")
    others = [
        item
        for item in pods_of(situation.plugin.component, situation.plugin.pods)
        if item.node != pod.node and item.revision == pod.revision and not item.terminal
    ]
    if not others:
        return judged(what, None, f"no other node runs revision {pod.revision}")
    good = sorted(item.node for item in others if item.ready and _offers(situation, item))
    if not good:
        return judged(
            what, False, f"none of {len(others)} other nodes with {pod.revision} offers its devices"
        )
    return judged(what, True, f"revision {pod.revision} on {few(good, 3)}")


def _offers(situation: Situation, pod: Pod) -> bool:
    node = situation.scene.nodes.get(pod.node)
    if node is None or node.ready is not True:
        return False
    offers = [node.offers[name] for name in situation.resources if name in node.offers]
    return any(item.allocatable for item in offers) and all(
        item.allocatable == item.capacity for item in offers
    )


def _image(situation: Situation) -> Precondition:
    what = "the image is on the node"
    pod = situation.pod
    if pod is None:
        return judged(what, None, "there is no pod whose image could be looked for")
    lacking = [
        item
        for item in (*pod.init_containers, *pod.containers)
        if not item.image_id and not _listed(item.image, situation.images)
    ]
    if not lacking:
        return judged(what, True, f"pod {pod.ref} runs it, or the node lists it")
    known = situation.images is not None
    names = ", ".join(sorted({item.image for item in lacking}))
    where = "is not among the images that the node lists" if known else "is not known to be there"
    return judged(what, False if known else None, f"{names} {where}")


def _listed(image: str, images: frozenset[str] | None) -> bool:
    """Whether a node lists the image; runtimes write the registry before what a template names."""
    return images is not None and any(
        item == image or item.endswith(f"/{image}") for item in images
    )


def _idle(situation: Situation) -> Iterator[Precondition]:
    """Families and causes that lose what is held at a restart: the stricter one wins."""
    wanted = [item.rule for item in situation.faults if item.fit.idle]
    family = situation.plugin.family
    if not wanted and not family.shrinks_when_busy:
        return
    why = wanted[0] if wanted else f"the {family.name} family"
    what = f"no pod on the node holds the devices ({why}: {SHRINKS})"
    holders = [pod.ref for pod in situation.holders]
    if holders:
        yield judged(what, False, f"held by {few(holders)}")
    elif _pods_unread(situation):
        yield judged(what, None, "not all pods could be read")
    else:
        yield judged(what, True, f"no pod on node {situation.node.name} holds one")


def _pods_unread(situation: Situation) -> bool:
    return any(item.what.split()[:1] == ["pods"] for item in situation.scene.observed.unread)


def _application_error(situation: Situation) -> Iterator[Precondition]:
    """By what is quoted of this node alone: a cause may be of many, and quotes errors of each."""
    node = situation.node.name
    for item in situation.faults:
        if item.fit.application_only:
            mine = [proof.text for proof in item.evidence if proof.node == node]
            verdict, said = xid_class(mine)
            yield judged("the error is an application's, not the hardware's", verdict, said)


def _rate(situation: Situation) -> Precondition:
    daily = any(item.fit.a_day for item in _fitting(situation))
    seconds = DAY if daily else situation.limits.a_node_restarts_after
    unit = "day" if daily else "hour"
    return seldom(situation, Rung.RESTART, seconds, f"at most one restart a node and {unit}")

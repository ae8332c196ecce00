"""Two plugins of a node offer the same resource.

Finds: a node on which two running pods of different owners offer one resource, or one pod does so
twice while its number of devices flips, is not what it should be, or is below what pods hold.

Why: the list of the one that registered last counts, and pods are given ids that the other plugin
does not know. The end of either takes the resource away with 1.30, and leaves it with the number
that was listed last with 1.37 (both measured).

Sure: two pods on the node mount the kubelet's directory and claim the name; the number goes to and
fro at restarts. With one pod alone, a number that fell by the devices in use is another fault.

Do: leave one claimant for each resource and node: move one away by affinity, or switch off the one
that the operating system, the cloud or an operator brings along. Never delete either blindly.
"""

import re
from collections.abc import Iterable, Mapping

import msgspec

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import SETTLING, Post
from bridgehead.core.diagnose.reach import explained, listed, reach_of
from bridgehead.core.diagnose.remedies import roll_back
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.inventory.plugins import registers_devices
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod

_REGISTERED = re.compile(REGISTERED, re.IGNORECASE)
_ONE_NAME_FAMILIES = ("nvidia", "amd", "hami", "ascend")
"""Families of which every plugin claims the same names; others have a plugin for each name."""


class _Claim(msgspec.Struct, frozen=True):
    who: str
    what: str
    evidence: Evidence
    sure: bool = True
    """False where only its template names the resource, and its log was not read."""


_Place = tuple[Node, list[_Claim], Evidence | None]


def _check(scene: Scene) -> Iterable[Cause]:
    found: dict[tuple[str, tuple[str, ...]], list[_Place]] = {}
    for node in scene.nodes.values():
        for name, claims in sorted(_claims(scene, node).items()):
            sign = _sign(scene, node, name)
            rivals = tuple(sorted({claim.who for claim in claims}))
            sure = sorted({claim.who for claim in claims if claim.sure})
            if len(sure) > 1 or (len(claims) > 1 and sign):
                found.setdefault((name, rivals), []).append((node, claims, sign))
    for (name, rivals), places in sorted(found.items()):
        yield _cause(scene, name, rivals, places)


def _claims(scene: Scene, node: Node) -> Mapping[str, list[_Claim]]:
    """Who claims which resource on the node; those that are going are left out."""
    found: dict[str, list[_Claim]] = {}
    for post in scene.posts_by_node.get(node.name, ()):
        for name, claim in _of_post(scene, post):
            found.setdefault(name, []).append(claim)
    for name, claim in _of_others(scene, node):
        found.setdefault(name, []).append(claim)
    return found


def _of_post(scene: Scene, post: Post) -> Iterable[tuple[str, _Claim]]:
    component = post.plugin.component
    for pod in _running(scene, component, post):
        for name in post.names:
            lines = _registrations(post, name) if pod is post.pod else []
            sure = post.plugin.family.name in _ONE_NAME_FAMILIES or bool(lines)
            guessed = not post.logs and _named(component, name)
            if not (sure or guessed) or name not in post.node.offers:
                continue
            said = f"{pod.ref} of {component.ref} claims {name}"
            proof = Evidence(f"pods of node {post.node.name}", said)
            yield name, _Claim(component.ref, name, proof, sure)
            if len(lines) > 1 and "kubelet-back" not in post.quotes:
                yield name, _Claim(component.ref, name, lines[-1])


def _running(scene: Scene, component: Component, post: Post) -> list[Pod]:
    """The plugin's pods on the node that run for a while and are not going; two with a surge."""
    return [
        pod
        for pod in scene.pods_on(post.node.name)
        if (pod.owner_kind, pod.namespace, pod.owner_name)
        == ("DaemonSet", component.namespace, component.name)
        and pod.phase == "Running"
        and not pod.deleting
        and scene.now - pod.created >= SETTLING
    ]


def _named(component: Component, name: str) -> bool:
    return name in str(component.template)


def _registrations(post: Post, name: str) -> list[Evidence]:
    """Each registration of the name by the process that runs now."""
    return [
        Evidence(f"log {key}:{log.number_of(index)}", line)
        for key, log in post.logs
        if not key.previous
        for index, line in enumerate(log.lines)
        if name in line and _REGISTERED.search(line)
    ]


def _of_others(scene: Scene, node: Node) -> Iterable[tuple[str, _Claim]]:
    """Pods outside of DaemonSets that register, and plugins inside of the operating system."""
    names = [name for name in node.offers if name.startswith("nvidia.com/")]
    for pod in scene.pods_on(node.name):
        outside = pod.owner_kind != "DaemonSet" and pod.phase == "Running" and not pod.deleting
        if outside and registers_devices(pod):
            images = [item.image for item in pod.containers]
            for name in names if any("nvidia" in image for image in images) else ():
                proof = Evidence(f"pods of node {node.name}", f"{pod.ref} registers devices")
                yield name, _Claim(f"pod/{pod.ref}", name, proof)
    image = node.os_image.lower()
    if image.startswith("bottlerocket") and "nvidia" in image:
        for name in names:
            proof = Evidence(f"nodeInfo of node {node.name}", f"osImage {node.os_image}")
            yield name, _Claim("the plugin inside of Bottlerocket", name, proof)


def _sign(scene: Scene, node: Node, name: str) -> Evidence | None:
    """What is wrong with the number, if anything."""
    history = scene.trajectory(node.name, name)
    if history.flips:
        return history.evidence
    offer, held = node.offer(name), scene.in_use(node.name, name)
    shown = str(offer) if offer else "absent"
    if offer is not None and offer.allocatable < held:
        return Evidence(f"status of node {node.name}", f"{name} {shown}, and pods hold {held}")
    expected = scene.expected(node.name, name)
    if expected is None or offer is None or offer.allocatable == expected.count:
        return None
    said = f"{name} {shown}, expected {expected.count} ({expected.basis})"
    return Evidence(f"status of node {node.name}", said)


def _cause(
    scene: Scene,
    name: str,
    rivals: tuple[str, ...],
    places: list[_Place],
) -> Cause:
    nodes = tuple(sorted(node.name for node, _, _ in places))
    # The place that shows it best stands for all.
    _, claims, sign = min(places, key=lambda place: (place[2] is None, place[0].name))
    posts = [
        post
        for node in nodes
        for post in scene.posts_by_node.get(node, ())
        if name in post.names and post.plugin.component.ref in rivals
    ]
    # A process that claims it twice is a fault of its version; of two owners either may be right.
    reach = reach_of(scene, posts) if posts and len(rivals) == 1 else None
    of_version = reach is not None and reach.blame is Blame.VERSION
    who = " and ".join(rivals) if len(rivals) > 1 else f"{rivals[0]}, twice"
    flips = any(scene.trajectory(node, name).flips for node in nodes)
    return Cause(
        message=f"{name} has two claimants on {listed(nodes)}: {who}",
        blame=Blame.VERSION if of_version else Blame.SECOND_WRITER,
        evidence=(*(claim.evidence for claim in claims[:3]), *([sign] if sign else [])),
        refuted_by="only one of them registering the name, by its log",
        object=ObjectRef("v1", "Node", "", nodes[0]),
        nodes=nodes,
        explains=explained(scene, posts),
        rollback_helps=reach.rollback if reach and of_version else RollbackHelps.NO,
        ruled_out=(RuledOut("devices lost at a restart", "more than one claims the name"),),
        actions=(
            *([roll_back(posts[0].plugin.component)] if of_version else []),
            Action(
                text="Find out who owns each of them, and leave one for this resource on each "
                "node: by affinity, or by switching one off where it is configured.",
                command=f"kubectl get pods -A -o wide --field-selector=spec.nodeName={nodes[0]}",
                rung="" if of_version else "runbook",
            ),
        ),
        severity=None if sign else Severity.WARNING,
        confidence=Confidence.HIGH if flips or (sign and len(rivals) > 1) else Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="two-claimants",
    severity=Severity.ERROR,
    level=3,
    references=(
        "bottlerocket-os/bottlerocket#4309",
        "bottlerocket-os/bottlerocket#3849",
        "kubernetes#127803",
    ),
    cases=("LOSS-4",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.HISTORY}),
    supersedes=frozenset({"fewer-devices", "stream-ended"}),
    check=_check,
)

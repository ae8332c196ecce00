"""A device was unplugged, and the pod that has it goes on.

Finds: a node that offers fewer devices than its pods hold, where the plugin's process is older than
those pods, so that the devices did not go at one of its restarts; and capacity has fallen with
allocatable, or the plugin's log says that a device was removed.

Why: nothing is wrong with plugin or kubelet. The list follows the hardware, and by design the
kubelet does not stop a pod whose device has gone or is unhealthy (kubernetes#60388, #79228).

Sure: the plugin has not restarted since the pods got their devices, and its log has no error of the
device. After a restart that lost devices in use the plugin is younger than the pods.

Do: nothing by itself. Whoever wants such pods to be moved needs a controller that does it.
"""

import re
from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.free_devices import Room, holders_text, room_on
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence, stamp

_REMOVED = re.compile(
    r"\b(device|devices|usb|card|path)\b.*\b(unplugged|removed|disappeared|detached)\b",
    re.IGNORECASE,
)
_FAULTS = ("device-error", "device-lost")


def _check(scene: Scene) -> Iterable[Cause]:
    for post in scene.posts:
        for name in post.names:
            room = room_on(scene, post.node.name, name)
            if room is not None and _is_unplugged(post, room):
                yield _cause(post, room)


def _is_unplugged(post: Post, room: Room) -> bool:
    offer = room.offer
    if offer.allocatable >= room.in_use or not offer.capacity:
        return False
    if offer.capacity != offer.allocatable and _removal(post) is None:
        return False
    if not post.running or post.started is None or post.quote(*_FAULTS) is not None:
        return False
    return all(post.started <= pod.created and not pod.deleting for pod in room.holders)


def _removal(post: Post) -> Evidence | None:
    """The last line of the plugin's log that says that a device went away."""
    found = [
        Evidence(f"log {key}:{log.number_of(index)}", line)
        for key, log in post.logs
        if not key.previous
        for index, line in enumerate(log.lines)
        if _REMOVED.search(line)
    ]
    return found[-1] if found else None


def _cause(post: Post, room: Room) -> Cause:
    assert post.started is not None
    plugin = post.pod.ref if post.pod is not None else ""
    removal = _removal(post)
    return Cause(
        message=f"node {room.node} offers {room.offer.allocatable} {room.resource} and its pods "
        f"hold {room.in_use}: devices were unplugged under them, and the pods stay by design",
        blame=Blame.EXPECTED,
        object=ObjectRef("v1", "Node", "", room.node),
        nodes=(room.node,),
        explains=tuple(item.key for item in post.symptoms if item.resource == room.resource),
        evidence=(
            room.evidence,
            Evidence(f"requests of {room.resource}", holders_text((room,))),
            Evidence(f"status of pod {plugin}", f"running since {stamp(post.started)}"),
            *((removal,) if removal is not None else ()),
        ),
        refuted_by="the plugin's log tells of an error, or the devices are on the node still",
        ruled_out=(
            RuledOut("devices lost at a restart", "the plugin runs for longer than the holders"),
            RuledOut("a fault of a device", "the plugin's log tells of none"),
        ),
        actions=(Action(text="If the device is meant to stay away, make the pods anew elsewhere"),),
        rollback_helps=RollbackHelps.NO,
    )


RULE = DiagnosisRule(
    name="device-unplugged",
    severity=Severity.INFO,
    level=3,
    supersedes=frozenset({"devices-unhealthy", "fewer-devices"}),
    cases=("CONF-8",),
    references=(
        "squat/generic-device-plugin#74",
        "squat/generic-device-plugin#61",
        "kubernetes#60388",
        "kubernetes#79228",
    ),
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.LOGS}),
    check=_check,
)

"""A device was unplugged, and the pod that has it goes on.

Finds: a node that offers fewer devices than its pods hold, where the plugin's process is older than
those pods, so that the devices did not go at one of its restarts; and capacity has fallen with
allocatable, or the plugin's log says that a device was removed. None left (0/0) counts where other
nodes gained as many in that time, though neither plugin nor kubelet started there: held or not,
those devices were moved.

Why: nothing is wrong with plugin or kubelet. The list follows the hardware, and by design the
kubelet does not stop a pod whose device has gone or is unhealthy (kubernetes#60388, #79228).

Sure: the plugin has not restarted since the pods got their devices, and its log has no error of the
device. After a restart that lost devices in use the plugin is younger than the pods. 0/0 alone
proves nothing: a stream that ended shows the same, but no other node gains by it.

Do: nothing by itself. Whoever wants such pods to be moved needs a controller that does it.
"""

import re
from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.free_devices import Room, holders_text, room_on
from bridgehead.core.diagnose.losing import NOT_REGISTERED, says_any
from bridgehead.core.diagnose.moved_devices import Move, moves_of
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.told import kubelet_quote
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence, stamp
from bridgehead.core.model.confidence import Confidence

_REMOVED = re.compile(
    r"\b(device|devices|usb|card|path)\b.*\b(unplugged|removed|disappeared|detached)\b",
    re.IGNORECASE,
)
_FAULTS = ("device-error", "device-lost")


def _check(scene: Scene) -> Iterable[Cause]:
    for posts in by_plugin(scene.posts):
        moves = {name: moves_of(scene, posts, name) for name in posts[0].names}
        for post in posts:
            for name in post.names:
                move = moves[name].get(post.node.name)
                room = room_on(scene, post.node.name, name)
                if room is not None and _is_unplugged(scene, post, room, move):
                    yield _cause(post, room, move)


def _is_unplugged(scene: Scene, post: Post, room: Room, move: Move | None) -> bool:
    offer = room.offer
    if offer.allocatable >= room.in_use and (move is None or room.resource not in post.short):
        return False
    if not offer.capacity and (move is None or _lost_touch(scene, post)):
        return False
    if offer.capacity != offer.allocatable and _removal(post) is None:
        return False
    if not post.running or post.started is None or post.quote(*_FAULTS) is not None:
        return False
    return all(post.started <= pod.created and not pod.deleting for pod in room.holders)


def _lost_touch(scene: Scene, post: Post) -> bool:
    """Whether a log says that plugin and kubelet do not talk to each other any more."""
    ended = kubelet_quote(scene, post, "stream-ended") is not None
    return ended or says_any(post, ("stream-ended",), NOT_REGISTERED)


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


def _cause(post: Post, room: Room, move: Move | None) -> Cause:
    assert post.started is not None
    plugin = post.pod.ref if post.pod is not None else ""
    removal = _removal(post)
    return Cause(
        message=_message(room, move),
        blame=Blame.EXPECTED,
        object=ObjectRef("v1", "Node", "", room.node),
        nodes=(room.node,),
        explains=tuple(item.key for item in post.symptoms if item.resource == room.resource),
        evidence=(
            room.evidence,
            *(
                (Evidence(f"requests of {room.resource}", holders_text((room,))),)
                if room.holders
                else ()
            ),
            *(move.evidence if move else ()),
            Evidence(f"status of pod {plugin}", f"running since {stamp(post.started)}"),
            *((removal,) if removal is not None else ()),
        ),
        refuted_by="the plugin's log tells of an error, or the devices are on the node still",
        ruled_out=(
            RuledOut("devices lost at a restart", _lasted(room)),
            RuledOut("a fault of a device", "the plugin's log tells of none"),
            *(
                (RuledOut("a stream that ended", f"{listed(move.to)} gained as many"),)
                if move
                else ()
            ),
        ),
        actions=(
            (Action(text="If the device is meant to stay away, make the pods anew elsewhere"),)
            if room.holders
            else ()
        ),
        rollback_helps=RollbackHelps.NO,
        confidence=Confidence.MEDIUM if move else None,
    )


def _message(room: Room, move: Move | None) -> str:
    offers = f"node {room.node} offers {room.offer.allocatable} {room.resource}"
    gained = f"{listed(move.to)} gained what it lost ({move.lost})" if move else ""
    if room.offer.allocatable >= room.in_use:
        return f"{offers}, and {gained}: devices were moved"
    held = f"{offers} and its pods hold {room.in_use}"
    moved = f", and {gained}" if gained else ""
    return f"{held}{moved}: devices were unplugged under them, and the pods stay by design"


def _lasted(room: Room) -> str:
    longer = "than the holders" if room.holders else "than the devices are away"
    return f"the plugin runs for longer {longer}"


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
    helped_by=frozenset({Need.LOGS, Need.HISTORY, Need.EVENTS}),
    check=_check,
)

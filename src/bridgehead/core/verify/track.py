"""What was seen of a node since its pass began: the memory behind gates that need time.

Kept by the runner only. A runner that takes over starts anew: it looks again for as long as the
first one would have, which costs seconds and can never pass a node that nobody watched.
"""

import msgspec

from bridgehead.core.model.device import Offer, Offers
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.verify.view import Expected, NodeView

LOOK_DELAY = 1.5
"""Status periods until a node's status tells of a change (kubernetes#114422, intel#2082)."""

PULL_ERRORS = frozenset({"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull"})


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """Times are seconds since the epoch, None where it has not happened yet."""

    deleted: frozenset[str]
    since: float | None = None
    """When this runner first looked: a deadline that passed while nobody looked is no verdict."""
    pod_uid: str = ""
    gone_at: float | None = None
    ready_at: float | None = None
    restarts: int = 0
    restarts_before: int = 0
    """Those that the pod had when this runner first saw it."""
    pull_error_at: float | None = None
    offers: tuple[Offer | None, ...] = ()
    """The value of the last counted look, per resource."""
    offers_since: float | None = None
    """Since when all counted looks were equal."""
    good: bool = False
    """Whether a counted look has shown the expected devices."""
    lacking: bool = False
    """Whether the last counted look has shown fewer."""
    dipped_at: float | None = None
    """When counted looks last went from the expected devices to fewer."""
    hidden_at: float | None = None
    """Since when the node is not seen as it should be: Ready, its pod too, all devices there."""
    rests_on: tuple[object, ...] = ()
    """What the last look saw, where it found nothing to tell and time alone changes nothing."""

    @property
    def calm(self) -> bool:
        """Whether another look at the same things would find the same, however late."""
        steady = self.ready_at is not None and self.hidden_at is None
        seen = self.offers_since is not None and self.good and not self.lacking
        return steady and seen and self.pull_error_at is None


def observe(
    track: Track | None,
    view: NodeView,
    expected: Expected,
    *,
    status_period: float,
    now: float,
) -> Track:
    """The track after one more reading of the node."""
    if track is None or track.deleted != expected.deleted:
        track = Track(deleted=expected.deleted, since=now)
    pod = view.successor(expected.deleted)
    uid = pod.uid if pod else ""
    if uid != track.pod_uid:
        track = Track(
            deleted=track.deleted,
            since=track.since,
            pod_uid=uid,
            gone_at=track.gone_at,
            restarts_before=pod.restarts if pod else 0,
        )
    gone_at = (track.gone_at or now) if view.gone(expected.deleted) else None
    restarts = pod.restarts if pod else 0
    still = track.ready_at if restarts == track.restarts else None
    track = msgspec.structs.replace(
        track,
        gone_at=gone_at,
        ready_at=(still or now) if pod is not None and pod.ready else None,
        restarts=restarts,
        pull_error_at=_pull_error_at(track, pod, now),
    )
    ill = pod is None or not pod.ready or view.node is None or view.node.ready is not True
    hidden = ill or bool(missing(view, expected))
    track = msgspec.structs.replace(track, hidden_at=(track.hidden_at or now) if hidden else None)
    return _look(track, view, expected, status_period, now)


def observe_pull(track: Track | None, pod: Pod | None, now: float) -> Track:
    """The track of a node on which a pod of ours only pulls images."""
    track = track or Track(deleted=frozenset(), since=now)
    return msgspec.structs.replace(track, pull_error_at=_pull_error_at(track, pod, now))


def _pull_error_at(track: Track, pod: Pod | None, now: float) -> float | None:
    """Since when a pull stands in error without a break."""
    every = (*pod.init_containers, *pod.containers) if pod else ()
    failing = any(item.reason in PULL_ERRORS for item in every)
    return (track.pull_error_at or now) if failing else None


def _look(
    track: Track, view: NodeView, expected: Expected, status_period: float, now: float
) -> Track:
    """Count this reading of the offers if the node's status can already tell of the new pod.

    A node that is not Ready shows what its kubelet last said, which is no look at all.
    """
    unsteady = track.gone_at is None or track.ready_at is None
    if unsteady or view.node is None or view.node.ready is not True:
        return msgspec.structs.replace(track, offers=(), offers_since=None)
    if now < max(track.gone_at or now, track.ready_at or now) + LOOK_DELAY * status_period:
        return msgspec.structs.replace(track, offers=(), offers_since=None)
    offers = tuple(view.node.offer(name) for name in expected.offers)
    same = track.offers_since is not None and offers == track.offers
    lacking = bool(missing(view, expected))
    dips = lacking and track.good and not track.lacking
    return msgspec.structs.replace(
        track,
        offers=offers,
        offers_since=track.offers_since if same else now,
        good=track.good or not lacking,
        lacking=lacking,
        dipped_at=now if dips else track.dipped_at,
    )


def missing(view: NodeView, expected: Expected) -> tuple[str, ...]:
    """The resources of which the node offers less than expected."""
    if view.node is None:
        return tuple(expected.offers)
    return fewer(view.node, expected.offers)


def fewer(node: Node, offers: Offers) -> tuple[str, ...]:
    """The resources of which the node offers less than that."""
    return tuple(
        name
        for name, offer in offers.items()
        if (seen := node.offer(name)) is None or seen.allocatable < offer.allocatable
    )

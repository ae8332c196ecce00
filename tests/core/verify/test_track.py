"""The memory of a node: which looks count, and since when all of them were equal."""

import msgspec

from bridgehead.core.model.device import Offer
from bridgehead.core.verify.track import Track, observe
from bridgehead.core.verify.view import NodeView
from tests.core.verify.cases import CONTAINER, EXPECTED, FULL, GPU, NODE, NOW, POD, VIEW

OLD = msgspec.structs.replace(POD, uid="old", deleting=True)
PERIOD = 10.0


def look(track: Track | None, view: NodeView, at: float) -> Track:
    return observe(track, view, EXPECTED, status_period=PERIOD, now=NOW + at)


def offering(offer: Offer, **pod: object) -> NodeView:
    node = msgspec.structs.replace(NODE, offers={GPU: offer})
    return msgspec.structs.replace(VIEW, node=node, pods=(msgspec.structs.replace(POD, **pod),))


def test_a_look_counts_one_and_a_half_periods_after_the_new_pod_is_ready() -> None:
    track = look(None, VIEW, 0)
    assert (track.gone_at, track.ready_at, track.offers_since) == (NOW, NOW, None)
    assert look(track, VIEW, 14.9).offers_since is None
    assert look(track, VIEW, 15).offers_since == NOW + 15


def test_no_look_counts_while_the_old_pod_is_there() -> None:
    both = msgspec.structs.replace(VIEW, pods=(OLD, POD))
    track = look(look(None, both, 0), both, 30)
    assert (track.gone_at, track.offers_since) == (None, None)
    later = look(track, VIEW, 31)
    assert look(later, VIEW, 45).offers_since is None
    assert look(later, VIEW, 46).offers_since == NOW + 46


def test_equal_looks_keep_their_beginning_and_another_value_begins_anew() -> None:
    track = look(look(None, VIEW, 0), VIEW, 15)
    assert look(track, VIEW, 40).offers_since == NOW + 15
    fewer = look(track, offering(Offer(8, 7)), 41)
    assert fewer.offers_since == NOW + 41
    assert look(fewer, VIEW, 42).offers_since == NOW + 42


def test_good_is_remembered_once_a_counted_look_has_shown_the_devices() -> None:
    early = look(None, VIEW, 0)
    assert not early.good
    good = look(early, VIEW, 15)
    assert good.good
    assert look(good, offering(Offer(8, 0)), 16).good


def test_a_look_at_fewer_devices_is_not_good() -> None:
    view = offering(Offer(8, 7))
    assert not look(look(None, view, 0), view, 20).good


def test_a_pod_that_is_not_ready_for_a_moment_begins_the_wait_anew() -> None:
    track = look(look(None, VIEW, 0), VIEW, 15)
    down = look(track, offering(FULL, ready=False), 16)
    assert (down.ready_at, down.offers_since) == (None, None)
    up = look(down, VIEW, 17)
    assert look(up, VIEW, 31).offers_since is None
    assert look(up, VIEW, 32).offers_since == NOW + 32


def test_a_restart_between_two_looks_begins_the_wait_anew() -> None:
    track = look(look(None, VIEW, 0), VIEW, 15)
    again = offering(FULL, containers=(msgspec.structs.replace(CONTAINER, restarts=1),))
    after = look(track, again, 16)
    assert (after.ready_at, after.offers_since) == (NOW + 16, None)


def test_another_pod_begins_anew_with_what_is_known_of_the_old_one() -> None:
    track = look(look(None, VIEW, 0), VIEW, 15)
    other = look(track, offering(FULL, uid="newer"), 16)
    assert (other.pod_uid, other.gone_at, other.ready_at) == ("newer", NOW, NOW + 16)
    assert not other.good
    assert other.since == NOW


def test_another_deletion_begins_everything_anew() -> None:
    track = look(look(None, VIEW, 0), VIEW, 15)
    expected = msgspec.structs.replace(EXPECTED, deleted=frozenset({"old", "new"}))
    after = observe(track, VIEW, expected, status_period=PERIOD, now=NOW + 16)
    assert (after.since, after.pod_uid, after.gone_at) == (NOW + 16, "", None)


def test_a_node_that_is_not_ready_shows_old_data_that_does_not_count() -> None:
    track = look(look(None, VIEW, 0), VIEW, 15)
    ill = msgspec.structs.replace(VIEW, node=msgspec.structs.replace(NODE, ready=False))
    assert look(track, ill, 16).offers_since is None
    assert look(track, msgspec.structs.replace(VIEW, node=None), 16).offers_since is None


def test_the_beginning_of_a_pull_error_is_kept_until_it_passes() -> None:
    failing = offering(
        FULL,
        ready=False,
        containers=(msgspec.structs.replace(CONTAINER, reason="ErrImagePull", state="waiting"),),
    )
    track = look(None, failing, 0)
    assert look(track, failing, 30).pull_error_at == NOW
    assert look(track, VIEW, 30).pull_error_at is None


def test_a_pull_error_of_an_init_container_counts_too() -> None:
    init = msgspec.structs.replace(CONTAINER, name="init", reason="ImagePullBackOff")
    view = offering(FULL, ready=False, init_containers=(init,))
    assert look(None, view, 0).pull_error_at == NOW


def test_restarts_from_before_the_first_look_are_kept_apart() -> None:
    def restarted(times: int) -> NodeView:
        again = msgspec.structs.replace(CONTAINER, restarts=times)
        return offering(FULL, containers=(again,))

    track = look(look(None, restarted(3), 0), restarted(4), 1)
    assert (track.restarts_before, track.restarts) == (3, 4)

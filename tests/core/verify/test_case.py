"""What a case makes of its node's past: restarts within the pass, a dip over several looks."""

import msgspec

from bridgehead.core.model.device import Offer
from bridgehead.core.verify.track import Track, observe
from tests.core.verify.cases import (
    CASE,
    EXPECTED,
    NOW,
    VIEW,
    with_container,
    with_expected,
    with_offer,
    with_track,
)

STANDING = with_expected(with_container(restarts=5), deleted=frozenset())
"""A pod that stood before the pass and is not replaced in it."""


def test_all_restarts_of_a_successor_are_of_this_pass() -> None:
    seen = with_track(with_container(restarts=2), restarts_before=2)
    assert seen.restarts == 2


def test_of_a_standing_pod_only_restarts_that_were_seen_count() -> None:
    assert with_track(STANDING, deleted=frozenset(), restarts_before=3).restarts == 2


def test_a_standing_pod_that_was_never_looked_at_has_not_restarted() -> None:
    assert with_track(STANDING, deleted=frozenset(), pod_uid="", restarts_before=0).restarts == 0


def test_without_a_pod_there_are_no_restarts() -> None:
    gone = msgspec.structs.replace(CASE.view, pods=())
    assert msgspec.structs.replace(CASE, view=gone).restarts == 0
    standing = msgspec.structs.replace(STANDING, view=gone)
    assert standing.restarts == 0


def test_a_dip_begins_with_its_first_look_however_many_looks_it_lasts() -> None:
    fewer = with_offer(Offer(8, 3)).view

    def look(track: Track | None, *, full: bool, at: float) -> Track:
        view = VIEW if full else fewer
        return observe(track, view, EXPECTED, status_period=1.0, now=NOW + at)

    track = look(look(None, full=True, at=0), full=True, at=2)
    assert track.dipped_at is None
    for at in (3, 4, 5):
        track = look(track, full=False, at=at)
        assert track.dipped_at == NOW + 3
    track = look(look(track, full=True, at=6), full=False, at=7)
    assert track.dipped_at == NOW + 7


def test_fewer_devices_from_the_first_look_on_are_no_dip() -> None:
    fewer = with_offer(Offer(8, 3)).view
    track: Track | None = None
    for at in (0, 2, 3):
        track = observe(track, fewer, EXPECTED, status_period=1.0, now=NOW + at)
    assert track is not None
    assert track.dipped_at is None

"""When a lease may be taken: judged by one's own clock and by whether it changes."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bridgehead.cluster.lease import Sighting, is_free, micro_time, seen
from bridgehead.kube.objects.cluster import Lease, LeaseSpec

BEGIN = datetime(2030, 1, 1, tzinfo=UTC)


def lease(holder: str = "a", renewed: float = 0.0, duration: int = 30) -> Lease:
    renew = BEGIN + timedelta(seconds=renewed)
    return Lease(
        spec=LeaseSpec(holder_identity=holder, lease_duration_seconds=duration, renew_time=renew)
    )


def free(sighting: Sighting, found: Lease, at: float, duration: float = 30.0) -> bool:
    return is_free(sighting, found, duration, at)


def test_a_lease_without_a_holder_is_free_at_once() -> None:
    found = lease(holder="")
    assert free(seen(None, found, 5.0), found, 5.0)


def test_a_lease_is_not_free_at_first_sight_however_old_its_time_is() -> None:
    found = lease(renewed=-100_000)
    assert not free(seen(None, found, 5.0), found, 5.0)


def test_a_lease_that_does_not_change_is_free_after_its_duration() -> None:
    found = lease()
    sighting = seen(None, found, 5.0)
    assert seen(sighting, lease(), 20.0) == sighting
    assert not free(sighting, found, 34.9)
    assert free(sighting, found, 35.0)


def test_every_renewal_begins_the_wait_anew() -> None:
    first = seen(None, lease(renewed=0), 5.0)
    second = seen(first, lease(renewed=10), 15.0)
    assert not free(second, lease(renewed=10), 44.0)
    assert free(second, lease(renewed=10), 45.0)


def test_another_holder_begins_the_wait_anew() -> None:
    first = seen(None, lease("a"), 5.0)
    second = seen(first, lease("b"), 30.0)
    assert not free(second, lease("b"), 40.0)


@given(ours=st.integers(3, 600), theirs=st.integers(3, 600), waited=st.floats(0, 700))
def test_the_longer_of_both_durations_counts(ours: int, theirs: int, waited: float) -> None:
    found = lease(duration=theirs)
    sighting = seen(None, found, 0.0)
    assert free(sighting, found, waited, ours) == (waited >= max(ours, theirs))


def test_times_are_written_as_kubernetes_reads_them() -> None:
    assert micro_time(BEGIN.timestamp() + 0.25) == "2030-01-01T00:00:00.250000Z"

"""Moments come from their seed alone, and lie within the run."""

import pytest

from tests.chaos.moments import LONGEST_DELAY, moments

RECORDS = 40


def test_a_seed_gives_the_same_moments_each_time() -> None:
    assert moments(7, RECORDS) == moments(7, RECORDS)


def test_two_seeds_give_different_ones() -> None:
    assert moments(7, RECORDS) != moments(8, RECORDS)


@pytest.mark.parametrize("seed", range(50))
def test_all_of_them_lie_within_the_run(seed: int) -> None:
    found = moments(seed, RECORDS)
    assert 1 <= len(found) <= 3
    assert all(moment.records >= 1 for moment in found)
    assert all(0 <= moment.delay <= LONGEST_DELAY for moment in found)
    # One that falls on another is put off by a record.
    assert sum(moment.records for moment in found) <= RECORDS + len(found) - 1

"""When a run is struck: drawn from a seed, counted in records of its journal.

Records, not seconds, so that a seed meets the same place of a run on a slow machine.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

LONGEST_DELAY = 0.3
"""Seconds; most effects are over after it, so that strikes fall before, within and after them."""


@dataclass(frozen=True)
class Moment:
    """So many records after the process began, and so many seconds after that."""

    records: int
    delay: float

    def __str__(self) -> str:
        return f"record +{self.records} and {self.delay * 1000:.0f} ms"


def moments(seed: int, records: int, most: int = 3) -> tuple[Moment, ...]:
    """One to ``most`` moments within a run of so many records, each a process' own."""
    dice = random.Random(seed)
    count = dice.randint(1, most)
    places = sorted(dice.randint(1, records) for _ in range(count))
    steps = (here - before for before, here in zip([0, *places], places, strict=False))
    return tuple(Moment(max(1, step), dice.uniform(0, LONGEST_DELAY)) for step in steps)

"""The clock by which a lease is judged: it never jumps, and it goes on while the machine sleeps.

``time.monotonic`` stops during suspend on Linux (clock_gettime(2)): a laptop that wakes up after an
hour would take its lock for a fresh one.
"""

import time

_CLOCK = getattr(time, "CLOCK_BOOTTIME", None) or time.CLOCK_MONOTONIC
"""macOS has no clock of that name: its own monotonic one must do."""


def steady() -> float:
    """Seconds since some moment in the past, those of suspend included where the system tells."""
    return time.clock_gettime(_CLOCK)

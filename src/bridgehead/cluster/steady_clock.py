"""The clock by which a lease is judged: it never jumps, and it goes on while the machine sleeps.

``time.monotonic`` stops during suspend on Linux (clock_gettime(2)): a laptop that wakes up after an
hour would take its lock for a fresh one.
"""

import sys
import time


def steady() -> float:
    """Seconds since some moment in the past, those of suspend included where the system tells."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()

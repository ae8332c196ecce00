"""How fast a component may call the API: the client-side rate limit of a real one.

A thousand pods of a DaemonSet take most of a minute in a real cluster for this reason alone.

Source: k8s.io/client-go/util/flowcontrol/throttle.go; the limits themselves are defaults of
kube-controller-manager (20 a second, 30 at once) and kube-scheduler (50 and 100) in 1.37.
"""

from bridgehead.twin.clock import Clock

_WHOLE = 1.0 - 1e-6
"""A token, but for what is lost in adding up fractions of seconds."""


class Pace:
    """A bucket of tokens that fills with simulated time; one token a call."""

    def __init__(self, clock: Clock, *, per_second: float, burst: int) -> None:
        self._clock = clock
        self._per_second = per_second
        self._burst = float(burst)
        self._tokens = float(burst)
        self._at = clock.now()

    def take(self) -> float:
        """0 where a call may be made now, which counts then; else seconds until one may be."""
        now = self._clock.now()
        filled = self._tokens + (now - self._at) * self._per_second
        self._tokens, self._at = min(self._burst, filled), now
        if self._tokens > _WHOLE:
            self._tokens -= 1.0
            return 0.0
        return (1.0 - self._tokens) / self._per_second


def of_controller(clock: Clock) -> Pace:
    """The pace of one controller of kube-controller-manager."""
    return Pace(clock, per_second=20.0, burst=30)


def of_scheduler(clock: Clock) -> Pace:
    """The pace of kube-scheduler."""
    return Pace(clock, per_second=50.0, burst=100)

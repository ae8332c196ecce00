"""When one HTTP call is tried again, and after how long. Pure: chance and time come from outside.

The only place that repeats single requests; steps of a rollout are repeated by the engine.
"""

import msgspec

from bridgehead.kube.errors import ApiError, KubeError, TooManyRequests, Unreachable


class RetryPolicy(msgspec.Struct, frozen=True):
    """Bounds of repeating; all in seconds."""

    patience: float = 45.0
    """No attempt starts later than this after the first one. Covers an API server's restart."""
    first_contact: float = 3.0
    """The same, while the server has never answered: more likely an address than a hiccup."""
    base: float = 0.25
    cap: float = 8.0

    def back_off(self, attempt: int, chance: float) -> float:
        """Wait before attempt `attempt` (1 = the first repeat); `chance` is in [0, 1)."""
        return min(self.cap, self.base * 2.0 ** (attempt - 1)) * (0.5 + chance / 2)


_BUDGET = "DisruptionBudget"
"""Cause of a 429 that a disruption budget gives: it may stand for hours, so its caller decides.

Source: policy/v1 ``DisruptionBudgetCause``, pkg/registry/core/pod/storage/eviction.go
"""


def may_repeat(error: KubeError, *, repeatable: bool) -> bool:
    """Whether sending the same request again can help and cannot harm.

    A request that never left, or that the server threw back as too many, has had no effect. Any
    other failure leaves open what became of a write, so only `repeatable` requests go again:
    reads, dry runs, and writes that say which state they expect.
    """
    if not error.retryable:
        return False
    if isinstance(error, TooManyRequests):
        return not any(cause.reason == _BUDGET for cause in error.causes)
    if isinstance(error, Unreachable) and not error.sent:
        return True
    return repeatable


def wait_for(error: KubeError, attempt: int, policy: RetryPolicy, chance: float) -> float:
    """Seconds to wait: what the server asked for, never less than our own back-off."""
    own = policy.back_off(attempt, chance)
    asked = error.retry_after if isinstance(error, ApiError) else None
    return own if asked is None else max(own, asked)

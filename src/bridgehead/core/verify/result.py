"""What a gate says of a node."""

from collections.abc import Iterable
from enum import Enum

import msgspec

from bridgehead.core.journal.entry import Evidence


class GateId(Enum):
    """The gates, by the names that plans, journals and reports use."""

    IMAGE = "image"
    ADMITTED = "admitted"
    POD_READY = "pod-ready"
    ALLOCATABLE = "allocatable"
    HEALTHY = "healthy"
    REFUSED_PODS = "refused-pods"
    LOG = "log"
    PROBE = "probe"


class Verdict(Enum):
    """``wait`` may still become either; ``unknown`` could not be seen; ``skipped`` has a reason."""

    PASS = "pass"  # noqa: S105 - a verdict, not a credential
    FAIL = "fail"
    WAIT = "wait"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


GOOD = frozenset({Verdict.PASS, Verdict.SKIPPED})


class GateResult(msgspec.Struct, frozen=True, kw_only=True):
    """One gate's answer for one node, with what was expected, what was seen, and the proof."""

    gate: GateId
    node: str
    verdict: Verdict
    expected: str = ""
    seen: str = ""
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    at: float = 0.0

    def unknown(self, reason: str) -> "GateResult":
        """Not known instead of waited for, for that reason; other verdicts stand."""
        if self.verdict is not Verdict.WAIT:
            return self
        return msgspec.structs.replace(self, verdict=Verdict.UNKNOWN, reason=reason)

    def failed(self, reason: str) -> "GateResult":
        """The same observation as a failure, for another reason."""
        return msgspec.structs.replace(self, verdict=Verdict.FAIL, reason=reason)


class Question(msgspec.Struct, frozen=True):
    """What a gate asks of a node; ``answer`` completes it."""

    gate: GateId
    node: str
    expected: str
    at: float

    def answer(
        self,
        verdict: Verdict,
        seen: str,
        reason: str = "",
        evidence: tuple[Evidence, ...] = (),
    ) -> GateResult:
        """The result of the gate."""
        return GateResult(
            gate=self.gate,
            node=self.node,
            verdict=verdict,
            expected=self.expected,
            seen=seen,
            reason=reason,
            evidence=evidence,
            at=self.at,
        )


def failure(results: Iterable[GateResult]) -> GateResult | None:
    """The first failed gate; gates are listed from cause to effect, so it names the cause."""
    return next((item for item in results if item.verdict is Verdict.FAIL), None)


def all_good(results: Iterable[GateResult]) -> bool:
    """Whether every gate passed or was skipped with a reason."""
    return all(item.verdict in GOOD for item in results)


def overdue(results: Iterable[GateResult], seconds: float) -> GateResult | None:
    """The first gate that is still open, as the failure that the deadline makes of it.

    A gate that could not be seen fails with words of its own: not knowing is not passing.
    """
    for item in results:
        if item.verdict is Verdict.UNKNOWN:
            return item.failed(f"could not be verified within {seconds:g} s: {item.reason}")
        if item.verdict is Verdict.WAIT:
            return item.failed(f"not within {seconds:g} s: {item.reason}")
    return None

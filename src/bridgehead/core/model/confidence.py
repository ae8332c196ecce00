"""How far an inferred statement can be trusted."""

from enum import Enum


class Confidence(Enum):
    """Of a finding, of a cause, of an inferred name."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """0 for the surest."""
        return (Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW).index(self)

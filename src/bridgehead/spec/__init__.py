"""``bridgehead.yaml`` becomes values, or all of its mistakes at once, each with its place."""

from bridgehead.core.model.problem import Problem, problems_text
from bridgehead.spec.read import (
    SpecAccepted,
    SpecRejected,
    SpecResult,
    read_spec,
    read_spec_file,
)

__all__ = [
    "Problem",
    "SpecAccepted",
    "SpecRejected",
    "SpecResult",
    "problems_text",
    "read_spec",
    "read_spec_file",
]

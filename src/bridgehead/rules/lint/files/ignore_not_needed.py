"""A comment sets aside a finding that is not there.

Finds: a comment 'bridgehead: ignore[RULE] reason' whose rule was asked, could judge, and found
nothing at that place.

Why: the fault was mended, or the comment stands at the wrong line and would hide a later one.

Sure: take the comment out and lint again: the result is the same. Of a rule that could not judge,
for lack of a cluster, this is not said.

Do: remove the comment.
"""

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.rule import FileRule

RULE = FileRule(name="ignore-not-needed", severity=Severity.INFO, doc=__doc__)

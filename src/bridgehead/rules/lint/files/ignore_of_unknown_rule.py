"""A comment sets aside a rule that does not exist.

Finds: a comment 'bridgehead: ignore[RULE] reason' with a name that no rule has, nor ever had.

Why: the finding that was meant is still reported, or will be, once its rule sees more.

Sure: 'bridgehead explain RULE' does not know it either, and proposes the nearest names.

Do: write the rule's name as the report has it.
"""

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.rule import FileRule

RULE = FileRule(name="ignore-of-unknown-rule", severity=Severity.ERROR, doc=__doc__)

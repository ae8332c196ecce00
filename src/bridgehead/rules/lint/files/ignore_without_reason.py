"""A comment sets a finding aside and does not say why.

Finds: a comment 'bridgehead: ignore' that names no rule in brackets, or gives no reason after them.

Why: whoever reads the file later cannot tell a decision from a way around the check; the comment
therefore sets nothing aside.

Sure: the comment stands at the place that is named.

Do: write it as '# bridgehead: ignore[RULE] reason', the reason in words.
"""

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.rule import FileRule

RULE = FileRule(name="ignore-without-reason", severity=Severity.ERROR, doc=__doc__)

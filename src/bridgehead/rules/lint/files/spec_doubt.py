"""A spec of ours can be used, and does probably not mean what it says.

Finds: a bridgehead spec with a value that is allowed and defeats its own purpose.

Why: the rollout would go through with less safety than the spec seems to ask for.

Sure: the message names the two values that do not go together.

Do: change one of them, or leave the key out: defaults are the careful choice.
"""

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.rule import FileRule

RULE = FileRule(name="spec-doubt", severity=Severity.WARNING, doc=__doc__)

"""A spec of ours cannot be used.

Finds: a bridgehead spec (kind Rollout) with an unknown key, a value that the key does not take, or
keys that contradict each other; and manifests that it names and that cannot be read.

Why: plan and rollout refuse such a spec, with exit 2, so the change stops at its first step.

Sure: 'bridgehead plan -f FILE' says the same, at the same places.

Do: mend the value at the place that is named; docs/reference/spec.md has every key.
"""

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.rule import FileRule

RULE = FileRule(name="spec-mistake", severity=Severity.ERROR, doc=__doc__)

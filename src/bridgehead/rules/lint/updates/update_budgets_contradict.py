"""The update strategy of a plugin is one that the API server refuses.

Finds: a device plugin with RollingUpdate whose maxUnavailable and maxSurge are both zero, or both
above zero. An unset maxUnavailable is 1, an unset maxSurge 0.

Why: the server answers "cannot be 0 when maxSurge is 0", or "may not be set when maxUnavailable is
non-zero", and takes nothing of the object. Some read maxUnavailable: 0 as "no outage": of a device
plugin there is no such thing, as a second instance beside the first would claim the same devices.

Sure: kubectl apply --dry-run=server -f FILE gives the server's own words.

Do: write maxUnavailable: 1 and leave maxSurge away.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Fix, Linted, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.inventory.budget import budget_of, is_zero

_ROLLING = ("spec", "updateStrategy", "rollingUpdate")
_UNAVAILABLE = (*_ROLLING, "maxUnavailable")


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        strategy = plugin.at(("spec", "updateStrategy"))
        budget = budget_of(strategy) if isinstance(strategy, Mapping) else None
        if budget is None or budget.unavailable is None or budget.surge is None:
            continue
        if is_zero(budget.unavailable) and is_zero(budget.surge):
            yield Violation(
                manifest=plugin,
                path=_UNAVAILABLE,
                message="maxUnavailable is 0 and so is maxSurge: the API server refuses this",
                remedy="Set maxUnavailable to 1: one node at a time is without its devices.",
                fix=Fix(
                    path=_UNAVAILABLE,
                    value=1,
                    why_safe="1 is the default, and with 0 the server refuses the whole object",
                ),
            )
        elif not is_zero(budget.unavailable) and not is_zero(budget.surge):
            yield Violation(
                manifest=plugin,
                path=(*_ROLLING, "maxSurge"),
                message=f"maxSurge is {budget.surge} beside maxUnavailable {budget.unavailable}:"
                " the API server refuses both together",
            )


RULE = LintRule(
    name="update-budgets-contradict",
    severity=Severity.ERROR,
    references=("kubernetes/pkg/apis/apps/validation",),
    check=_check,
)

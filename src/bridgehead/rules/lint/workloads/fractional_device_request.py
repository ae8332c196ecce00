"""A part of a device is asked for.

Finds: a quantity of an extended resource that is no whole number, such as 0.5 or 500m.

Why: extended resources are counted in whole devices. The API server refuses the pod.

Sure: kubectl create --dry-run=server of the pod says that it must be an integer.

Do: ask for whole devices, or use a plugin that shares them (time-slicing, MPS, MIG, HAMi).
"""

from collections.abc import Iterable

from bridgehead.core.findings.device_requests import device_requests
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.quantity import amount


def _check(linted: Linted) -> Iterable[Violation]:
    for manifest in linted.with_pods:
        for item in device_requests(manifest):
            for field, asked in (("limits", item.limit), ("requests", item.request)):
                if _is_fraction(asked):
                    yield Violation(
                        manifest=manifest,
                        path=(*item.at, field, item.resource),
                        message=f"container {item.container} asks for {asked} of "
                        f"{item.resource}: devices are counted whole",
                    )


def _is_fraction(asked: object) -> bool:
    """Whether it is a number and no whole one; 1000m is one. Anything else is another mistake."""
    count = amount(str(asked)) if isinstance(asked, int | float | str) else None
    return count is not None and count != count.to_integral_value()


RULE = LintRule(
    name="fractional-device-request",
    severity=Severity.ERROR,
    references=(
        "intel#2305",
        "https://kubernetes.io/docs/tasks/administer-cluster/extended-resource-node/",
    ),
    check=_check,
)

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
from bridgehead.core.model.device import device_count


def _check(linted: Linted) -> Iterable[Violation]:
    for manifest in linted.with_pods:
        for item in device_requests(manifest):
            for field, asked in (("limits", item.limit), ("requests", item.request)):
                # Anything else than a number or its text is another mistake.
                if isinstance(asked, int | float | str) and device_count(str(asked)) is None:
                    yield Violation(
                        manifest=manifest,
                        path=(*item.at, field, item.resource),
                        message=f"container {item.container} asks for {asked} of "
                        f"{item.resource}: devices are counted whole",
                    )


RULE = LintRule(
    name="fractional-device-request",
    severity=Severity.WARNING,
    references=(
        "intel#2305",
        "https://kubernetes.io/docs/tasks/administer-cluster/extended-resource-node/",
    ),
    check=_check,
)

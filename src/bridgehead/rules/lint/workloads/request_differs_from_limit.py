"""Request and limit of a device differ.

Finds: a container whose request of an extended resource is another number than its limit, or has a
request without a limit.

Why: devices cannot be overcommitted. The API server refuses the pod.

Sure: kubectl create --dry-run=server of the pod says that both must be equal.

Do: give the limit alone; the request follows it.
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
            if item.request is None or _count(item.request) == _count(item.limit):
                continue
            limit = "no limit" if item.limit is None else f"a limit of {item.limit}"
            yield Violation(
                manifest=manifest,
                path=(*item.at, "requests", item.resource),
                message=f"container {item.container} has a request of {item.request} and {limit} "
                f"of {item.resource}: they must be equal",
            )


def _count(quantity: object) -> object:
    """Equal for equal numbers of devices, however written."""
    count = amount(str(quantity))
    return quantity if count is None else count


RULE = LintRule(
    name="request-differs-from-limit",
    severity=Severity.ERROR,
    references=(
        "intel#2305",
        "https://kubernetes.io/docs/tasks/administer-cluster/extended-resource-node/",
    ),
    check=_check,
)

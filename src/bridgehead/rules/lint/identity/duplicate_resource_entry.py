"""A plugin's configuration has two entries of one resource name.

Finds: two entries of one file that lead to the same resource name.

Why: the SR-IOV and RDMA plugins refuse the whole file; with others it is undefined which entry
counts.

Sure: the plugin's log says that the resource name already exists.

Do: merge the two entries into one with the selectors of both, or give them names of their own.
"""

from collections import Counter
from collections.abc import Iterable

from bridgehead.core.findings.configurations import configurations
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation]:
    for found in configurations(linted):
        counts = Counter(item.name for item in found.names)
        for name, count in counts.items():
            if count > 1:
                places = [item.path for item in found.names if item.name == name]
                yield Violation(
                    manifest=found.manifest,
                    path=found.path,
                    message=f"{found.key} has {count} entries of {name}: {', '.join(places)}",
                )


RULE = LintRule(
    name="duplicate-resource-entry",
    severity=Severity.ERROR,
    references=("https://github.com/k8snetworkplumbingwg/sriov-network-device-plugin",),
    check=_check,
)

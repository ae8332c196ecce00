"""A plugin's configuration file cannot be read.

Finds: an entry of a ConfigMap that a plugin mounts as its configuration, and that is no YAML, or no
JSON where the plugin takes JSON only.

Why: the plugin ends as it starts, or waits without devices; the change of a ConfigMap restarts
nothing by itself, so it shows at the next restart, node by node.

Sure: jq . FILE for JSON: comments and a comma after the last entry are no JSON.

Do: correct the text at the place that is named.
"""

from collections.abc import Iterable

from bridgehead.core.findings.configurations import configurations
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation]:
    for found in configurations(linted):
        if found.problem:
            yield Violation(
                manifest=found.manifest,
                path=found.path,
                message=f"the {found.reader} cannot read {found.key}: {found.problem}",
            )


RULE = LintRule(
    name="unparsable-config",
    severity=Severity.ERROR,
    references=("https://github.com/k8snetworkplumbingwg/sriov-network-device-plugin",),
    check=_check,
)

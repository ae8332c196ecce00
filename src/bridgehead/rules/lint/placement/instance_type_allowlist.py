"""The plugin is placed by a list of instance types.

Finds: a nodeSelector or required node affinity of a plugin that names values of
node.kubernetes.io/instance-type (or its older beta name).

Why: a new instance type is left out silently. An added nodeSelector cannot help, since both must
match.

Sure: a capability label (the vendor's, Node Feature Discovery's, or the node pool's own) says the
same and needs no list.

Do: select a capability label that the node pool sets.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC
from bridgehead.core.inventory.placement import label_conditions

_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        for asked in label_conditions(plugin.template):
            if asked.key in _TYPES and asked.operator == "In":
                yield Violation(
                    manifest=plugin,
                    path=POD_SPEC,
                    message=f"only {len(asked.values)} instance types are let in, from "
                    f"{asked.values[0] if asked.values else 'none'} on; new ones are left out",
                )
                break


RULE = LintRule(
    name="instance-type-allowlist",
    severity=Severity.WARNING,
    references=(
        "aws/eks-charts#1348",
        "aws-samples/aws-do-eks#56",
        "aws/sagemaker-hyperpod-cli#367",
        "zalando-incubator/kubernetes-on-aws#8881",
    ),
    check=_check,
)

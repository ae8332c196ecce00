"""A plugin's service account may not do what the plugin does.

Finds: a device plugin that is itself a client of the API server, by what is known of its family,
and an answer of the API server that its service account is not allowed one of these things.

Why: the plugin runs into "forbidden" as it starts or hands out devices: its resource does not
appear, or pods fail, although every DaemonSet and pod looks as it should.

Sure: kubectl auth can-i VERB RESOURCE --as system:serviceaccount:NAMESPACE:NAME.

Do: bind the ClusterRole that comes with this version of the plugin to its service account.
"""

from collections.abc import Iterable

from bridgehead.core.components.account_rights import account_of
from bridgehead.core.components.family import family_of
from bridgehead.core.findings.access_answers import answers_about
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.journal.entry import Evidence

_PATH = ("spec", "template", "spec", "serviceAccountName")


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    assert linted.cluster is not None
    for plugin in linted.plugins:
        family = family_of(plugin.template)
        account = account_of(plugin.ref.namespace, plugin.template)
        told = answers_about(linted.cluster, account)
        refused = [right for right in family.rights if told.get(right) is False]
        if refused:
            words = ", ".join(" ".join(right) for right in refused)
            yield Violation(
                manifest=plugin,
                path=_PATH,
                message=f"the service account {account} may not {words}, which the"
                f" {family.name} plugin does",
                evidence=tuple(
                    Evidence(f"access review of {account}", f"{verb} {resource}: not allowed")
                    for verb, resource in refused
                ),
            )
        asked = [right for right in family.rights if right not in told]
        if asked:
            yield Doubt(
                why=f"whether the service account {account} may"
                f" {', '.join(' '.join(right) for right in asked)}"
            )


RULE = LintRule(
    name="access-rights-missing",
    severity=Severity.ERROR,
    references=(
        "aws-neuron/aws-neuron-sdk#794",
        "AliyunContainerService/gpushare-scheduler-extender#47",
    ),
    needs=frozenset({Need.ACCESS}),
    check=_check,
)

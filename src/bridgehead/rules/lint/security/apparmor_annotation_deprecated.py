"""The AppArmor profile stands in an annotation that a field has replaced.

Finds: the annotation container.apparmor.security.beta.kubernetes.io/NAME on a pod template, in a
cluster of 1.30 or later.

Why: since 1.30 the field securityContext.appArmorProfile says it; the annotation is read for the
transition only, and both may disagree.

Sure: kubectl version; before 1.30 the annotation is the only way.

Do: write the profile into securityContext.appArmorProfile and remove the annotation.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import APPARMOR_ANNOTATION
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import texts
from bridgehead.core.model.version import version_in

_FIELD_SINCE = (1, 30, 0)


def _check(linted: Linted) -> Iterable[Violation]:
    server = linted.cluster.snapshot.server if linted.cluster else ""
    version = version_in(server)
    if version is None or version < _FIELD_SINCE:
        return
    for plugin in linted.plugins:
        for key in sorted(texts(plugin.template, "metadata", "annotations")):
            if key.startswith(APPARMOR_ANNOTATION):
                yield Violation(
                    manifest=plugin,
                    path=("spec", "template", "metadata", "annotations", key),
                    message=f"the AppArmor profile of container "
                    f"{key.removeprefix(APPARMOR_ANNOTATION)} is an annotation; {server} has a "
                    "field for it",
                    evidence=(Evidence("version of the server", server),),
                )


RULE = LintRule(
    name="apparmor-annotation-deprecated",
    severity=Severity.WARNING,
    references=("intel#381", "https://kubernetes.io/docs/tutorials/security/apparmor/"),
    needs=frozenset({Need.NODES}),
    check=_check,
)

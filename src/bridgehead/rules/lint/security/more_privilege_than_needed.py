"""A device plugin has more privileges than its family needs.

Finds: privileged, hostPID or hostNetwork of a plugin of a known family whose profile does not name
it.

Why: a plugin talks to the kubelet and to device nodes; what else it may do is a way into the node.

Sure: the family's profile (bridgehead explain more-privilege-than-needed lists none; the vendor's
own manifest does) says what each privilege is for. Of a plugin that is not known nothing is said.

Do: drop it, and see that the node still offers its devices.
"""

from collections.abc import Iterable

from bridgehead.core.components.family import family_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC, secured
from bridgehead.core.model.confidence import Confidence


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        family = family_of(plugin.template)
        if family.name == "generic":
            continue
        for field in ("hostPID", "hostNetwork"):
            if plugin.at((*POD_SPEC, field)) is True and field not in family.uses:
                yield _violation(plugin, (*POD_SPEC, field), field, family.name)
        for item in secured(plugin):
            if item.privileged and "privileged" not in family.uses:
                at = (*item.at, "securityContext", "privileged")
                yield _violation(plugin, at, f"privileged ({item.name})", family.name)


def _violation(plugin: Manifest, path: tuple[str | int, ...], what: str, family: str) -> Violation:
    return Violation(
        manifest=plugin,
        path=path,
        message=f"{what}: no plugin of the {family} family is known to need it",
    )


RULE = LintRule(
    name="more-privilege-than-needed",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    references=("https://kubernetes.io/docs/concepts/security/pod-security-standards/",),
    check=_check,
)

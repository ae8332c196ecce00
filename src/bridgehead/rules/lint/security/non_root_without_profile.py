"""A device plugin does not run as root.

Finds: a container that mounts a directory in which plugins register and whose security context sets
runAsUser to another user than 0, or runAsNonRoot.

Why: the directory belongs to root, mode 0750. Another user can neither make a socket there nor
remove one that an earlier root process has left.

Sure: the plugin's log says "bind: permission denied" or "permission denied" on kubelet.sock; an
init container that opens the directory's mode by hand would hide it, and undo itself at the next
start.

Do: run the plugin's container as root with all capabilities dropped.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import secured


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        registering = {item.container for item in kubelet_mounts(plugin)}
        for item in secured(plugin):
            if item.name not in registering:
                continue
            user, non_root = item.setting("runAsUser"), item.setting("runAsNonRoot")
            if isinstance(user.value, int) and user.value != 0:
                setting, said = user, f"runs as user {user.value}"
            elif non_root.value is True and user.value is None:
                setting, said = non_root, "must not run as root"
            else:
                continue
            yield Violation(
                manifest=plugin,
                path=setting.at,
                message=f"container {item.name} {said}: the kubelet's directory belongs to root",
            )


RULE = LintRule(
    name="non-root-without-profile",
    severity=Severity.ERROR,
    references=("intel#1628",),
    check=_check,
)

"""A device plugin is updated with a surge pod.

Finds: a DaemonSet that is a device plugin and whose update strategy has a maxSurge above zero.

Why: during an update two pods of the plugin run on one node and offer the same resource. A kubelet
of 1.30 takes the list of the newer one, and drops the resource for good when either exits. One of
1.37 refuses the newer one under the same socket name, and when the older one exits it goes on to
offer devices that no plugin serves, until it is restarted (both measured).

Sure: look at spec.updateStrategy.rollingUpdate.maxSurge; no other field makes two pods on one node.

Do: set maxSurge to 0, which is the default, and maxUnavailable to 1.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Fix, Linted, Manifest, Violation
from bridgehead.core.findings.rule import LintRule

_PATH = ("spec", "updateStrategy", "rollingUpdate", "maxSurge")
_NOTHING = (None, 0, "0", "0%")
_UNAVAILABLE = (*_PATH[:-1], "maxUnavailable")


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        surge = plugin.at(_PATH)
        if surge in _NOTHING:
            continue
        yield Violation(
            manifest=plugin,
            path=_PATH,
            message=f"maxSurge is {surge}: two plugins of one resource would run on a node",
            fix=_fix(plugin),
        )


def _fix(plugin: Manifest) -> Fix | None:
    """None where maxUnavailable is 0: the server takes no DaemonSet in which both are."""
    if plugin.at(_UNAVAILABLE) in _NOTHING[1:]:
        return None
    return Fix(path=_PATH, value=0, why_safe="0 is the default of a DaemonSet")


RULE = LintRule(
    name="surge-on-device-plugin",
    severity=Severity.ERROR,
    references=("kubernetes#127803", "kubernetes PR#129832"),
    check=_check,
)

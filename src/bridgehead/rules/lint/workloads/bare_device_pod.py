"""A pod without a controller asks for a device.

Finds: a manifest of the kind Pod that asks for an extended resource.

Why: when its node or kubelet restarts, the pod may be admitted before the plugin has registered. It
is refused for good (UnexpectedAdmissionError), and nothing makes another one.

Sure: a Job, Deployment or StatefulSet makes a new pod after such a refusal; a pod that is only a
test of a minute may stay bare.

Do: let a Job or another controller make the pod.
"""

from collections.abc import Iterable

from bridgehead.core.findings.device_requests import device_requests
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import children, text

_ENDED = ("Succeeded", "Failed")


def _check(linted: Linted) -> Iterable[Violation]:
    for manifest in linted.of_kind("Pod"):
        owned = children(manifest.data, "metadata", "ownerReferences")
        if owned or text(manifest.data, "status", "phase") in _ENDED:
            continue
        for item in device_requests(manifest):
            yield Violation(
                manifest=manifest,
                path=item.path,
                message=f"the pod asks for {item.resource} and has no controller: "
                "if it is refused once, it stays failed",
            )
            break


RULE = LintRule(
    name="bare-device-pod",
    severity=Severity.WARNING,
    references=("kubernetes#125579",),
    check=_check,
)

"""A pod would not survive a kubelet restart, as its init container asks for a device.

Finds: an init container that ends (no restartPolicy Always) and asks for an extended resource.

Why: a kubelet that starts admits its pods anew, before plugins have registered. It passes over
containers that run, and an init container that has ended runs no more: the pod is refused with
UnexpectedAdmissionError and its running containers are stopped. So it is up to 1.37; a kubelet
before 1.25.14 passes over none.

Sure: kubectl get pod after a kubelet restart: phase Failed, reason UnexpectedAdmissionError, while
pods whose running containers alone ask for devices go on.

Do: let only the containers that run ask for the device; a check of it may be their first step, or a
sidecar. Else drain the node before its kubelet restarts.
"""

from collections.abc import Iterable

from bridgehead.core.findings.device_requests import device_requests
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation]:
    for manifest in linted.with_pods:
        for item in device_requests(manifest):
            where = item.at[:-1]
            ends = manifest.at((*where, "restartPolicy")) != "Always"
            if "initContainers" in where and ends and item.asks:
                yield Violation(
                    manifest=manifest,
                    path=item.path,
                    message=f"init container {item.container} asks for {item.resource}: when the"
                    " kubelet restarts, the pod is refused and ends",
                )


# The kubelet's part is isContainerAlreadyRunning of its device manager; as read in 1.37.2.
RULE = LintRule(
    name="device-in-init-container",
    severity=Severity.WARNING,
    references=("kubernetes#138446", "kubernetes#124345", "kubernetes#118559"),
    check=_check,
)

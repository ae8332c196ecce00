"""A device is asked for at the level of the pod.

Finds: an extended resource under spec.resources of a pod or a pod template.

Why: pod-level resources take cpu, memory and huge pages only. The API server refuses the pod with
422; a controller is accepted and its pods are refused one by one.

Sure: kubectl create --dry-run=server of the pod names the field.

Do: move it to resources.limits of the container that uses the device.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.device import is_extended


def _check(linted: Linted) -> Iterable[Violation]:
    for manifest in linted.with_pods:
        base = manifest.template_path
        for field in ("limits", "requests"):
            path = (*(base or ()), "spec", "resources", field)
            asked = manifest.at(path)
            for name in asked if isinstance(asked, Mapping) else ():
                if is_extended(str(name)):
                    yield Violation(
                        manifest=manifest,
                        path=(*path, name),
                        message=f"{name} stands in the pod's own resources, which take only cpu, "
                        "memory and huge pages",
                    )


RULE = LintRule(
    name="device-in-pod-level-resources",
    severity=Severity.WARNING,
    references=(
        "intel#2305",
        "https://kubernetes.io/docs/tasks/configure-pod-container/assign-pod-level-resources/",
    ),
    check=_check,
)

"""A plugin is configured with a resource name that is refused.

Finds: a name that follows from a plugin's configuration and is no domain with a name, lies in
Kubernetes' own domain, is too long, or has characters that kubelet or plugin do not take.

Why: the kubelet refuses the registration, or the plugin its configuration: the resource never
appears, and the pod may be Ready all the same.

Sure: the plugin's log says that the ResourceName is invalid, or contains invalid characters.

Do: name it DOMAIN/NAME with a domain of your own, and letters, digits and '_' in the name.
"""

import re
from collections.abc import Iterable

from bridgehead.core.components.advertised import refused_name
from bridgehead.core.findings.configurations import configurations
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule

# ValidateConfigs in pkg/resources/resources_manager.go of the RDMA shared plugin, 1.5.3.
_RDMA = re.compile(r"[a-zA-Z0-9_]+")
# NewResourceName in api/config/v1/resources.go of NVIDIA's plugin, 0.12.3 to 0.18.0.
_NVIDIA = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_NVIDIA_LONGEST = 63


def _check(linted: Linted) -> Iterable[Violation]:
    for found in configurations(linted):
        for item in found.names:
            why = refused_name(item.name) or _by_plugin(found.form.family, item.name)
            if why:
                yield Violation(
                    manifest=found.manifest,
                    path=found.path,
                    message=f"{found.key}: {item.path} leads to {item.name}, which is refused:"
                    f" {why}",
                )


def _by_plugin(family: str, name: str) -> str:
    last = name.rpartition("/")[2]
    if family == "rdma-shared" and not _RDMA.fullmatch(last):
        return "the plugin takes letters, digits and '_' only"
    if family == "nvidia" and len(name) > _NVIDIA_LONGEST:
        return f"the plugin takes {_NVIDIA_LONGEST} characters, domain included"
    if family == "nvidia" and not _NVIDIA.fullmatch(last):
        return "the plugin takes small letters, digits, '-' and '.' only"
    return ""


RULE = LintRule(
    name="bad-resource-name",
    severity=Severity.ERROR,
    references=("kubernetes/pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go",),
    check=_check,
)

"""A workload asks for a device and not for the runtime that its plugin uses.

Finds: a pod that asks for a resource whose plugin, in the same manifests or in the cluster, has a
runtimeClassName, while the pod has none.

Why: where the vendor's runtime is not the node's default, the device is allocated and no device
node is in the container. The pod runs and the program finds nothing.

Sure: a plugin that needs the class itself shows that the default runtime lacks the vendor's hook;
with CDI in the runtime, or the class made the default, the workload needs none.

Do: set runtimeClassName of the workload to the plugin's, or make that runtime the node's default.
"""

from collections.abc import Iterable

from bridgehead.core.components.family import family_of
from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.findings.device_requests import device_requests
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import JsonObject, children, text


def _check(linted: Linted) -> Iterable[Violation]:
    classes = _classes(linted)
    for manifest in linted.with_pods:
        if text(manifest.template, *_CLASS):
            continue
        for item in device_requests(manifest):
            domain = item.resource.partition("/")[0]
            found = next((name for prefix, name in classes if prefix.startswith(domain)), "")
            if found:
                yield Violation(
                    manifest=manifest,
                    path=item.path,
                    message=f"{item.resource} comes from a plugin that runs under the "
                    f"runtime class {found}, and this pod runs under the default one",
                    remedy=f"set runtimeClassName: {found}, or make it the default runtime",
                )
                break


_CLASS = ("spec", "runtimeClassName")


def _classes(linted: Linted) -> list[tuple[str, str]]:
    """Resource prefixes of plugins with the runtime class that the plugin itself needs."""
    templates = [plugin.template for plugin in linted.plugins]
    if linted.cluster is not None:
        found = linted.cluster.snapshot.components
        templates += [item.template for item in found if is_device_plugin(item)]
    return sorted(
        {
            (prefix, name)
            for template in templates
            if (name := text(template, *_CLASS)) and not _injected(template)
            for prefix in family_of(template).resources
        }
    )


def _injected(template: JsonObject) -> bool:
    """Whether the plugin names devices by CDI, which every runtime that knows CDI honours."""
    return any(
        text(entry, "name") == "DEVICE_LIST_STRATEGY" and "cdi" in text(entry, "value")
        for container in children(template, "spec", "containers")
        for entry in children(container, "env")
    )


RULE = LintRule(
    name="workload-runtime-class-missing",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    references=("k3s-io/k3s#4391", "k3s-io/k3s#4070", "toolkit#1089"),
    helped_by=frozenset({Need.DAEMON_SETS}),
    check=_check,
)

"""A device plugin asks for a device that it offers itself.

Finds: a plugin's DaemonSet with a container, the plugin's own or one beside it, that asks for a
resource which this plugin offers: by its family, its configuration, or a name that it is given.

Why: the device exists only once the plugin runs, and the pod is placed only where the device is
free. The pods stay Pending for ever; after an update even on nodes that still show the devices,
since they go to 0 with the old pod.

Sure: the plugin's pods are Pending with "Insufficient" and the name of the resource.

Do: take the resource out of the plugin's requests and limits; give the plugin what it needs of the
device by privilege and host paths.
"""

from collections.abc import Iterable

from bridgehead.core.findings.configurations import configurations
from bridgehead.core.findings.device_requests import device_requests
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.own_names import is_told, offered_elsewhere, offers_itself
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.quantity import amount


def _check(linted: Linted) -> Iterable[Violation]:
    asking = [(plugin, tuple(device_requests(plugin))) for plugin in linted.plugins]
    every = configurations(linted) if any(items for _, items in asking) else ()
    for plugin, items in asking:
        for item in items:
            written = item.request if item.limit is None else item.limit
            name = item.resource
            own = offers_itself(plugin, every, name) or (
                is_told(plugin, name) and not offered_elsewhere(linted, plugin, every, name)
            )
            if own and amount(str(written)) != 0:
                yield Violation(
                    manifest=plugin,
                    path=item.path,
                    message=f"container {item.container} asks for {written} {name}, which this "
                    "plugin itself offers: it can never start",
                    remedy=f"take {name} out of the resources of {item.container}",
                )


RULE = LintRule(
    name="plugin-requests-own-device",
    severity=Severity.ERROR,
    references=(
        "https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/",
    ),
    check=_check,
)

"""A device taint is tolerated for one value only.

Finds: a plugin's toleration of a taint that is no node condition, with the operator Equal (also
where none is written) and a value.

Why: node pools write other values (present, true, the card's name). The plugin passes them by,
silently.

Sure: kubectl get nodes -o custom-columns of the taints; where one operator writes all of them, one
value is enough. A key that names a tenant or a team is a choice, not a device.

Do: use the operator Exists and no value.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC
from bridgehead.core.model.device import is_extended
from bridgehead.core.model.json import text

_PATH = (*POD_SPEC, "tolerations")
_DEVICE_KEYS = ("sku", "gpu", "accelerator", "dedicated-gpu")


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        listed = plugin.at(_PATH)
        for number, item in enumerate(listed if isinstance(listed, list | tuple) else ()):
            if not isinstance(item, Mapping):
                continue
            key, value = text(item, "key"), text(item, "value")
            exact = text(item, "operator") in ("", "Equal")
            if exact and value and _is_of_devices(key):
                yield Violation(
                    manifest=plugin,
                    path=(*_PATH, number),
                    message=f"the taint {key} is tolerated with the value {value} only",
                    remedy=f"tolerate {key} with the operator Exists",
                )


def _is_of_devices(key: str) -> bool:
    """Named as a resource is, or as node pools name device taints."""
    return (is_extended(key) and not key.endswith("/dedicated")) or key in _DEVICE_KEYS


RULE = LintRule(
    name="taint-tolerated-by-value",
    severity=Severity.WARNING,
    references=("NVIDIA#68", "nebari-dev/nebari#3074", "Azure/AKS#4418"),
    check=_check,
)

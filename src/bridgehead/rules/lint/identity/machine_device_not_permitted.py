"""A virtual machine asks for a device name that KubeVirt does not permit.

Finds: a machine (also a replica set, a pool or an instance type) whose deviceName is not a
resourceName under permittedHostDevices of the KubeVirt object; and a KubeVirt object that leaves
out a name which machines of the cluster ask for. Without that section KubeVirt refuses no name.

Why: the machine does not start: "GPU nvidia.com/... is not permitted in permittedHostDevices
configuration". What nodes offer does not matter there; names are compared letter by letter.

Sure: kubectl get kubevirt -A -o jsonpath='{.items[*].spec.configuration.permittedHostDevices}'

Do: permit the name with the id of its device, and with externalResourceProvider if another plugin
than KubeVirt's offers it; or ask for a name that is permitted.
"""

from collections.abc import Iterable, Iterator

from bridgehead.core.components.kubevirt import section_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.machines import (
    Asker,
    Permission,
    askers,
    has_machines,
    permission,
    permitting,
)
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    asking = askers(linted)
    permitted = permission(linted)
    written = [item for item in asking if item.manifest is not None]
    if written and permitted.unseen:
        yield Doubt(why=f"which device names KubeVirt permits: {permitted.unseen}")
        return
    for item in written:
        if item.manifest is not None and permitted.refuses(item.name):
            yield Violation(
                manifest=item.manifest,
                path=item.asked.path,
                message=f"it asks for {item.name}, which KubeVirt does not permit"
                f"{_instead(item, permitted)}: the machine will not start",
            )
    permits = permitting(linted)
    if permits is not None and linted.cluster is not None:
        if not has_machines(linted):
            yield Doubt(why="whether machines of the cluster ask for a name that is not permitted")
        yield from _left_out(permits, asking, permitted)


def _left_out(
    permits: Manifest, asking: Iterable[Asker], permitted: Permission
) -> Iterator[Violation]:
    """Names that machines of the cluster ask for, each with all of them."""
    found: dict[str, set[str]] = {}
    for item in asking:
        if item.manifest is None and permitted.refuses(item.name):
            found.setdefault(item.name, set()).add(item.who)
    for name, machines in sorted(found.items()):
        yield Violation(
            manifest=permits,
            path=section_of(permits.kind) or (),
            message=f"{name} is not permitted, for which {few(sorted(machines), 3)} ask:"
            " they will not start again",
        )


def _instead(item: Asker, permitted: Permission) -> str:
    domain = item.name.partition("/")[0]
    same = sorted(it for it in permitted.names or () if it.partition("/")[0] == domain)
    return f" (it permits {few(same, 3)})" if same else ""


RULE = LintRule(
    name="machine-device-not-permitted",
    severity=Severity.ERROR,
    references=(
        "kubevirt#4950",
        "kubevirt/hyperconverged-cluster-operator#1227",
        "https://kubevirt.io/user-guide/compute/host-devices/",
    ),
    helped_by=frozenset({Need.KUBEVIRT, Need.VIRTUAL_MACHINES, Need.MACHINE_INSTANCES}),
    check=_check,
)

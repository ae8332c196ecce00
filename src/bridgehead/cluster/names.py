"""Names and labels of the objects that a run makes. Pure.

Names are the same each time, so that a repeated creation finds the first one's object.
"""

import hashlib

from bridgehead.core.model.pod import OWN_LABEL
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.rollout.commands import Role

RUN_LABEL = OWN_LABEL
"""Label of pods of ours and of a run's records: the run's name."""
ROLE_LABEL = "bridgehead.dev/role"
"""Label of pods of ours: what they are for."""
PART_LABEL = "bridgehead.dev/part"
"""Label of a run's ConfigMaps: ``record`` or ``segment``; ``recoveries`` of what is no run."""
COMPONENT_LABEL = "bridgehead.dev/component"
"""Label of a run's record: the component, as ``component_label`` writes it."""

LABEL_LIMIT = 63
"""Characters of a DNS label and of a label's value.

Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
"""
_SUBDOMAIN_LIMIT = 253


def own_pod_name(run: str, role: Role, node: str) -> str:
    """The name of our pod of that role on that node: readable, unique by its digest."""
    readable = f"bridgehead-{role.value}-{node}".replace(".", "-")
    return _fitted(readable, f"{run}/{role.value}/{node}", LABEL_LIMIT, always=True)


def lease_name(component: ComponentRef) -> str:
    """The name of the component's Lease. A namespace has no dots, so no two refs share a name."""
    plain = f"{component.kind.value}.{component.namespace}.{component.name}"
    return _fitted(plain, plain, _SUBDOMAIN_LIMIT)


def component_label(component: ComponentRef) -> str:
    """The component as a label's value."""
    plain = f"{component.kind.value}.{component.namespace}.{component.name}"
    return _fitted(plain, plain, LABEL_LIMIT)


def recoveries_name(component: ComponentRef) -> str:
    """The name of the journal of the component's recoveries; nodes that they hold carry it."""
    plain = f"recoveries.{component.kind.value}.{component.namespace}.{component.name}"
    return _fitted(plain, plain, LABEL_LIMIT)


def own_pod_labels(run: str, role: Role) -> dict[str, str]:
    """All labels that a pod of ours has."""
    return {RUN_LABEL: run, ROLE_LABEL: role.value}


def _fitted(readable: str, unique: str, limit: int, *, always: bool = False) -> str:
    if len(readable) <= limit and not always:
        return readable
    mark = hashlib.sha256(unique.encode()).hexdigest()[:10]
    return f"{readable[: limit - len(mark) - 1].rstrip('-.')}-{mark}"

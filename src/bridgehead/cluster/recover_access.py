"""Which permissions a recovery needs, rung by rung; asked for before anything is written."""

from bridgehead.cluster.access import Permission
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.recover.rung import Rung
from bridgehead.kube.resources import CONFIG_MAPS, LEASES, NODES, PODS


def needed_to_recover(
    component: ComponentRef, state_namespace: str, rung: Rung
) -> tuple[Permission, ...]:
    """What the rung writes, and where that is recorded. Reading is asked for as it is read."""
    there, state = component.namespace, state_namespace
    records = (
        _of(
            CONFIG_MAPS.plural,
            ("get", "list", "create", "patch"),
            state,
            "keep the journal, and count from it what was done before",
        ),
        _of(
            LEASES.plural,
            ("get", "create", "patch"),
            state,
            "hold the component's lock",
            group=LEASES.group,
        ),
    )
    match rung:
        case Rung.RESTART:
            return (
                *records,
                _of(PODS.plural, ("create",), there, "try a pod of the template (dry run)"),
                _of(PODS.plural, ("delete",), there, "restart a plugin pod"),
            )
        case Rung.PRUNE:
            return (*records, _of(PODS.plural, ("delete",), "", "delete refused pods"))
        case Rung.CORDON:
            return (*records, _of(NODES.plural, ("patch",), "", "cordon the node"))
        case Rung.DEAD_NAME:
            why = "remove a dead resource name"
            return (*records, _of(NODES.plural, ("patch",), "", why, subresource="status"))
        case _:
            return records


def needed_to_read_nodes(state_namespace: str) -> tuple[Permission, ...]:
    """What the pod that reads a node's files needs."""
    why = "read files of a node by a pod, and remove it"
    return (
        _of(PODS.plural, ("get", "list", "create", "delete"), state_namespace, why),
        _of(
            PODS.plural, ("get",), state_namespace, "take over what it has read", subresource="log"
        ),
        _of("events", ("list",), state_namespace, "see which of the folders is not there"),
    )


def _of(
    plural: str,
    verbs: tuple[str, ...],
    namespace: str,
    why: str,
    *,
    group: str = "",
    subresource: str = "",
) -> Permission:
    return Permission(verbs, plural, group, namespace, why, subresource)

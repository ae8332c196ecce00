"""The user as whom scenarios run bridgehead: allowed what it says that it needs, no more."""

import yaml

from bridgehead.cluster.access import Missing, grant_text, needed, new_namespace
from bridgehead.core.plan.settings import ComponentRef
from testbed.api import Api

_GROUP = "/apis/rbac.authorization.k8s.io/v1"


def grant(
    api: Api, user: str, component: ComponentRef, state_namespace: str, *, evicts: bool = False
) -> None:
    """Do what bridgehead tells people to do who may not yet roll out; roles are named after users.

    That makes the state namespace as well: a role is granted in a namespace that exists.
    """
    wanted = [*needed(component, state_namespace, evicts=evicts), new_namespace(state_namespace)]
    for item in yaml.safe_load_all(grant_text(map(Missing, wanted), user)):
        if item["kind"] == "Namespace":
            api.create("/api/v1/namespaces", item)
            continue
        item["metadata"]["name"] = user
        if "roleRef" in item:
            item["roleRef"]["name"] = user
        namespace = item["metadata"].get("namespace")
        where = f"/namespaces/{namespace}" if namespace else ""
        api.create(f"{_GROUP}{where}/{item['kind'].lower()}s", item)


def grant_everything(api: Api, user: str) -> None:
    """Make the user an administrator."""
    group = "rbac.authorization.k8s.io"
    role = {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"}
    subject = {"apiGroup": group, "kind": "User", "name": user}
    body = {"metadata": {"name": user}, "subjects": [subject], "roleRef": role}
    api.create(f"{_GROUP}/clusterrolebindings", body)


def revoke(api: Api, user: str) -> None:
    """Take away what goes with no namespace."""
    api.delete(f"{_GROUP}/clusterrolebindings/{user}")
    api.delete(f"{_GROUP}/clusterroles/{user}")

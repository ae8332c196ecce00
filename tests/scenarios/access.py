"""The user as whom scenarios run bridgehead: allowed what it says that it needs, no more."""

import yaml

from bridgehead.cluster.access import Missing, grant_text, needed
from bridgehead.core.plan.settings import ComponentRef
from testbed.api import Api

_GROUP = "/apis/rbac.authorization.k8s.io/v1"


def grant(api: Api, user: str, component: ComponentRef, state_namespace: str) -> None:
    """Do what bridgehead tells people to do who may not yet roll out; roles are named after users.

    The state namespace is made as well: a Role is granted in a namespace that exists.
    """
    api.create("/api/v1/namespaces", {"metadata": {"name": state_namespace}})
    wanted = [Missing(item) for item in needed(component, state_namespace)]
    for item in yaml.safe_load_all(grant_text(wanted, user)):
        item["metadata"]["name"] = user
        if "roleRef" in item:
            item["roleRef"]["name"] = user
        namespace = item["metadata"].get("namespace")
        where = f"/namespaces/{namespace}" if namespace else ""
        api.create(f"{_GROUP}{where}/{item['kind'].lower()}s", item)


def revoke(api: Api, user: str) -> None:
    """Take away what goes with no namespace."""
    api.delete(f"{_GROUP}/clusterrolebindings/{user}")
    api.delete(f"{_GROUP}/clusterroles/{user}")

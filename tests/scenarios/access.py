"""The user as whom scenarios run bridgehead: allowed what it says that it needs, no more."""

from testbed.api import Api


def grant(api: Api, user: str, namespace: str, state_namespace: str) -> None:
    """Bind the user to a role of its own."""
    subject = {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user}
    api.create(
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        {
            "metadata": {"name": user},
            "subjects": [subject],
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "cluster-admin",
            },
        },
    )


def revoke(api: Api, user: str, namespace: str, state_namespace: str) -> None:
    """Take it away again."""
    api.delete(f"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/{user}")

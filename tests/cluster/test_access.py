"""Missing permissions, told by the API server, and the words that grant them."""

import asyncio
import subprocess

import msgspec
import pytest
import yaml

from bridgehead.cluster.access import (
    Missing,
    Permission,
    complete,
    grant_text,
    missing_permissions,
    needed,
    new_namespace,
)
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from testbed.cluster import Cluster
from testbed.parts import binary

COMPONENT = ComponentRef(ComponentKind.DAEMON_SET, "gpu", "plugin")


def everything(namespace: str, state: str) -> list[Missing]:
    ref = ComponentRef(ComponentKind.DAEMON_SET, namespace, "plugin")
    return [Missing(item) for item in needed(ref, state)]


def test_a_missing_permission_names_verbs_resource_place_and_reason() -> None:
    texts = [str(item) for item in everything("gpu", "state")]
    assert "get pods/log in namespace gpu: read the log of new pods" in texts
    assert any(text.startswith("get, list, watch, patch daemonsets.apps in name") for text in texts)
    assert any(text.startswith("get, list, watch, patch nodes in the whole") for text in texts)


def test_roles_are_made_where_they_are_needed() -> None:
    documents = list(yaml.safe_load_all(grant_text(everything("gpu", "state"), "ci")))
    made = [(item["kind"], item["metadata"].get("namespace")) for item in documents]
    assert made == [
        ("ClusterRole", None),
        ("ClusterRoleBinding", None),
        ("Role", "gpu"),
        ("RoleBinding", "gpu"),
        ("Role", "state"),
        ("RoleBinding", "state"),
    ]
    assert documents[1]["roleRef"]["kind"] == "ClusterRole"
    assert documents[3]["subjects"] == [
        {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "ci"}
    ]


def test_a_service_account_is_named_as_one() -> None:
    user = "system:serviceaccount:ci:runner"
    documents = list(yaml.safe_load_all(grant_text(everything("gpu", "state"), user)))
    account = {"kind": "ServiceAccount", "name": "runner", "namespace": "ci"}
    assert documents[1]["subjects"] == [account]


def test_a_state_namespace_that_is_missing_is_made_before_the_roles_in_it() -> None:
    missing = [*everything("gpu", "state"), Missing(new_namespace("state"))]
    documents = list(yaml.safe_load_all(grant_text(missing, "ci")))
    assert documents[0]["kind"] == "Namespace"
    assert documents[0]["metadata"] == {"name": "state"}
    assert not any(
        "namespaces" in rule["resources"] and "create" in rule["verbs"]
        for item in documents
        for rule in item.get("rules", ())
    )


def test_grants_of_two_users_do_not_replace_each_other() -> None:
    both = []
    for user in ("ann@example.com", "bob@example.com"):
        granted = yaml.safe_load_all(grant_text(everything("gpu", "state"), user))
        both.append({item["metadata"]["name"] for item in granted})
    assert len(both[0]) == len(both[1]) == 1
    assert both[0] != both[1]


def test_grant_holds_everything_not_only_what_is_missing() -> None:
    missing = everything("gpu", "state")[:1]
    assert complete(missing, COMPONENT, "state") == tuple(map(Missing, needed(COMPONENT, "state")))


def test_evictions_are_granted_in_all_namespaces_and_only_to_those_who_evict() -> None:
    def granted(*, evicts: bool) -> str:
        wanted = map(Missing, needed(COMPONENT, "state", evicts=evicts))
        return grant_text(wanted, "ci")

    assert "pods/eviction" not in granted(evicts=False)
    roles = yaml.safe_load_all(granted(evicts=True))
    (whole,) = [item for item in roles if item["kind"] == "ClusterRole"]
    rule = {"apiGroups": [""], "resources": ["pods/eviction"], "verbs": ["create"]}
    assert rule in whole["rules"]


def test_a_grant_keeps_what_only_this_cluster_asks_for() -> None:
    """Other tools' objects, where there are any; what is granted always is not doubled."""
    partly = msgspec.structs.replace(needed(COMPONENT, "state")[0], verbs=("patch",))
    group = "maintenance.nvidia.com"
    own = Permission(("list",), "nodemaintenances", group, "", "to see", where_served=True)
    wanted = complete([Missing(partly), Missing(own)], COMPONENT, "state")
    assert wanted == (*map(Missing, needed(COMPONENT, "state")), Missing(own))


@pytest.mark.cluster
async def test_an_administrator_lacks_nothing(kube: Kube) -> None:
    assert await missing_permissions(kube, COMPONENT, "state-that-is-not-there") == ()


@pytest.mark.cluster
async def test_what_is_missing_is_granted_by_the_words_that_say_so(
    cluster: Cluster, namespace: str
) -> None:
    component = ComponentRef(ComponentKind.DAEMON_SET, namespace, "plugin")
    user = f"user-of-{namespace}"
    state = f"{namespace}-state"
    config = load_config(cluster.user_kubeconfig(user))
    async with await Kube.connect(config) as somebody:
        missing = await missing_permissions(somebody, component, state)
        every = [*needed(component, state), new_namespace(state)]
        assert [item.permission for item in missing] == every
        granting = grant_text(missing, user)
        try:
            await asyncio.to_thread(kubectl, cluster, "apply", "-f", "-", given=granting)
            assert await missing_permissions(somebody, component, state) == ()
        finally:
            (name,) = {
                item["metadata"]["name"]
                for item in yaml.safe_load_all(granting)
                if item["kind"] != "Namespace"
            }
            names = (f"clusterrole/{name}", f"clusterrolebinding/{name}", f"namespace/{state}")
            await asyncio.to_thread(kubectl, cluster, "delete", "--wait=false", *names)


def kubectl(cluster: Cluster, *arguments: str, given: str = "") -> None:
    command = [str(binary("kubernetes", "kubectl")), "--kubeconfig", str(cluster.kubeconfig)]
    subprocess.run([*command, *arguments], input=given.encode(), check=True, capture_output=True)

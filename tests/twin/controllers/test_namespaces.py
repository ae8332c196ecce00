"""Namespaces that go, and what every namespace gets."""

from bridgehead.twin.controllers.accounts import NamespaceDefaults
from bridgehead.twin.controllers.namespaces import NamespaceController
from bridgehead.twin.objects import Object
from tests.twin.controllers.cluster import Cluster, Nodes
from tests.twin.virtually import virtually

POD = """
apiVersion: v1
kind: Pod
metadata: {name: slow}
spec:
  terminationGracePeriodSeconds: 8
  containers: [{name: main, image: "web:1"}]
"""
HELD = "{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [example.com/wait]}}"


def conditions(twin: Cluster) -> dict[str, tuple[str, str, str]]:
    found: list[Object] = twin.get("Namespace", "ai")["status"].get("conditions", [])
    return {one["type"]: (one["status"], one["reason"], one["message"]) for one in found}


@virtually
async def test_a_namespace_goes_with_everything_in_it() -> None:
    twin = Cluster()
    NamespaceController(twin.registry).start()
    twin.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}")
    twin.delete("Namespace", "ai")
    assert twin.has("Namespace", "ai")
    await twin.until(lambda: not twin.has("Namespace", "ai"), within=10)
    assert twin.all("ConfigMap") == []
    assert twin.all("ServiceAccount") == []


@virtually
async def test_pods_go_first() -> None:
    twin = Cluster()
    NamespaceController(twin.registry).start()
    Nodes(twin)
    twin.apply(POD)
    twin.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}")
    await twin.settle(3)
    twin.delete("Namespace", "ai")
    await twin.settle(5.5)
    assert twin.get("Pod", "slow")["metadata"]["deletionTimestamp"]
    assert twin.has("ConfigMap", "one")
    assert conditions(twin)["NamespaceContentRemaining"] == (
        "False",
        "ContentRemoved",
        "All content successfully removed",
    )
    await twin.until(lambda: not twin.has("Namespace", "ai"), within=60)


@virtually
async def test_conditions_tell_what_is_left() -> None:
    twin = Cluster()
    NamespaceController(twin.registry).start()
    twin.apply(HELD)
    twin.delete("Namespace", "ai")
    await twin.settle(6)
    assert twin.get("Namespace", "ai")["status"]["phase"] == "Terminating"
    assert list(conditions(twin).values()) == [
        ("False", "ResourcesDiscovered", "All resources successfully discovered"),
        ("False", "ParsedGroupVersions", "All legacy kube types successfully parsed"),
        (
            "False",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        (
            "True",
            "SomeResourcesRemain",
            "Some resources are remaining: configmaps. has 1 resource instances",
        ),
        (
            "True",
            "SomeFinalizersRemain",
            "Some content in the namespace has finalizers remaining: "
            "example.com/wait in 1 resource instances",
        ),
    ]
    twin.change("ConfigMap", "held", "metadata.finalizers", None)
    await twin.until(lambda: not twin.has("Namespace", "ai"), within=30)


@virtually
async def test_every_namespace_gets_its_account_and_authority_again_and_again() -> None:
    twin = Cluster()
    twin.delete("ServiceAccount", "default")
    NamespaceDefaults(twin.registry, "PEM").start()
    await twin.settle()
    assert twin.has("ServiceAccount", "default")
    assert twin.get("ConfigMap", "kube-root-ca.crt")["data"] == {"ca.crt": "PEM"}
    twin.delete("ServiceAccount", "default")
    twin.change("ConfigMap", "kube-root-ca.crt", "data", {"ca.crt": "other"})
    await twin.settle()
    assert twin.has("ServiceAccount", "default")
    assert twin.get("ConfigMap", "kube-root-ca.crt")["data"] == {"ca.crt": "PEM"}
    twin.delete("ConfigMap", "kube-root-ca.crt")
    await twin.settle()
    assert twin.has("ConfigMap", "kube-root-ca.crt")

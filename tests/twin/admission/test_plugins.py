"""What is added to writes, and refused, by what is there beside them."""

import pytest

from bridgehead.twin.admission.namespaces import check_namespace_deletion
from bridgehead.twin.errors import ApiError
from tests.twin.admission.world import World
from tests.twin.virtually import virtually


def _config_map() -> dict[str, object]:
    return {"metadata": {"name": "c"}, "data": {"a": "b"}}


@virtually
async def test_nothing_is_created_in_a_namespace_that_is_not_there() -> None:
    with pytest.raises(ApiError) as refusal:
        World().create("", "configmaps", _config_map(), namespace="nowhere")
    assert (refusal.value.code, str(refusal.value)) == (404, 'namespaces "nowhere" not found')


@virtually
async def test_nothing_is_created_in_a_namespace_that_goes() -> None:
    world = World()
    kind = world.kind("", "namespaces")
    namespace = world.registry.get(kind, "", "n")
    terminating = {**namespace, "status": {"phase": "Terminating"}}
    world.registry.update(kind, terminating, subresource="status")
    with pytest.raises(ApiError) as refusal:
        world.create("", "configmaps", _config_map())
    assert str(refusal.value) == (
        'configmaps "c" is forbidden: unable to create new content in namespace n because it is '
        "being terminated"
    )
    assert refusal.value.status["details"]["causes"] == [
        {
            "reason": "NamespaceTerminating",
            "message": "namespace n is being terminated",
            "field": "metadata.namespace",
        }
    ]


@virtually
async def test_three_namespaces_stay() -> None:
    kind = World().kind("", "namespaces")
    check_namespace_deletion(kind, "n")
    for name in ("default", "kube-system", "kube-public"):
        with pytest.raises(ApiError, match="this namespace may not be deleted"):
            check_namespace_deletion(kind, name)


@virtually
async def test_a_pod_that_wants_no_token_gets_no_volume() -> None:
    pod = World().pod(automountServiceAccountToken=False)
    assert "volumes" not in pod["spec"]
    assert pod["spec"]["serviceAccountName"] == "default"


@virtually
async def test_an_account_says_whether_its_token_is_mounted_and_what_pulls_images() -> None:
    world = World()
    account = {
        "metadata": {"name": "quiet"},
        "automountServiceAccountToken": False,
        "imagePullSecrets": [{"name": "registry"}],
    }
    world.create("", "serviceaccounts", account)
    pod = world.pod(serviceAccountName="quiet")
    assert "volumes" not in pod["spec"]
    assert pod["spec"]["imagePullSecrets"] == [{"name": "registry"}]


@virtually
async def test_a_container_that_mounts_something_there_keeps_it() -> None:
    mount = {"name": "own", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    pod = World().pod(
        containers=[{"name": "a", "image": "a", "volumeMounts": [mount]}],
        volumes=[{"name": "own", "emptyDir": {}}],
    )
    assert pod["spec"]["containers"][0]["volumeMounts"] == [mount]
    assert [volume["name"] for volume in pod["spec"]["volumes"]] == ["own"]


@virtually
async def test_own_controllers_hear_of_a_missing_account_too() -> None:
    world = World()
    body = {
        "metadata": {"name": "p"},
        "spec": {"serviceAccountName": "nobody", "containers": [{"name": "a", "image": "a"}]},
    }
    with pytest.raises(ApiError, match='serviceaccount "nobody" not found'):
        world.create("", "pods", body, user="")


@virtually
async def test_the_default_class_gives_its_priority() -> None:
    world = World()
    for name, value, is_default in (("low", 5, False), ("usual", 7, True)):
        body = {"metadata": {"name": name}, "value": value, "globalDefault": is_default}
        world.create("scheduling.k8s.io", "priorityclasses", body)
    spec = world.pod()["spec"]
    assert (spec["priorityClassName"], spec["priority"]) == ("usual", 7)


@virtually
async def test_a_second_default_class_is_refused() -> None:
    world = World()
    first = {"metadata": {"name": "a"}, "value": 1, "globalDefault": True}
    world.create("scheduling.k8s.io", "priorityclasses", first)
    with pytest.raises(ApiError) as refusal:
        world.create(
            "scheduling.k8s.io",
            "priorityclasses",
            {"metadata": {"name": "b"}, "value": 1, "globalDefault": True},
        )
    assert str(refusal.value) == (
        'priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already marked as '
        "default. Only one default can exist"
    )


@virtually
async def test_services_get_different_addresses_and_keep_them() -> None:
    world = World()
    found = []
    for name in ("a", "b", "c"):
        body = {"metadata": {"name": name}, "spec": {"type": "NodePort", "ports": [{"port": 80}]}}
        found.append(world.create("", "services", body))
    addresses = {service["spec"]["clusterIP"] for service in found}
    ports = {service["spec"]["ports"][0]["nodePort"] for service in found}
    assert len(addresses) == len(ports) == 3
    assert all(address.startswith("10.0.0.") for address in addresses)
    assert all(30000 <= port <= 32767 for port in ports)

    spec = {"type": "NodePort", "ports": [{"port": 80}]}
    body = {"metadata": {"name": "a", "namespace": "n"}, "spec": spec}
    changed = world.update("", "services", body)
    assert changed["spec"] == found[0]["spec"]


@virtually
async def test_an_address_does_not_change() -> None:
    world = World()
    made = world.create(
        "", "services", {"metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}}
    )
    other = {**made["spec"], "clusterIP": "10.0.0.99", "clusterIPs": ["10.0.0.99"]}
    with pytest.raises(ApiError, match="may not change once set"):
        world.update("", "services", {**made, "spec": other})


@virtually
async def test_a_new_node_takes_no_pods_yet() -> None:
    node = World().create("", "nodes", {"metadata": {"name": "x"}})
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    assert node["spec"]["taints"] == [taint]


@virtually
async def test_the_twins_own_status_is_stored_as_it_is() -> None:
    world = World()
    pod = world.pod()
    status = {"phase": "Running", "note": None}
    made = world.update("", "pods", {**pod, "status": status}, subresource="status", user="")
    assert made["status"] == status


@virtually
async def test_a_status_from_outside_is_read_as_the_server_reads_it() -> None:
    world = World()
    pod = world.pod()
    status = {"phase": "Running", "note": None, "podIP": ""}
    made = world.update("", "pods", {**pod, "status": status}, subresource="status")
    assert made["status"] == {"phase": "Running", "qosClass": "BestEffort"}


@virtually
async def test_one_seed_gives_one_world() -> None:
    first, second = World(7).pod(), World(7).pod()
    assert first == second
    assert World(8).pod() != first


@virtually
async def test_a_namespace_that_becomes_strict_tells_of_its_pods() -> None:
    world = World()
    for name in ("b", "a"):
        spec = {"hostPID": True, "containers": [{"name": "a", "image": "a"}]}
        world.create("", "pods", {"metadata": {"name": name}, "spec": spec})
    kind = world.kind("", "namespaces")
    namespace = world.registry.get(kind, "", "n")
    labels = {**namespace["metadata"]["labels"], "pod-security.kubernetes.io/enforce": "baseline"}
    warnings: list[str] = []
    changed = {**namespace, "metadata": {**namespace["metadata"], "labels": labels}}
    world.registry.update(kind, changed, warnings=warnings)
    assert warnings == [
        'existing pods in namespace "n" violate the new PodSecurity enforce level '
        '"baseline:latest"',
        "a (and 1 other pod): host namespaces",
    ]


@virtually
async def test_a_refused_pod_of_a_controller_is_refused_all_the_same() -> None:
    world = World()
    kind = world.kind("", "namespaces")
    namespace = world.registry.get(kind, "", "n")
    labels = {**namespace["metadata"]["labels"], "pod-security.kubernetes.io/enforce": "baseline"}
    metadata = {**namespace["metadata"], "labels": labels}
    world.registry.update(kind, {**namespace, "metadata": metadata})
    body = {
        "metadata": {"generateName": "d-"},
        "spec": {"hostNetwork": True, "containers": [{"name": "a", "image": "a"}]},
    }
    with pytest.raises(ApiError, match='violates PodSecurity "baseline:latest": host namespaces'):
        world.create("", "pods", body, user="")


@virtually
async def test_a_runtime_class_must_be_there() -> None:
    with pytest.raises(ApiError) as refusal:
        World().pod(runtimeClassName="nvidia")
    assert str(refusal.value) == (
        'pods "p" is forbidden: pod rejected: RuntimeClass "nvidia" not found'
    )


@virtually
async def test_a_runtime_class_says_what_a_pod_costs_and_where_it_runs() -> None:
    world = World()
    toleration = {"key": "gpu", "operator": "Exists"}
    runtime_class = {
        "metadata": {"name": "nvidia"},
        "handler": "nvidia",
        "overhead": {"podFixed": {"cpu": "100m"}},
        "scheduling": {"nodeSelector": {"gpu": "yes"}, "tolerations": [toleration]},
    }
    world.create("node.k8s.io", "runtimeclasses", runtime_class)
    spec = world.pod(runtimeClassName="nvidia", nodeSelector={"a": "b"})["spec"]
    assert spec["overhead"] == {"cpu": "100m"}
    assert spec["nodeSelector"] == {"a": "b", "gpu": "yes"}
    assert toleration in spec["tolerations"]
    other = {
        "metadata": {"name": "q"},
        "spec": {
            "runtimeClassName": "nvidia",
            "nodeSelector": {"gpu": "no"},
            "containers": [{"name": "a", "image": "a"}],
        },
    }
    with pytest.raises(ApiError, match="conflict: runtimeClass"):
        world.create("", "pods", other)


@virtually
async def test_overhead_needs_a_runtime_class() -> None:
    with pytest.raises(ApiError, match="Pod Overhead set without corresponding RuntimeClass"):
        World().pod(overhead={"cpu": "1"})

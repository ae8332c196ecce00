"""Deployments and ReplicaSets, as a real controller manager treats them."""

from bridgehead.twin.controllers.deployment_revisions import DESIRED, HISTORY, MOST, REVISION
from bridgehead.twin.controllers.deployments import DeploymentController
from bridgehead.twin.controllers.proportions import proportional
from bridgehead.twin.controllers.replicasets import ReplicaSetController
from bridgehead.twin.objects import Object, name_of
from tests.twin.controllers.cluster import Cluster, Nodes
from tests.twin.virtually import virtually

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {note: hello}}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "web:1"}]}
"""
IMAGE = "spec.template.spec.containers"


def cluster() -> Cluster:
    made = Cluster()
    Nodes(made)
    ReplicaSetController(made.registry).start()
    DeploymentController(made.registry).start()
    return made


def image(name: str) -> list[Object]:
    return [{"name": "main", "image": name}]


def condition(obj: Object, name: str) -> Object:
    return next(found for found in obj["status"]["conditions"] if found["type"] == name)


def complete(twin: Cluster) -> bool:
    web = twin.get("Deployment", "web")
    status, replicas = web.get("status", {}), web["spec"]["replicas"]
    return bool(
        status.get("observedGeneration") == web["metadata"]["generation"]
        and status.get("updatedReplicas", 0) == status.get("replicas", 0) == replicas
        and status.get("availableReplicas", 0) == replicas
    )


@virtually
async def test_a_deployment_makes_a_replica_set_and_that_its_pods() -> None:
    twin = cluster()
    twin.apply(WEB)
    await twin.until(lambda: complete(twin))
    (made,) = twin.all("ReplicaSet")
    hashed = made["metadata"]["labels"]["pod-template-hash"]
    assert name_of(made) == f"web-{hashed}"
    assert made["spec"]["selector"]["matchLabels"] == {"app": "web", "pod-template-hash": hashed}
    assert made["metadata"]["annotations"] == {
        "note": "hello",
        REVISION: "1",
        DESIRED: "4",
        MOST: "5",
    }
    await twin.settle()
    assert twin.get("ReplicaSet", name_of(made))["status"] == {
        "replicas": 4,
        "fullyLabeledReplicas": 4,
        "readyReplicas": 4,
        "availableReplicas": 4,
        "terminatingReplicas": 0,
        "observedGeneration": 1,
    }
    web = twin.get("Deployment", "web")
    assert web["metadata"]["annotations"][REVISION] == "1"
    assert condition(web, "Available")["reason"] == "MinimumReplicasAvailable"
    progressing = condition(web, "Progressing")
    assert progressing["reason"] == "NewReplicaSetAvailable"
    assert progressing["message"] == f'ReplicaSet "web-{hashed}" has successfully progressed.'
    assert twin.events("web") == [
        ("Normal", "ScalingReplicaSet", f"Scaled up replica set web-{hashed} from 0 to 4")
    ]


@virtually
async def test_a_new_template_is_rolled_out_within_surge_and_unavailable() -> None:
    twin = cluster()
    twin.apply(WEB)
    await twin.until(lambda: complete(twin))
    seen: list[tuple[int, int]] = []

    def look(change: object) -> None:
        pods = [pod for pod in twin.all("Pod") if not pod["metadata"].get("deletionTimestamp")]
        ready = [
            pod
            for pod in pods
            if any(one["status"] == "True" for one in pod.get("status", {}).get("conditions", ()))
        ]
        seen.append((len(pods), len(ready)))

    twin.registry.store.subscribe(look)
    twin.change("Deployment", "web", IMAGE, image("web:2"))
    await twin.until(lambda: complete(twin))
    assert max(pods for pods, _ in seen) == 5
    assert min(ready for _, ready in seen) == 3
    sizes = sorted(one["spec"]["replicas"] for one in twin.all("ReplicaSet"))
    assert sizes == [0, 4]
    assert twin.get("Deployment", "web")["metadata"]["annotations"][REVISION] == "2"


@virtually
async def test_a_former_template_gets_a_new_revision_and_keeps_its_history() -> None:
    twin = cluster()
    twin.apply(WEB)
    await twin.until(lambda: complete(twin))
    (first,) = twin.all("ReplicaSet")
    twin.change("Deployment", "web", IMAGE, image("web:2"))
    await twin.until(lambda: complete(twin))
    twin.change("Deployment", "web", IMAGE, image("web:1"))
    await twin.until(lambda: complete(twin))
    await twin.settle()
    again = twin.get("ReplicaSet", name_of(first))
    assert again["metadata"]["annotations"][REVISION] == "3"
    assert again["metadata"]["annotations"][HISTORY] == "1"
    assert again["spec"]["replicas"] == 4
    assert twin.get("Deployment", "web")["metadata"]["annotations"][REVISION] == "3"


@virtually
async def test_recreating_ends_every_old_pod_first() -> None:
    twin = cluster()
    made = twin.apply(WEB)
    spec = {**made["spec"], "strategy": {"type": "Recreate"}}
    twin.change("Deployment", "web", "spec", spec)
    await twin.until(lambda: complete(twin))
    old = {name_of(pod) for pod in twin.all("Pod")}
    both: list[bool] = []

    def look(change: object) -> None:
        names = {name_of(pod) for pod in twin.all("Pod")}
        both.append(bool(names & old) and bool(names - old))

    twin.registry.store.subscribe(look)
    twin.change("Deployment", "web", IMAGE, image("web:2"))
    await twin.until(lambda: complete(twin) and not old & {name_of(x) for x in twin.all("Pod")})
    assert not any(both)


@virtually
async def test_a_rollout_that_gets_nowhere_misses_its_deadline() -> None:
    twin = cluster()
    twin.apply(WEB)
    await twin.until(lambda: complete(twin))
    template = twin.get("Deployment", "web")["spec"]["template"]
    stuck = {**template, "metadata": {"labels": {"app": "web", "outcome": "stuck"}}}
    twin.change("Deployment", "web", "spec.progressDeadlineSeconds", 60)
    twin.change("Deployment", "web", "spec.template", stuck)
    began = twin.registry.clock.now()
    await twin.until(
        lambda: condition(twin.get("Deployment", "web"), "Progressing")["status"] == "False"
    )
    assert 60 <= twin.registry.clock.now() - began < 70
    web = twin.get("Deployment", "web")
    assert condition(web, "Progressing")["reason"] == "ProgressDeadlineExceeded"
    assert condition(web, "Progressing")["message"].endswith("has timed out progressing.")
    assert (web["status"]["replicas"], web["status"]["availableReplicas"]) == (5, 3)
    assert web["status"]["unavailableReplicas"] == 2


@virtually
async def test_a_paused_deployment_does_not_roll_out_until_it_is_resumed() -> None:
    twin = cluster()
    twin.apply(WEB)
    await twin.until(lambda: complete(twin))
    twin.change("Deployment", "web", "spec.paused", True)
    twin.change("Deployment", "web", IMAGE, image("web:2"))
    await twin.settle(30)
    assert len(twin.all("ReplicaSet")) == 1
    web = twin.get("Deployment", "web")
    paused = condition(web, "Progressing")
    assert (paused["status"], paused["reason"]) == ("Unknown", "DeploymentPaused")
    twin.change("Deployment", "web", "spec.replicas", 6)
    await twin.until(lambda: len(twin.all("Pod")) == 6)
    twin.change("Deployment", "web", "spec.paused", None)
    await twin.until(lambda: complete(twin))
    assert len(twin.all("ReplicaSet")) == 2


@virtually
async def test_a_changed_size_is_given_to_the_replica_set() -> None:
    twin = cluster()
    twin.apply(WEB)
    await twin.until(lambda: complete(twin))
    twin.change("Deployment", "web", "spec.replicas", 1)
    await twin.until(lambda: len(twin.all("Pod")) == 1)
    (one,) = twin.all("ReplicaSet")
    assert one["metadata"]["annotations"][DESIRED] == "1"
    assert twin.events("web")[-1][2] == f"Scaled down replica set {name_of(one)} from 4 to 1"


@virtually
async def test_old_replica_sets_beyond_the_limit_go() -> None:
    twin = cluster()
    twin.apply(WEB)
    twin.change("Deployment", "web", "spec.revisionHistoryLimit", 1)
    for number in (2, 3, 4):
        await twin.until(lambda: complete(twin))
        twin.change("Deployment", "web", IMAGE, image(f"web:{number}"))
    await twin.until(lambda: complete(twin) and len(twin.all("ReplicaSet")) == 2)
    revisions = {one["metadata"]["annotations"][REVISION] for one in twin.all("ReplicaSet")}
    assert revisions == {"3", "4"}


@virtually
async def test_a_pod_whose_labels_no_longer_match_is_released_and_replaced() -> None:
    twin = cluster()
    twin.apply(WEB)
    await twin.until(lambda: complete(twin))
    lost = name_of(twin.all("Pod")[0])
    twin.change("Pod", lost, "metadata.labels", {"app": "other"})
    await twin.until(lambda: len(twin.all("Pod")) == 5)
    assert "ownerReferences" not in twin.get("Pod", lost)["metadata"]


@virtually
async def test_pods_that_are_not_ready_go_first() -> None:
    twin = cluster()
    twin.apply(WEB)
    await twin.until(lambda: complete(twin))
    broken = name_of(twin.all("Pod")[2])
    twin.change("Pod", broken, "status.conditions", [{"type": "Ready", "status": "False"}])
    await twin.settle()
    twin.change("Deployment", "web", "spec.replicas", 3)
    await twin.until(lambda: not twin.has("Pod", broken))
    assert len(twin.all("Pod")) == 3


@virtually
async def test_a_ready_pod_counts_as_available_after_min_ready_seconds() -> None:
    twin = cluster()
    twin.apply(WEB)
    twin.change("Deployment", "web", "spec.minReadySeconds", 20)
    await twin.until(lambda: complete(twin))
    assert twin.registry.clock.now() - 1_767_225_600.0 >= 22


def test_a_size_that_changes_mid_rollout_is_shared_in_proportion() -> None:
    deployment: Object = {
        "spec": {
            "replicas": 20,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0}},
        },
        "status": {"replicas": 10},
    }

    def replica_set(name: str, size: int, created: str) -> Object:
        return {
            "metadata": {
                "name": name,
                "creationTimestamp": created,
                "annotations": {MOST: "10"},
            },
            "spec": {"replicas": size},
        }

    old, new = replica_set("old", 7, "2026-01-01"), replica_set("new", 3, "2026-01-02")
    assert [(name_of(one), size) for one, size in proportional(deployment, [old, new])] == [
        ("old", 14),
        ("new", 6),
    ]

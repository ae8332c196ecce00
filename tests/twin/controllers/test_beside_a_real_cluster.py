"""Controllers of the twin and of a real cluster do the same with the same objects."""

from typing import Any

import pytest

from bridgehead.twin.objects import Object, at, name_of
from testbed.base_image import BASE_IMAGE
from testbed.cluster import Cluster
from testbed.fixtures import LeaseNodes
from tests.twin.controllers.beside import Side, on_real, on_twin

pytestmark = pytest.mark.cluster


async def compare(cluster: Cluster, namespace: str, scenario: Any) -> None:
    real = await on_real(cluster.api, namespace, scenario)
    assert await on_twin(scenario) == real


def pod(command: str = "", policy: str = "Always") -> Object:
    container: Object = {"name": "main", "image": BASE_IMAGE, "imagePullPolicy": "IfNotPresent"}
    if command:
        container["command"] = ["/bin/sh", "-c", command]
    return {"restartPolicy": policy, "terminationGracePeriodSeconds": 1, "containers": [container]}


def deployment(**spec: Any) -> Object:
    return {
        "metadata": {"name": "web", "annotations": {"note": "hello"}},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod()},
            **spec,
        },
    }


def job(command: str, **spec: Any) -> Object:
    template = {"spec": pod(command, "Never")}
    return {"metadata": {"name": "work"}, "spec": {**spec, "template": template}}


def rolled_out(obj: Object) -> bool:
    status, replicas = obj.get("status", {}), obj["spec"]["replicas"]
    counts = ("replicas", "updatedReplicas", "availableReplicas", "readyReplicas")
    return bool(
        status.get("observedGeneration") == obj["metadata"]["generation"]
        and all(status.get(count, 0) == replicas for count in counts)
        and status.get("terminatingReplicas") == 0
    )


def has_condition(kind: str, status: str = "True") -> Any:
    def found(obj: Object) -> bool:
        conditions = at(obj, "status", "conditions") or []
        return any(one["type"] == kind and one["status"] == status for one in conditions)

    return found


def has_paused(deployment: Object) -> bool:
    """Both writes of the controller are there: the condition, and that it has seen the pause."""
    seen = at(deployment, "status", "observedGeneration")
    current = deployment["metadata"]["generation"]
    return seen == current and bool(has_condition("Progressing", "Unknown")(deployment))


async def note_replica_sets(side: Side, what: str) -> None:
    async def settled() -> list[Object]:
        found = await side.all("apps/replicasets")
        return sorted(
            found,
            key=lambda one: int(
                one["metadata"]["annotations"]["deployment.kubernetes.io/revision"]
            ),
        )

    side.note(what, await settled())


async def a_rollout_and_the_way_back(side: Side) -> None:
    await side.create("apps/deployments", deployment())
    made = await side.until("apps/deployments", "web", rolled_out)
    side.note("made", made)
    await note_replica_sets(side, "first replica set")
    former = made["spec"]["template"]
    labels = {"app": "web", "version": "2"}
    template = {"metadata": {"labels": labels}}
    await side.patch("apps/deployments", "web", {"spec": {"template": template}})
    side.note("rolled", await side.until("apps/deployments", "web", rolled_out))
    await note_replica_sets(side, "two replica sets")
    former["metadata"]["labels"]["version"] = None
    await side.patch("apps/deployments", "web", {"spec": {"template": former}})
    side.note("back", await side.until("apps/deployments", "web", rolled_out))
    await note_replica_sets(side, "with history")
    await side.patch("apps/deployments", "web", {"spec": {"paused": True}})
    side.note("paused", await side.until("apps/deployments", "web", has_paused))
    await side.patch("apps/deployments", "web", {"spec": {"paused": None, "replicas": 1}})
    side.note("smaller", await side.until("apps/deployments", "web", rolled_out))
    await side.note_events("events", lambda name: name == "web")


async def recreating(side: Side) -> None:
    await side.create("apps/deployments", deployment(strategy={"type": "Recreate"}, replicas=1))
    await side.until("apps/deployments", "web", rolled_out)
    template = {"metadata": {"labels": {"version": "2"}}}
    await side.patch("apps/deployments", "web", {"spec": {"template": template}})
    side.note("rolled", await side.until("apps/deployments", "web", rolled_out))
    await side.note_events("events", lambda name: name == "web")


async def a_rollout_that_misses_its_deadline(side: Side) -> None:
    await side.create("apps/deployments", deployment(progressDeadlineSeconds=4))
    await side.until("apps/deployments", "web", rolled_out)
    selector = {"testbed.local/nowhere": "true"}
    template = {"spec": {"nodeSelector": selector}}
    await side.patch("apps/deployments", "web", {"spec": {"template": template}})
    late = await side.until("apps/deployments", "web", has_condition("Progressing", "False"))
    side.note("late", late)


async def a_job_that_succeeds(side: Side) -> None:
    await side.create("batch/jobs", job("sleep 1", completions=2))
    side.note("job", await side.until("batch/jobs", "work", has_condition("Complete")))
    await side.note_events("events", lambda name: name == "work")
    side.note("finalizers", [one["metadata"].get("finalizers") for one in await side.all("pods")])


async def a_job_that_fails(side: Side) -> None:
    await side.create("batch/jobs", job("exit 3", backoffLimit=0))
    side.note("job", await side.until("batch/jobs", "work", has_condition("Failed")))
    await side.note_events("events", lambda name: name == "work")


async def a_job_that_takes_too_long(side: Side) -> None:
    await side.create("batch/jobs", job("sleep 1000", activeDeadlineSeconds=3))
    side.note("job", await side.until("batch/jobs", "work", has_condition("Failed")))
    await side.note_events("events", lambda name: name == "work")


async def a_job_that_waits(side: Side) -> None:
    await side.create("batch/jobs", job("sleep 1", suspend=True))
    side.note("waits", await side.until("batch/jobs", "work", has_condition("Suspended")))
    await side.patch("batch/jobs", "work", {"spec": {"suspend": False}})
    side.note("ends", await side.until("batch/jobs", "work", has_condition("Complete")))
    await side.note_events("events", lambda name: name == "work")


async def an_indexed_job(side: Side) -> None:
    spec = {"completions": 2, "parallelism": 2, "completionMode": "Indexed"}
    await side.create("batch/jobs", job("sleep 1", **spec))
    side.note("job", await side.until("batch/jobs", "work", has_condition("Complete")))
    pods = sorted(await side.all("pods"), key=name_of)
    side.note("pods", [{key: one[key] for key in ("metadata",)} for one in pods])
    side.note("environment", [one["spec"]["containers"][0]["env"] for one in pods])
    side.note("hosts", [one["spec"]["hostname"] for one in pods])


def owned(name: str, *owners: Object, **more: Any) -> Object:
    references = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": True,
        }
        for owner in owners
    ]
    return {"metadata": {"name": name, "ownerReferences": references, **more}}


async def owners_and_dependents(side: Side) -> None:
    async def gone(name: str) -> None:
        await side.until("configmaps", name, lambda found: not found)

    owner = await side.create("configmaps", owned("background"))
    await side.create("configmaps", owned("child", owner))
    await side.delete("configmaps", "background")
    await gone("child")
    owner = await side.create("configmaps", owned("orphaning"))
    await side.create("configmaps", owned("orphan", owner))
    await side.delete("configmaps", "orphaning", propagationPolicy="Orphan")
    await gone("orphaning")
    side.note("orphan", await side.get("configmaps", "orphan"))
    owner = await side.create("configmaps", owned("foreground"))
    held = owned("held", owner, finalizers=["example.com/wait"])
    await side.create("configmaps", held)
    await side.delete("configmaps", "foreground", propagationPolicy="Foreground")
    leaving = await side.until(
        "configmaps", "held", lambda o: o["metadata"].get("deletionTimestamp")
    )
    side.note("held", leaving)
    side.note("foreground", await side.get("configmaps", "foreground"))
    await side.patch("configmaps", "held", {"metadata": {"finalizers": None}})
    await gone("foreground")
    await gone("held")
    other = await side.create("configmaps", owned("other"))
    nobody: Object = {"metadata": {"name": "nobody", "uid": "f0000000-0000-4000-8000-000000000000"}}
    await side.create("configmaps", owned("dangling", nobody))
    await side.create("configmaps", owned("shared", nobody, other))
    await gone("dangling")
    one = await side.until(
        "configmaps", "shared", lambda o: len(o["metadata"]["ownerReferences"]) == 1
    )
    side.note("shared", one)


async def a_namespace_that_goes(side: Side) -> None:
    second = Side(side._ask, f"{side.namespace}-b")
    await side.code("POST", "/api/v1/namespaces", {"metadata": {"name": second.namespace}})
    await second.until("configmaps", "kube-root-ca.crt", name_of)
    await second.create("configmaps", owned("held", finalizers=["example.com/wait"]))
    await side.delete("/namespaces", second.namespace)
    refused, answer = await side.code(
        "POST", second.path("configmaps"), {"metadata": {"name": "late"}}
    )
    side.note("refused", [refused, answer])
    remains = has_condition("NamespaceContentRemaining")
    going = await side.until("/namespaces", second.namespace, remains)
    side.note("going", [going["spec"], going["status"]])
    side.note("left", [name_of(one) for one in await second.all("configmaps")])
    await second.patch("configmaps", "held", {"metadata": {"finalizers": None}})
    await side.until("/namespaces", second.namespace, lambda found: not found)


async def what_a_namespace_gets(side: Side) -> None:
    before = await side.until("configmaps", "kube-root-ca.crt", name_of)
    side.note("annotations", before["metadata"]["annotations"])
    await side.patch("configmaps", "kube-root-ca.crt", {"data": {"ca.crt": "wrong"}})
    await side.until("configmaps", "kube-root-ca.crt", lambda o: o["data"] == before["data"])
    for resource, name in (("configmaps", "kube-root-ca.crt"), ("serviceaccounts", "default")):
        uid = (await side.get(resource, name) or {})["metadata"]["uid"]
        await side.delete(resource, name)

        def is_new(found: Object, uid: str = uid) -> bool:
            return bool(found) and found["metadata"]["uid"] != uid

        side.note(name, (await side.until(resource, name, is_new))["metadata"])


def budget(name: str, **spec: Any) -> Object:
    selector = {"matchLabels": {"app": "web"}}
    return {"metadata": {"name": name}, "spec": {**spec, "selector": selector}}


async def budgets_and_evictions(side: Side) -> None:
    budgets = "policy/poddisruptionbudgets"

    async def evict(name: str, query: str = "") -> list[Any]:
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": name, "namespace": side.namespace},
        }
        return list(await side.code("POST", side.path("pods", name) + "/eviction" + query, body))

    def healthy(count: int) -> Any:
        return lambda found: (
            at(found, "status", "currentHealthy") == count
            and at(found, "status", "observedGeneration") == found["metadata"]["generation"]
        )

    await side.create(budgets, budget("web", minAvailable=2))
    side.note("without pods", await side.until(budgets, "web", healthy(0)))
    await side.create("apps/deployments", deployment())
    await side.until("apps/deployments", "web", rolled_out)
    side.note("full", await side.until(budgets, "web", healthy(2)))
    first, *_ = [name_of(one) for one in await side.all("pods", "?labelSelector=app%3Dweb")]
    side.note("refused", await evict(first))
    await side.create(budgets, budget("second", maxUnavailable="50%"))
    side.note("half", await side.until(budgets, "second", healthy(2)))
    side.note("two budgets", await evict(first))
    await side.delete(budgets, "web")
    await side.until(budgets, "web", lambda found: not found)
    side.note("dry run", await evict(first, "?dryRun=All"))
    side.note("evicted", await evict(first))
    side.note("nobody", await evict("nobody"))
    await side.until("pods", first, lambda found: not found)
    await side.until("apps/deployments", "web", rolled_out)
    side.note("full again", await side.until(budgets, "second", healthy(2)))
    await side.note_events("events", lambda name: name in {"web", "second"})


def ours(node: Object) -> list[Any]:
    taints = at(node, "spec", "taints") or []
    named = [one for one in taints if one["key"].startswith("node.kubernetes.io/")]
    return sorted(named, key=lambda one: (one["key"], one["effect"]))


def is_lost(node: Object) -> bool:
    return len(ours(node)) == 2 and has_condition("Ready", "Unknown")(node)


def is_back(node: Object) -> bool:
    return not ours(node) and bool(has_condition("Ready")(node))


def conditions(obj: Object, *keys: str) -> list[list[Any]]:
    return [[one.get(key) for key in ("type", *keys)] for one in obj["status"]["conditions"]]


async def a_node_that_falls_silent(side: Side) -> None:
    node, *_ = side.nodes

    async def run(name: str, tolerations: list[Object]) -> None:
        spec = {**pod(), "nodeName": node, "tolerations": tolerations}
        await side.create("pods", {"metadata": {"name": name}, "spec": spec})
        await side.until("pods", name, has_condition("Ready"))

    unreachable = {"key": "node.kubernetes.io/unreachable", "operator": "Exists"}
    await run("agent", [unreachable])
    await run("web", [{**unreachable, "effect": "NoExecute", "tolerationSeconds": 2}])
    await run("stays", [{**unreachable, "effect": "NoExecute", "tolerationSeconds": 300}])
    await side.connect(node, up=False)
    lost = await side.until("/nodes", node, is_lost)
    side.note("conditions", sorted(conditions(lost, "status", "reason", "message")))
    side.note("taints", ours(lost))
    leaving = await side.until("pods", "web", lambda o: o["metadata"].get("deletionTimestamp"))
    side.note("leaving", conditions(leaving, "status", "reason", "message"))
    agent = await side.get("pods", "agent") or {}
    side.note("agent", [agent["metadata"].get("deletionTimestamp"), conditions(agent, "status")])
    await side.connect(node, up=True)
    await side.until("/nodes", node, is_back)
    await side.until("pods", "web", lambda found: not found)
    await side.until("pods", "agent", has_condition("Ready"))
    found = [
        (event["involvedObject"]["name"], event["type"], event["reason"], event["message"])
        for event in await side.all("events")
        if event["source"].get("component") in {"node-controller", "taint-eviction-controller"}
    ]
    side.note("events", sorted(found))


async def a_cordoned_node(side: Side) -> None:
    node, *_ = side.nodes
    await side.until("/nodes", node, is_back)
    await side.patch("/nodes", node, {"spec": {"unschedulable": True}})
    side.note("cordoned", ours(await side.until("/nodes", node, ours)))
    await side.patch("/nodes", node, {"spec": {"unschedulable": None}})
    await side.until("/nodes", node, is_back)


@pytest.mark.parametrize("scenario", [a_cordoned_node, a_node_that_falls_silent])
async def test_nodes_of_both_show_the_same(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str, scenario: Any
) -> None:
    nodes = await lease_nodes(1)
    real = await on_real(cluster.api, namespace, scenario, nodes)
    assert await on_twin(scenario) == real


@pytest.mark.parametrize(
    "scenario",
    [
        a_rollout_and_the_way_back,
        recreating,
        a_rollout_that_misses_its_deadline,
        a_job_that_succeeds,
        a_job_that_fails,
        a_job_that_takes_too_long,
        a_job_that_waits,
        an_indexed_job,
        owners_and_dependents,
        a_namespace_that_goes,
        what_a_namespace_gets,
        budgets_and_evictions,
    ],
)
async def test_both_show_the_same(cluster: Cluster, namespace: str, scenario: Any) -> None:
    await compare(cluster, namespace, scenario)

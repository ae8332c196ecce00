"""PodDisruptionBudgets and evictions."""

import pytest

from bridgehead.twin.controllers.deployments import DeploymentController
from bridgehead.twin.controllers.disruption import DisruptionController
from bridgehead.twin.controllers.eviction import evict
from bridgehead.twin.controllers.replicasets import ReplicaSetController
from bridgehead.twin.errors import ApiError
from bridgehead.twin.objects import Object, name_of
from tests.twin.controllers.cluster import Cluster, Nodes
from tests.twin.controllers.test_deployments import WEB
from tests.twin.virtually import virtually


async def cluster(rule: str) -> Cluster:
    """Four ready pods of a Deployment, and a budget."""
    twin = Cluster()
    Nodes(twin)
    for controller in (ReplicaSetController, DeploymentController, DisruptionController):
        controller(twin.registry).start()
    twin.apply(WEB)
    budget(twin, "web", rule)
    await twin.settle(5)
    return twin


def budget(twin: Cluster, name: str, rule: str) -> None:
    twin.apply(f"""
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: {name}}}
spec: {{{rule}, selector: {{matchLabels: {{app: web}}}}}}
""")


def counts(twin: Cluster) -> tuple[int, int, int, int]:
    status = twin.get("PodDisruptionBudget", "web")["status"]
    keys = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    allowed, healthy, desired, expected = (status[key] for key in keys)
    return allowed, healthy, desired, expected


def pods(twin: Cluster) -> list[str]:
    return [name_of(pod) for pod in twin.all("Pod") if not pod["metadata"].get("deletionTimestamp")]


def refused(twin: Cluster, name: str) -> ApiError:
    with pytest.raises(ApiError) as caught:
        evict(twin.registry, "ai", name)
    return caught.value


@virtually
async def test_a_budget_counts_healthy_pods() -> None:
    twin = await cluster("minAvailable: 3")
    assert counts(twin) == (1, 4, 3, 4)
    status = twin.get("PodDisruptionBudget", "web")["status"]
    (condition,) = status["conditions"]
    assert (condition["type"], condition["status"]) == ("DisruptionAllowed", "True")
    assert (condition["reason"], condition["message"]) == ("SufficientPods", "")


@virtually
async def test_a_share_is_rounded_up() -> None:
    assert counts(await cluster("maxUnavailable: 30%")) == (2, 4, 2, 4)
    assert counts(await cluster("minAvailable: 51%")) == (1, 4, 3, 4)


@virtually
async def test_an_eviction_spends_what_is_allowed_and_then_is_refused() -> None:
    twin = await cluster("minAvailable: 3")
    first, second, *_ = pods(twin)
    evict(twin.registry, "ai", first)
    gone = twin.get("Pod", first)
    assert gone["metadata"]["deletionTimestamp"]
    target = next(c for c in gone["status"]["conditions"] if c["type"] == "DisruptionTarget")
    assert (target["reason"], target["message"]) == (
        "EvictionByEvictionAPI",
        "Eviction API: evicting",
    )
    error = refused(twin, second)
    assert (error.code, str(error)) == (
        429,
        "Cannot evict pod as it would violate the pod's disruption budget.",
    )
    assert error.headers == {}
    await twin.settle(0.5)
    error = refused(twin, second)
    assert error.status["details"]["causes"] == [
        {
            "reason": "DisruptionBudget",
            "message": "The disruption budget web needs 3 healthy pods and has 3 currently",
        }
    ]
    await twin.settle(5)
    assert counts(twin) == (1, 4, 3, 4)
    evict(twin.registry, "ai", second)


@virtually
async def test_a_budget_that_was_not_looked_at_yet_refuses_for_ten_seconds() -> None:
    twin = await cluster("minAvailable: 3")
    twin.change("PodDisruptionBudget", "web", "spec.minAvailable", 2)
    error = refused(twin, pods(twin)[0])
    assert error.headers == {"Retry-After": "10"}
    assert error.status["details"]["retryAfterSeconds"] == 10
    (cause,) = error.status["details"]["causes"]
    assert cause["message"] == "The disruption budget web is still being processed by the server."


@virtually
async def test_two_budgets_of_one_pod_are_too_many() -> None:
    twin = await cluster("minAvailable: 3")
    budget(twin, "other", "minAvailable: 1")
    error = refused(twin, pods(twin)[0])
    assert (error.code, "reason" in error.status) == (500, False)
    assert str(error).startswith("This pod has more than one PodDisruptionBudget")
    assert len(pods(twin)) == 4


def make_unready(twin: Cluster, name: str) -> None:
    conditions: list[Object] = [{"type": "Ready", "status": "False"}]
    twin.change("Pod", name, "status.conditions", conditions)


@virtually
async def test_a_pod_that_is_not_ready_goes_at_no_cost_while_enough_are_healthy() -> None:
    twin = await cluster("minAvailable: 3")
    make_unready(twin, pods(twin)[0])
    await twin.settle()
    assert counts(twin)[0] == 0
    evict(twin.registry, "ai", pods(twin)[0])


@virtually
async def test_with_too_few_healthy_pods_an_unready_one_is_kept_unless_always_allowed() -> None:
    twin = await cluster("minAvailable: 4")
    broken = pods(twin)[0]
    make_unready(twin, broken)
    await twin.settle()
    assert refused(twin, broken).code == 429
    path = "spec.unhealthyPodEvictionPolicy"
    twin.change("PodDisruptionBudget", "web", path, "AlwaysAllow")
    await twin.settle()
    evict(twin.registry, "ai", broken)


@virtually
async def test_without_pods_a_budget_says_so() -> None:
    twin = Cluster()
    DisruptionController(twin.registry).start()
    budget(twin, "web", "minAvailable: 1")
    await twin.settle()
    assert ("Normal", "NoPods", "No matching pods found") in twin.events("web")
    assert counts(twin) == (0, 0, 1, 0)


@virtually
async def test_a_dry_run_spends_nothing() -> None:
    twin = await cluster("minAvailable: 3")
    evict(twin.registry, "ai", pods(twin)[0], dry_run=True)
    assert len(pods(twin)) == 4
    assert counts(twin)[0] == 1

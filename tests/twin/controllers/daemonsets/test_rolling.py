"""From one template to the next: bounds on what is unavailable, and pods beyond one a node."""

from collections import Counter

from bridgehead.twin.controllers.pods import is_ready
from bridgehead.twin.objects import is_deleting
from tests.twin.controllers.daemonsets.daemon_cluster import DaemonCluster
from tests.twin.virtually import virtually


def rolling(**bounds: int | str) -> dict[str, object]:
    return {"type": "RollingUpdate", "rollingUpdate": bounds}


def unserved(cluster: DaemonCluster) -> int:
    """Nodes without a ready pod."""
    pods = [pod for pod in cluster.all("Pod") if is_ready(pod) and not is_deleting(pod)]
    return len(cluster.all("Node")) - len({pod["spec"].get("nodeName") for pod in pods})


async def most_unserved(cluster: DaemonCluster, image: str) -> int:
    """The most nodes without a ready pod while an update goes through."""
    most = 0

    def done() -> bool:
        nonlocal most
        most = max(most, unserved(cluster))
        return set(cluster.images().values()) == {image} and cluster.settled()

    await cluster.until(done)
    return most


@virtually
async def test_an_update_takes_one_node_after_the_other_where_nothing_else_is_said() -> None:
    cluster = DaemonCluster(4)
    cluster.daemon_set()
    await cluster.until(cluster.settled)
    cluster.set_image("plugin:v2")
    assert await most_unserved(cluster, "plugin:v2") == 1
    assert cluster.status()["updatedNumberScheduled"] == 4


@virtually
async def test_as_many_nodes_at_once_as_the_strategy_allows() -> None:
    cluster = DaemonCluster(5)
    cluster.daemon_set(updateStrategy=rolling(maxUnavailable="40%"))
    await cluster.until(cluster.settled)
    cluster.set_image("plugin:v2")
    assert await most_unserved(cluster, "plugin:v2") == 2


@virtually
async def test_an_update_stops_where_new_pods_do_not_become_ready() -> None:
    cluster = DaemonCluster(3)
    cluster.daemon_set()
    await cluster.until(cluster.settled)
    cluster.set_image("plugin:bad", outcome="stuck")
    await cluster.settle(600)
    assert Counter(cluster.images().values()) == {"plugin:v1": 2, "plugin:bad": 1}
    assert cluster.status()["numberUnavailable"] == 1
    cluster.set_image("plugin:v1", outcome="fine")
    await cluster.until(cluster.settled)
    assert set(cluster.images().values()) == {"plugin:v1"}


@virtually
async def test_old_pods_that_are_unavailable_are_replaced_beyond_the_bound() -> None:
    cluster = DaemonCluster(3)
    cluster.daemon_set(labels={"outcome": "stuck"})
    await cluster.settle(5)
    cluster.set_image("plugin:v2", outcome="fine")
    await cluster.settle(4.5)
    assert cluster.settled()
    assert set(cluster.images().values()) == {"plugin:v2"}


@virtually
async def test_a_pod_counts_as_available_after_it_was_ready_long_enough() -> None:
    cluster = DaemonCluster(2)
    cluster.daemon_set(minReadySeconds=30)
    await cluster.settle(10)
    assert (cluster.status()["numberReady"], cluster.status()["numberUnavailable"]) == (2, 2)
    await cluster.settle(25)
    assert cluster.status()["numberAvailable"] == 2
    begin = cluster.registry.clock.now()
    cluster.set_image("plugin:v2")
    await most_unserved(cluster, "plugin:v2")
    assert 65 <= cluster.registry.clock.now() - begin <= 75


@virtually
async def test_with_surge_no_node_is_ever_without_a_ready_pod() -> None:
    cluster = DaemonCluster(4)
    cluster.daemon_set(updateStrategy=rolling(maxSurge=2, maxUnavailable=0))
    await cluster.until(cluster.settled)
    cluster.set_image("plugin:v2")
    most_pods = 0

    def done() -> bool:
        nonlocal most_pods
        assert unserved(cluster) == 0
        live = [pod for pod in cluster.all("Pod") if not is_deleting(pod)]
        most_pods = max(most_pods, len(live))
        return cluster.settled() and set(cluster.images().values()) == {"plugin:v2"}

    await cluster.until(done)
    assert most_pods == 6


@virtually
async def test_back_from_on_delete_to_rolling_update_replaces_what_is_old_at_once() -> None:
    cluster = DaemonCluster(2)
    cluster.daemon_set(updateStrategy={"type": "OnDelete"})
    await cluster.until(cluster.settled)
    cluster.set_image("plugin:v2")
    await cluster.settle(60)
    assert set(cluster.images().values()) == {"plugin:v1"}
    cluster.change("DaemonSet", "plugin", "spec.updateStrategy", rolling(maxUnavailable=1))
    await cluster.until(lambda: set(cluster.images().values()) == {"plugin:v2"})


@virtually
async def test_a_rollout_of_two_hundred_nodes_takes_as_long_as_a_real_one() -> None:
    cluster = DaemonCluster(200)
    cluster.daemon_set(updateStrategy=rolling(maxUnavailable=50))
    await cluster.until(cluster.settled)
    begin = cluster.registry.clock.now()
    cluster.set_image("plugin:v2")
    await cluster.until(lambda: cluster.settled() and len(set(cluster.images().values())) == 1)
    # two calls a pod at twenty a second, and the status in between
    assert 20 <= cluster.registry.clock.now() - begin <= 40

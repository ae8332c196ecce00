"""What can be seen of a stage at one time, to compare before and after."""

from dataclasses import dataclass
from typing import Any

from testbed.api import ApiError
from tests.scenarios.stage import Stage
from tests.scenarios.view import allocatable, container, node_object, plugin_pods, runs
from tests.scenarios.view import component as component_of

OURS = "bridgehead.dev/"


@dataclass(frozen=True)
class Sighting:
    """The cluster as a scenario's author would look at it."""

    plugin_uids: dict[int, str]
    images: dict[int, str | None]
    containers: dict[str, tuple[str, int] | None]
    """Id and restarts of each workload's container."""
    devices: dict[int, int | None]
    strategy: str
    generation: int
    leftovers: list[str]


def look(stage: Stage) -> Sighting:
    """Look at everything that a scenario's expectations are about."""
    pods = plugin_pods(stage)
    holders = stage.cluster.api.get(f"{stage.path('pods')}?labelSelector=app%3Dholder")["items"]
    component = component_of(stage) or {"metadata": {"generation": 0}, "spec": {}}
    return Sighting(
        plugin_uids={number: pod["metadata"]["uid"] for number, pod in sorted(pods.items())},
        images={number: runs(stage, number) for number in sorted(pods)},
        containers={
            pod["metadata"]["name"]: container(stage, pod["metadata"]["name"]) for pod in holders
        },
        devices={number: allocatable(stage, number) for number in sorted(pods)},
        strategy=component["spec"].get("updateStrategy", {}).get("type", ""),
        generation=component["metadata"]["generation"],
        leftovers=[*_component(component), *_nodes(stage), *_pods(stage), *_locks(stage)],
    )


def _component(component: Any) -> list[str]:
    annotations = component["metadata"].get("annotations", {})
    return ["component claimed"] if any(key.startswith(OURS) for key in annotations) else []


def _nodes(stage: Stage) -> list[str]:
    found = []
    for number, given in enumerate(stage.scenario.given.nodes):
        node = node_object(stage, number)
        if bool(node["spec"].get("unschedulable")) != given.cordoned:
            found.append(f"node {number} {'un' if given.cordoned else ''}cordoned")
        marks = {**node["metadata"]["labels"], **node["metadata"].get("annotations", {})}
        if any(key.startswith(OURS) for key in marks):
            found.append(f"node {number} held")
    return found


def _pods(stage: Stage) -> list[str]:
    """Pods of bridgehead's own; one that is on its way out is no leftover."""
    found: list[str] = []
    for namespace in (stage.namespace, stage.state_namespace):
        query = f"/api/v1/namespaces/{namespace}/pods?labelSelector=bridgehead.dev%2Frun"
        pods = [pod["metadata"] for pod in stage.cluster.api.get(query)["items"]]
        found += (f"pod {pod['name']}" for pod in pods if not pod.get("deletionTimestamp"))
    return found


def _locks(stage: Stage) -> list[str]:
    path = f"/apis/coordination.k8s.io/v1/namespaces/{stage.state_namespace}/leases"
    try:
        leases = stage.cluster.api.get(path)["items"]
    except ApiError:
        return []
    held = [item for item in leases if item["spec"].get("holderIdentity")]
    return ["lock held" for _ in held]

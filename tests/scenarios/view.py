"""What can be asked of a stage's cluster, as its administrator."""

from collections.abc import Callable

from testbed.api import ApiError, Object
from tests.scenarios.stage import Stage, UnfitStageError
from tests.scenarios.turns import moment, pause


def offers(stage: Stage, number: int) -> bool:
    """Whether a node offers all devices that the plugin has."""
    plugin = stage.scenario.given.plugin
    return plugin is not None and allocatable(stage, number) == plugin.devices


def allocatable(stage: Stage, number: int) -> int | None:
    """How many devices a node offers; None where it never heard of them."""
    node = node_object(stage, number)
    found = node["status"].get("allocatable", {}).get(stage.resource)
    return None if found is None else int(found)


def node_object(stage: Stage, number: int) -> Object:
    """The Node as the API has it."""
    return stage.cluster.api.get(f"/api/v1/nodes/{stage.nodes[number].name}")


def plugin_pods(stage: Stage) -> dict[int, Object]:
    """The newest plugin pod of each node."""
    numbers = {node.name: number for number, node in enumerate(stage.nodes)}
    pods = stage.cluster.api.get(f"{stage.path('pods')}?labelSelector=app%3Dplugin")["items"]
    ordered = sorted(pods, key=lambda pod: str(pod["metadata"]["creationTimestamp"]))
    found = {numbers.get(pod["spec"].get("nodeName", "")): pod for pod in ordered}
    return {number: pod for number, pod in found.items() if number is not None}


def container(stage: Stage, pod: str) -> tuple[str, int] | None:
    """Id and restarts of a pod's container; None while it does not run."""
    status = stage.cluster.api.get(stage.path("pods", pod))["status"]
    for item in status.get("containerStatuses", []):
        if "running" in item["state"]:
            return item["containerID"], item["restartCount"]
    return None


def state(stage: Stage, pod: str) -> str:
    """What a pod is waiting for, for a person who wonders."""
    status = stage.cluster.api.get(stage.path("pods", pod))["status"]
    told = [status.get(key) for key in ("phase", "reason", "message")]
    told += [item["state"] for item in status.get("containerStatuses", [])]
    return " ".join(str(item) for item in [pod, *told] if item)


def image_of(stage: Stage, number: int) -> str | None:
    """The image of a node's newest plugin pod, Ready or not."""
    pod = plugin_pods(stage).get(number)
    return None if pod is None else str(pod["spec"]["containers"][0]["image"])


def runs(stage: Stage, number: int) -> str | None:
    """The image of a node's Ready plugin pod; one on its way out does not count."""
    pod = plugin_pods(stage).get(number)
    if pod is None or "deletionTimestamp" in pod["metadata"]:
        return None
    conditions = {item["type"]: item["status"] for item in pod["status"].get("conditions", [])}
    image = str(pod["spec"]["containers"][0]["image"])
    return image if conditions.get("Ready") == "True" else None


def component(stage: Stage) -> Object | None:
    """The DaemonSet; None where there is none."""
    try:
        return stage.cluster.api.get(stage.path("daemonsets", "plugin"))
    except ApiError as error:
        if error.status != 404:
            raise
        return None


def until(condition: Callable[[], bool], what: str, timeout: float = 60) -> None:
    """Wait for a condition. Raises UnfitStageError."""
    end = moment() + timeout
    while not condition():
        if moment() > end:
            raise UnfitStageError(f"not within {timeout:.0f} s: {what}")
        pause(0.2)

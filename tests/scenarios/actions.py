"""What happens to the cluster while a scenario is played, and when."""

import asyncio
from collections.abc import Sequence

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import canonical
from testbed.errors import TestbedError
from tests.scenarios.scenario import Action, During, Moment
from tests.scenarios.stage import FILES, Stage, UnfitStageError


def agrees(moment: Moment, entry: Entry, nodes: Sequence[str]) -> bool:
    """Whether a record is the one that a moment names."""
    wanted = {
        "step": entry.step,
        "phase": entry.phase.value,
        "result": entry.result,
        "node": nodes.index(entry.node) if entry.node in nodes else None,
    }
    named = moment.model_dump(exclude_none=True, exclude={"reason"})
    reason = moment.reason is None or moment.reason in canonical(entry.detail)
    return reason and all(wanted[key] == value for key, value in named.items())


class Events:
    """Does what the scenario says at its moments, beside the rollout, each in its own order."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._left = [item for item in stage.scenario.during if item.when != "start"]
        self._names = [node.name for node in stage.nodes]
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """What happens just before the rollout."""
        for item in self._stage.scenario.during:
            if item.when == "start":
                await self._do(item)

    def record(self, entry: Entry) -> None:
        """A journal record was written: begin what belongs to that moment."""
        for item in tuple(self._left):
            if isinstance(item.when, Moment) and agrees(item.when, entry, self._names):
                self._left.remove(item)
                self._tasks.append(asyncio.create_task(self._do(item)))

    async def end(self) -> list[str]:
        """Wait for everything that was begun; what went wrong, and what never came."""
        results = await asyncio.gather(*self._tasks, return_exceptions=True)
        wrong = []
        for result in results:
            if isinstance(result, TestbedError | UnfitStageError):
                wrong.append(f"during: {result}")
            elif isinstance(result, BaseException):
                raise result
        missed = [f"during: the moment {item.when} never came" for item in self._left]
        return wrong + missed

    async def _do(self, item: During) -> None:
        for action in item.do:
            await asyncio.to_thread(perform, self._stage, action)


def perform(stage: Stage, action: Action) -> None:
    """Do one thing, as the cluster's administrator. Raises TestbedError or UnfitStageError."""
    if action.delete_plugin_pod is not None:
        pod = stage.plugin_pods()[action.delete_plugin_pod]
        stage.cluster.api.delete(stage.path("pods", pod["metadata"]["name"]))
        stage.until(lambda: _other_pod(stage, action.delete_plugin_pod, pod), "it was replaced")
    if action.await_plugin is not None:
        wanted = action.await_plugin
        stage.until(
            lambda: runs(stage, wanted.node) == stage.image(wanted.image),
            f"node {wanted.node} runs {wanted.image}",
        )
    if action.join is not None:
        stage.join(action.join)
    if action.cordon is not None:
        stage.cordon(action.cordon)
    if action.restart_kubelet is not None:
        stage.nodes[action.restart_kubelet].restart_kubelet()
    if action.create_file is not None:
        path = stage.nodes[action.create_file.node].host_path(FILES) / action.create_file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    if action.create_pod is not None:
        stage.create_workload(action.create_pod)
    if action.create is not None:
        stage.create(action.create)
    _namespace(stage, action)


def runs(stage: Stage, number: int) -> str | None:
    """The image of a node's Ready plugin pod."""
    pod = stage.plugin_pods().get(number)
    if pod is None:
        return None
    conditions = {item["type"]: item["status"] for item in pod["status"].get("conditions", [])}
    image = str(pod["spec"]["containers"][0]["image"])
    return image if conditions.get("Ready") == "True" else None


def _other_pod(stage: Stage, number: int | None, former: dict[str, dict[str, str]]) -> bool:
    pod = stage.plugin_pods().get(number if number is not None else -1)
    return pod is not None and pod["metadata"]["uid"] != former["metadata"]["uid"]


def _namespace(stage: Stage, action: Action) -> None:
    path = f"/api/v1/namespaces/{stage.namespace}"
    if action.delete_namespace:
        stage.cluster.api.delete(path)
    if action.label_namespace is not None:
        stage.cluster.api.patch(path, {"metadata": {"labels": action.label_namespace}})

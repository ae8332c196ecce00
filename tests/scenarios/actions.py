"""What happens to the cluster while a scenario is played, and when."""

import asyncio
from collections.abc import Sequence

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import canonical
from testbed.errors import TestbedError
from tests.scenarios.asking import ask
from tests.scenarios.disturbing import disturb
from tests.scenarios.scenario import (
    Action,
    AskGiven,
    During,
    FileGiven,
    Moment,
    PluginAwaited,
    WorkloadGiven,
)
from tests.scenarios.setting import (
    cordon,
    create,
    create_file,
    create_workload,
    join,
    remove_file,
)
from tests.scenarios.stage import Stage, UnfitStageError
from tests.scenarios.view import plugin_pods, runs, until


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
            await self._stage.cluster.in_turn(perform, self._stage, action)


def perform(stage: Stage, action: Action) -> None:
    """Do one thing. Raises TestbedError or UnfitStageError."""
    match action:
        case Action(ask=AskGiven() as given):
            ask(stage, given)
        case Action(create_file=FileGiven(node=number, name=name)):
            create_file(stage, number, name)
        case Action(remove_file=FileGiven(node=number, name=name)):
            remove_file(stage, number, name)
        case _:
            _administer(stage, action)


def _administer(stage: Stage, action: Action) -> None:
    """What the cluster's administrator does."""
    namespace = f"/api/v1/namespaces/{stage.namespace}"
    match action:
        case Action(delete_plugin_pod=int() as number):
            _delete_plugin_pod(stage, number)
        case Action(await_plugin=PluginAwaited(node=number, image=image)):
            wanted = stage.image(image) if image else None
            until(
                lambda: (found := runs(stage, number)) is not None and wanted in (None, found),
                f"node {number} runs {image or 'the plugin'}",
            )
        case Action(join=int() as number):
            join(stage, number)
        case Action(cordon=int() as number):
            cordon(stage, number)
        case Action(restart_kubelet=int() as number):
            stage.nodes[number].restart_kubelet()
        case Action(create_pod=WorkloadGiven() as workload):
            create_workload(stage, workload)
        case Action(create=dict() as item):
            create(stage, item)
        case Action(delete_namespace=True):
            stage.cluster.api.delete(namespace)
        case Action(label_namespace=dict() as labels):
            stage.cluster.api.patch(namespace, {"metadata": {"labels": labels}})
        case _:
            disturb(stage, action)


def _delete_plugin_pod(stage: Stage, number: int) -> None:
    """Delete it and wait until another one is there."""
    former = plugin_pods(stage)[number]["metadata"]
    stage.cluster.api.delete(stage.path("pods", former["name"]))

    def replaced() -> bool:
        pod = plugin_pods(stage).get(number)
        return pod is not None and pod["metadata"]["uid"] != former["uid"]

    until(replaced, f"the plugin pod of node {number} is replaced")

"""The twin's kubelet beside a real one: same pods, same status, events and logs at every stage."""

import asyncio
from functools import partial

import pytest

from bridgehead.twin.objects import Object
from bridgehead.twin.store import Change
from tests.twin.nodes import cases
from tests.twin.nodes.beside import (
    FIRST_LINES,
    PLUGINS,
    SPEAKING,
    Real,
    Told,
    play,
    play_really,
    simulate,
    simulated_told,
)
from tests.twin.nodes.cases import Case, Words
from tests.twin.nodes.cluster import Cluster as Simulated
from tests.twin.nodes.masking import masked_status, same

pytestmark = pytest.mark.cluster


async def test_pods_look_the_same_at_every_stage(real: Real) -> None:
    names = real.words
    found = await asyncio.to_thread(play_really, real, cases.plain(names))
    same(await simulate(cases.plain, real.namespace), found)


async def test_pods_with_devices_look_the_same(real: Real) -> None:
    names = real.words

    def really() -> Told:
        for tag in PLUGINS:
            suffix = cases.VERSIONS[tag].get("resourceSuffix", "")
            real.create(f"plugin-{tag}", names.plugin(tag))
            real.until(partial(real.offers, f"{names.resource}{suffix}"), tag)
        return play_really(real, cases.using_devices(names))

    found = await asyncio.to_thread(really)
    same(await simulate(cases.using_devices, real.namespace, *PLUGINS), found)


async def test_plugins_say_the_same(real: Real) -> None:
    names = real.words

    def listed(names: Words) -> list[Case]:
        return [Case(tag, names.plugin(tag), cases.is_ready) for tag in SPEAKING]

    def really() -> Told:
        found = play_really(real, listed(names))
        for tag in SPEAKING:
            real.until(partial(real.has_said, tag), tag)
            found[tag]["log"] = real.told(real.pod(tag))["log"]
        return found

    async def steps(twin: Simulated, names: Words) -> Told:
        for case in listed(names):
            twin.make(case.name, case.spec)
            await twin.until(partial(twin.reaches, case.name, case.until), 60)
        await asyncio.sleep(5)
        return {tag: simulated_told(twin, tag)["log"] for tag in SPEAKING}

    found = await asyncio.to_thread(really)
    first = {tag: found[tag]["log"][:FIRST_LINES] for tag in SPEAKING}
    simulated = {
        tag: lines[:FIRST_LINES] for tag, lines in (await play(steps, real.namespace)).items()
    }
    same(simulated, first)


def _sequence(pods: list[Object]) -> list[Told]:
    """Statuses of a pod in the order in which they were written, without repetition."""
    found: list[Told] = []
    for pod in pods:
        shown = {
            "deleting": "deletionTimestamp" in pod["metadata"],
            "status": masked_status(pod["status"]),
        }
        if not found or found[-1] != shown:
            found.append(shown)
    return found


async def test_a_pod_that_is_deleted_goes_by_the_same_statuses(real: Real) -> None:
    names = real.words
    case = Case("leaves", names.spec(names.container("hold")), cases.is_ready)
    found = _sequence(await asyncio.to_thread(real.watch_deletion, case))

    async def steps(twin: Simulated, names: Words) -> list[Object]:
        twin.make("leaves", names.spec(names.container("hold")))
        await twin.until(lambda: twin.pod_ready("leaves"))
        seen: list[Object] = []

        def changed(change: Change) -> None:
            if change.kind.plural == "pods":
                seen.append(change.object)

        twin.twin.store.subscribe(changed)
        twin.delete("leaves")
        await twin.until(lambda: twin.pod("leaves") is None)
        return seen

    simulated = _sequence(await play(steps, real.namespace))
    same({"seen": simulated}, {"seen": found})


async def test_a_pod_starts_by_the_same_statuses(real: Real) -> None:
    names = real.words
    case = Case("starts", names.spec(names.container("hold")), cases.is_ready)
    found = _sequence(await asyncio.to_thread(real.watch_start, case))

    async def steps(twin: Simulated, names: Words) -> list[Object]:
        seen: list[Object] = []

        def changed(change: Change) -> None:
            if change.kind.plural == "pods":
                seen.append(change.object)

        twin.twin.store.subscribe(changed)
        twin.make("starts", names.spec(names.container("hold")))
        await twin.until(lambda: twin.pod_ready("starts"))
        return seen

    same({"seen": _sequence(await play(steps, real.namespace))}, {"seen": found})

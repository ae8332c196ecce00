"""Faults of versions and nodes, as they show in a settled twin."""

import asyncio
from collections.abc import Collection
from typing import Any

import pytest

from bridgehead.core.model.node import HELD_BY
from bridgehead.twin.faults.laying import NodeTroubles, check_image, check_place, overlays
from bridgehead.twin.faults.text import FaultError, parse_fault
from bridgehead.twin.objects import uid_of, with_field
from bridgehead.twin.seeding.generic import IMAGE, NAMESPACE, PLUGIN, RESOURCE, generic_seed
from bridgehead.twin.twin import Twin
from tests.twin.settled import allocatable, objects, settled
from tests.twin.virtually import START, virtually

NEW = "registry.example/device-plugin:1.1.0"
_COHORTS = {"small": frozenset({"node-0002"})}


def _members(name: str) -> Collection[str]:
    return _COHORTS.get(name, ())


def _lay(twin: Twin, text: str, new: Collection[str] = (NEW,)) -> None:
    for overlay in overlays(parse_fault(text), new, _members):
        twin.fleet.images.lay(overlay)


async def _replaced(twin: Twin, image: str) -> None:
    """All plugin pods come anew with an image."""
    kind = twin.kinds.named("apps", "daemonsets")
    found: Any = twin.registry.get(kind, NAMESPACE, PLUGIN)
    container = {**found["spec"]["template"]["spec"]["containers"][0], "image": image}
    path = ("spec", "template", "spec", "containers")
    twin.registry.update(kind, with_field(found, path, [container]))
    await asyncio.sleep(300)


def _offered(twin: Twin) -> dict[str, int]:
    return {name: allocatable(twin, name, RESOURCE) for name in objects(twin, "", "nodes")}


@pytest.mark.parametrize(
    ("fault", "hit"),
    [
        ("devices=0", {"node-0000", "node-0001", "node-0002"}),
        ("node=node-0001,devices=0", {"node-0001"}),
        ("node=*-000[01],devices=0", {"node-0000", "node-0001"}),
        ("cohort=small,devices=0", {"node-0002"}),
        ("kernel=6.12*,devices=0", {"node-0000", "node-0001", "node-0002"}),
        ("kernel=5*,devices=0", set()),
        ("image=device-plugin:1.1.0,devices=0", {"node-0000", "node-0001", "node-0002"}),
        ("image=*:1.0.0,devices=0", set()),
    ],
)
def test_a_version_is_bad_where_the_fault_says(fault: str, hit: set[str]) -> None:
    @virtually
    async def played() -> None:
        async with settled(generic_seed(3, at=START)) as twin:
            _lay(twin, fault)
            assert set(_offered(twin).values()) == {8}, "what runs already is not touched"
            await _replaced(twin, NEW)
            assert {name for name, count in _offered(twin).items() if count == 0} == hit

    played()


@virtually
async def test_the_former_version_is_good_everywhere() -> None:
    async with settled(generic_seed(2, at=START)) as twin:
        _lay(twin, "initFailure=exit")
        await _replaced(twin, f"{IMAGE}-other")
        assert set(_offered(twin).values()) == {8}


@virtually
async def test_on_a_node_that_drifted_no_version_comes_back() -> None:
    async with settled(generic_seed(2, at=START)) as twin:
        troubles = NodeTroubles(twin, parse_fault("node=node-0001,node.drift"), (NEW,), _members)
        troubles.begin()
        assert troubles.struck == ["node-0001"]
        await _replaced(twin, f"{IMAGE}-other")
        assert _offered(twin) == {"node-0000": 8, "node-0001": 0}


def _hold(twin: Twin, node: str, run: str | None) -> None:
    kind = twin.kinds.named("", "nodes")
    found = twin.registry.get(kind, "", node)
    path = ("metadata", "annotations", HELD_BY)
    twin.registry.update(kind, with_field(found, path, run))


def _ready(twin: Twin, node: str) -> str:
    conditions = objects(twin, "", "nodes")[node]["status"]["conditions"]
    return str({item["type"]: item["status"] for item in conditions}["Ready"])


@virtually
async def test_the_first_node_that_a_run_takes_up_is_lost() -> None:
    async with settled(generic_seed(3, at=START)) as twin:
        troubles = NodeTroubles(twin, parse_fault("node.lost"), (NEW,), _members)
        troubles.begin()
        await asyncio.sleep(300)
        assert troubles.struck == []
        _hold(twin, "node-0001", "a-run")
        _hold(twin, "node-0002", "a-run")
        await asyncio.sleep(300)
        assert troubles.struck == ["node-0001"]
        assert (_ready(twin, "node-0001"), _ready(twin, "node-0002")) == ("Unknown", "True")


@virtually
async def test_a_named_node_reboots_when_it_is_taken_up() -> None:
    async with settled(generic_seed(2, at=START)) as twin:
        before = objects(twin, "", "nodes")["node-0001"]["status"]["nodeInfo"]["bootID"]
        fault = parse_fault("node=node-0001,node.reboot")
        NodeTroubles(twin, fault, (NEW,), _members).begin()
        _hold(twin, "node-0000", "a-run")
        _hold(twin, "node-0001", "a-run")
        await asyncio.sleep(300)
        after = objects(twin, "", "nodes")["node-0001"]["status"]["nodeInfo"]["bootID"]
        assert after != before
        assert _ready(twin, "node-0001") == "True"


@virtually
async def test_a_kubelet_restarts_once_the_new_version_runs_and_the_node_is_given_back() -> None:
    async with settled(generic_seed(1, at=START)) as twin:
        _lay(twin, "onKubeletRestart=ignore")
        fault = parse_fault("node.kubeletRestart")
        NodeTroubles(twin, fault, (NEW,), _members).begin()
        _hold(twin, "node-0000", "a-run")
        _hold(twin, "node-0000", None)
        await asyncio.sleep(60)
        assert _offered(twin) == {"node-0000": 8}, "the former version came back to nothing"
        _hold(twin, "node-0000", "a-run")
        await _replaced(twin, NEW)
        pod = uid_of(objects(twin, "", "pods")["train-node-0000-0"])
        _hold(twin, "node-0000", None)
        await asyncio.sleep(60)
        assert _offered(twin) == {"node-0000": 0}
        assert uid_of(objects(twin, "", "pods")["train-node-0000-0"]) == pod


def test_a_fault_that_no_node_can_have_is_refused() -> None:
    machines = generic_seed(3, at=START).machines
    check_place(parse_fault("node=node-0001,devices=0"), machines, _members)
    check_place(parse_fault("api.latency=1s"), machines, _members)
    for text in ("node=gpu-1,devices=0", "cohort=large,devices=0", "kernel=5.*,pull"):
        with pytest.raises(FaultError, match="no node of this cluster is meant"):
            check_place(parse_fault(text), machines, _members)


def test_a_fault_of_a_version_that_is_nowhere_is_refused() -> None:
    check_image(parse_fault("devices=0"), (NEW,), (IMAGE,))
    check_image(parse_fault("image=device-plugin:1.0.0,devices=0"), (NEW,), (IMAGE,))
    check_image(parse_fault("node.lost"), (), ())
    with pytest.raises(FaultError, match="no image here is meant"):
        check_image(parse_fault("image=fake:v9,devices=0"), (NEW,), (IMAGE,))
    with pytest.raises(FaultError, match="brings no other image"):
        check_image(parse_fault("devices=0"), (), (IMAGE,))

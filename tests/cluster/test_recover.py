"""Each rung that acts, done once and refused once, on real kubelets."""

from collections.abc import AsyncIterator

import pytest

from bridgehead.app.recover import Explained
from bridgehead.app.recover_acts import Acted
from bridgehead.app.recover_after import after_a_stop
from bridgehead.app.release import release
from bridgehead.app.status import kept_by_recovery, orphans
from bridgehead.cluster.errors import ClaimedError, HeldError
from bridgehead.cluster.lock import ComponentLock
from bridgehead.cluster.recoveries import Recoveries
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import Phase
from bridgehead.core.journal.verification import Consistent
from bridgehead.core.journal.verification import verify as verify_journal
from bridgehead.core.model.node import HELD_BY
from bridgehead.core.plan.settings import AllowedRecovery
from bridgehead.core.recover.limits import Limits
from bridgehead.core.recover.rung import Rung
from bridgehead.kube.client import Kube
from testbed.cluster import Cluster
from testbed.fixtures import LeaseNodes
from tests.cluster.ward import HASTE, ILL, RUN, Ward, sound_until_told, verified

pytestmark = pytest.mark.cluster


@pytest.fixture
async def ward(
    cluster: Cluster, kube: Kube, lease_nodes: LeaseNodes, namespace: str
) -> AsyncIterator[Ward]:
    """Three nodes."""
    made = Ward(cluster, kube, namespace, await lease_nodes(3))
    yield made
    made.close()


def unmet(result: object) -> list[str]:
    """What stood in the way, where nothing was done."""
    assert isinstance(result, Explained), result
    (assessment,) = result.choice.assessments
    return [item.what for item in assessment.obstacles]


async def test_r0_waits_for_a_plugin_that_registers_late_and_not_for_one_that_is_settled(
    ward: Ward,
) -> None:
    ward.nodes[0].create_file(ILL)
    await ward.open(registers="late", registerDelay="15s")
    for number in (1, 2):
        await ward.shows(number, ("4", "4"))
    young = Limits(settling=120.0, steady=2.0)

    found = verified(await ward.recover(0, limits=young))

    assert found.assessment.rung is Rung.WAIT
    assert {item.capacity for item in found.readings} == {None, 4}
    assert not await Recoveries(ward.kube, ward.namespace, ward.ref).exists()
    assert "the node offers fewer devices than it should" in unmet(await ward.recover(0, Rung.WAIT))


async def test_r1_restarts_a_plugin_whose_stream_has_ended_once_an_hour(ward: Ward) -> None:
    ward.nodes[0].create_file(ILL)
    await ward.open(endStreamAfter="2s")
    await ward.shows(0, ("4", "0"))
    for number in (1, 2):
        await ward.shows(number, ("4", "4"))
    before = ward.plugin_pods()
    ward.nodes[0].remove_file(ILL)

    verified(await ward.recover(0, rule="stream-ended"))

    after = ward.plugin_pods()
    uid = {
        name: (before[name]["metadata"]["uid"], after[name]["metadata"]["uid"]) for name in after
    }
    assert [old == new for old, new in (uid[name] for name in ward.names)] == [False, True, True]
    assert ward.shown(0) == ("4", "4")
    entries = await Recoveries(ward.kube, ward.namespace, ward.ref).entries()
    assert [(item.phase, item.result, item.owner) for item in entries] == [
        (Phase.INTENT, "", "the tests"),
        (Phase.OUTCOME, "done", "the tests"),
        (Phase.NOTE, "verified", "the tests"),
    ]
    assert all(item.identity for item in entries)
    name = Recoveries(ward.kube, ward.namespace, ward.ref).name
    stored = await RunStore(ward.kube, ward.namespace).stored(name)
    assert isinstance(verify_journal(stored, ""), Consistent)
    assert await RunStore(ward.kube, ward.namespace).list_runs(ward.ref) == ()

    ward.nodes[0].create_file(ILL)
    ward.delete_pod(after[ward.names[0]]["metadata"]["name"])
    await ward.shows(0, ("4", "0"))
    await ward.until(lambda: ward.names[0] in ward.plugin_pods(ready=True))
    refused = await ward.recover(0, Rung.RESTART, rule="stream-ended", limits=Limits(settling=0.0))
    assert unmet(refused) == ["at most one restart a node and hour"]


async def test_r1_that_does_not_help_stops_and_says_so(ward: Ward) -> None:
    ward.nodes[0].create_file(ILL)
    await ward.open(devices=0)
    await ward.shows(0, ("0", "0"))
    for number in (1, 2):
        await ward.shows(number, ("4", "4"))
    await ward.until(lambda: ward.names[0] in ward.plugin_pods(ready=True))

    soon = Limits(settling=0.0, steady=2.0)
    found = await ward.recover(0, Rung.RESTART, rule="stream-ended", limits=soon)

    assert isinstance(found, Acted), unmet(found)
    assert found.verified is False
    assert "not back" in found.said
    entries = await Recoveries(ward.kube, ward.namespace, ward.ref).entries()
    assert entries[-1].result == "failed"


async def test_r3_deletes_refused_pods_but_the_newest_and_bare_ones(ward: Ward) -> None:
    ward.nodes[0].create_file(ILL)
    await ward.open(allocateError="no device can be given")
    for number in (0, 1, 2):
        await ward.shows(number, ("4", "4"))
    bare = ward.create_pod(ward.hold_pod(0, app="bare"))
    ward.create_replica_set(ward.hold_pod(0, app="many"))
    await ward.until(lambda: sum(map(_failed, ward.pods("many"))) >= 3)
    await ward.scale_down()
    await ward.until(lambda: all(map(_rests, ward.pods("many"))))
    await ward.until(lambda: all(map(_rests, ward.pods("bare"))))
    newest = max(
        ward.pods("many"),
        key=lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]),
    )

    still = await ward.recover(0, Rung.PRUNE, rule="plugin-later-than-pods", limits=Limits())
    assert [item.startswith("no more are refused") for item in unmet(still)] == [True]
    verified(await ward.recover(0, Rung.PRUNE, rule="plugin-later-than-pods"))

    left = [pod["metadata"]["name"] for pod in (*ward.pods("many"), *ward.pods("bare"))]
    assert left == [newest["metadata"]["name"], bare]
    refused = await ward.recover(0, Rung.PRUNE, rule="plugin-later-than-pods")
    assert "at most one pruning a node in 5 min" in unmet(refused)


def _failed(pod: dict[str, dict[str, str]]) -> bool:
    return pod["status"].get("reason") == "UnexpectedAdmissionError"


def _rests(pod: dict[str, dict[str, str]]) -> bool:
    """Refused, and not the one that its controller takes away as it is scaled down."""
    return _failed(pod) and "deletionTimestamp" not in pod["metadata"]


async def test_r4_cordons_above_the_floor_and_release_gives_the_node_back(ward: Ward) -> None:
    await ward.open()
    for number in (0, 1, 2):
        await ward.shows(number, ("4", "4"))

    verified(await ward.recover(0, Rung.CORDON, rule="driver-library-mismatch"))

    assert ward.node(0)["spec"]["unschedulable"] is True
    refused = await ward.recover(1, Rung.CORDON, rule="driver-library-mismatch")
    assert "at least 2 of 3 device nodes stay healthy and open for pods" in unmet(refused)
    assert "unschedulable" not in ward.node(1)["spec"]

    held = await kept_by_recovery(ward.kube, ward.namespace, None)
    assert held == ((ward.names[0], str(ward.ref)),)
    lost = await orphans(ward.kube, ward.namespace, None)
    assert f"node/{ward.names[0]}" not in dict(lost)

    released = await release(ward.session, ward.ref, dry_run=False)
    assert released.done == ((f"node/{ward.names[0]}", "uncordoned"),)
    assert "unschedulable" not in ward.node(0)["spec"]


async def dead(ward: Ward) -> str:
    """A name that a plugin offered on the first node, at 0/0 there."""
    await ward.open()
    old = f"{ward.namespace}.example.com/old"
    lone = ward.lone_plugin(0, old)
    await ward.shows(0, ("4", "4"), old)
    ward.delete_pod(lone)
    await ward.shows(0, ("4", "0"), old)
    ward.nodes[0].restart_kubelet()  # else the capacity stays for five minutes
    await ward.shows(0, ("0", "0"), old)
    await ward.shows(0, ("4", "4"))
    return old


async def test_r5_says_that_a_name_which_the_kubelet_still_knows_has_come_back(ward: Ward) -> None:
    """For five minutes after its start a kubelet offers every name of its checkpoint."""
    old = await dead(ward)

    found = await ward.recover(0, Rung.DEAD_NAME, rule="dead-resource-name", resource=old)

    assert isinstance(found, Acted), unmet(found)
    assert found.verified is False
    assert "its kubelet knows it still" in found.said


async def test_r5_removes_a_dead_name_that_nobody_asks_for(ward: Ward) -> None:
    await ward.open()
    await ward.shows(0, ("4", "4"))
    old = f"{ward.namespace}.example.com/old"
    ward.plant(0, old)  # what is left when the kubelet has forgotten a name
    asking = ward.create_pod(ward.hold_pod(0, old))

    refused = await ward.recover(0, Rung.DEAD_NAME, rule="dead-resource-name", resource=old)
    assert "no pod asks for it" in unmet(refused)
    assert ward.shown(0, old) == ("0", "0")

    ward.delete_pod(asking)
    await ward.until(lambda: not ward.pods("holder"))
    verified(await ward.recover(0, Rung.DEAD_NAME, rule="dead-resource-name", resource=old))
    assert ward.shown(0, old) == (None, None)
    assert ward.shown(0) == ("4", "4")


async def test_what_is_done_by_hand_runs_only_a_persons_own_command(ward: Ward) -> None:
    await ward.open()
    ran: list[tuple[str, ...]] = []

    async def run(argv: tuple[str, ...]) -> tuple[int, str]:
        ran.append(argv)
        return 0, ""

    refused = await ward.recover(0, Rung.REBOOT, run=run)
    assert unmet(refused) == ["a person says so, and with which command"]
    ward.give_to(1, "another-teams-run")
    refused = await ward.recover(1, Rung.REBOOT, run=run, command=("ssh", "n", "reboot"))
    assert unmet(refused) == ["nobody else works on the node"]
    assert ran == []
    found = await ward.recover(0, Rung.REBOOT, run=run, command=("ssh", "n", "reboot"))

    assert isinstance(found, Acted)
    assert found.verified is None
    assert ran == [("ssh", "n", "reboot")]


async def test_nothing_is_done_while_a_run_or_another_runner_has_the_component(
    ward: Ward,
) -> None:
    await ward.open()
    for number in (0, 1, 2):
        await ward.shows(number, ("4", "4"))
    lock = ComponentLock(
        ward.kube,
        ward.namespace,
        ward.ref,
        duration=3,
        holder="somebody",
        wall=ward.session.clock,
    )
    async with await lock.acquire(0):
        with pytest.raises(HeldError, match="somebody"):
            await ward.recover(0, Rung.CORDON, rule="driver-library-mismatch")
    assert "unschedulable" not in ward.node(0)["spec"]
    assert not await Recoveries(ward.kube, ward.namespace, ward.ref).exists()


async def test_an_open_run_keeps_its_component_from_recovery(ward: Ward) -> None:
    await ward.open()
    for number in (0, 1, 2):
        await ward.shows(number, ("4", "4"))
    await ward.stopped_run(0, AllowedRecovery.NONE)

    with pytest.raises(ClaimedError, match=RUN):
        await ward.recover(1, Rung.CORDON, rule="driver-library-mismatch")
    way_back = await ward.recover(0, Rung.ROLL_BACK, rule="image-not-pulled")
    assert "a run has failed and keeps the component" in unmet(way_back)


@pytest.mark.parametrize(
    ("allowed", "acts"), [(AllowedRecovery.NONE, False), (AllowedRecovery.RESTART, True)]
)
async def test_after_a_stop_only_what_the_spec_allows_is_done(
    ward: Ward, allowed: AllowedRecovery, acts: bool
) -> None:
    ward.nodes[0].create_file(ILL)
    await ward.open(endStreamAfter="2s")
    await ward.shows(0, ("4", "0"))
    for number in (1, 2):
        await ward.shows(number, ("4", "4"))
    ward.nodes[0].remove_file(ILL)
    ended = await ward.stopped_run(0, allowed)
    diagnose = sound_until_told("stream-ended", *ward.names)

    done = await after_a_stop(ward.session, ended, diagnose, limits=HASTE)

    assert [item.assessment.rung for item in done] == ([Rung.RESTART] if acts else [])
    assert all(item.verified for item in done)
    assert (ward.shown(0) == ("4", "4")) is acts
    node = ward.node(0)
    assert node["metadata"]["annotations"][HELD_BY] == RUN
    assert node["spec"]["unschedulable"] is True


@pytest.mark.parametrize("rule", ["driver-library-mismatch", "allocate-hangs", ""])
async def test_after_a_stop_nothing_is_done_beyond_what_is_allowed(ward: Ward, rule: str) -> None:
    ward.nodes[0].create_file(ILL)
    await ward.open(endStreamAfter="2s")
    await ward.shows(0, ("4", "0"))
    for number in (1, 2):
        await ward.shows(number, ("4", "4"))
    ended = await ward.stopped_run(0, AllowedRecovery.RESTART)

    done = await after_a_stop(
        ward.session, ended, sound_until_told(rule, *ward.names), limits=HASTE
    )

    assert done == ()
    assert not await Recoveries(ward.kube, ward.namespace, ward.ref).exists()


@pytest.mark.long
async def test_r5_removes_a_name_for_good_once_the_kubelet_has_forgotten_it(ward: Ward) -> None:
    """With the real ten minutes, of which the kubelet needs the first five."""
    old = await dead(ward)

    found = verified(
        await ward.recover(
            0,
            Rung.DEAD_NAME,
            rule="dead-resource-name",
            resource=old,
            limits=Limits(settling=2.0, steady=2.0),
        )
    )

    assert max(item.at for item in found.readings) > 0
    assert ward.shown(0, old) == (None, None)

"""Capacity and allocatable of a plugin's resource: every trajectory of the real kubelet."""

import asyncio

from tests.twin.nodes.cluster import RESOURCE, cluster, images
from tests.twin.virtually import virtually


@virtually
async def test_a_plugin_that_registers_is_offered_at_the_next_report() -> None:
    twin = await cluster()
    assert twin.offers() == "absent"
    twin.plugin()
    await twin.until(lambda: twin.pod_ready("plugin"))
    await twin.until(lambda: twin.offers() == "4/4", within=1.1)


@virtually
async def test_a_plugin_that_goes_leaves_0_at_once_and_its_capacity_after_5_minutes() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    twin.delete("plugin")
    await twin.until(lambda: twin.offers() == "4/0", within=2)
    gone = twin.now
    await twin.until(lambda: twin.offers() != "4/0")
    assert twin.offers() == "0/0"
    assert 298 < twin.now - gone < 302


@virtually
async def test_a_plugin_that_comes_back_within_the_grace_never_loses_its_capacity() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    twin.delete("plugin")
    await twin.until(lambda: twin.offers() == "4/0")
    twin.plugin(name="other")
    await twin.until(lambda: twin.offers() == "4/4")
    await asyncio.sleep(400)
    assert twin.offers() == "4/4"


@virtually
async def test_a_kubelet_that_restarts_offers_nothing_until_plugins_register_anew() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    twin.twin.nodes.restart_kubelet("node-1")
    await twin.until(lambda: twin.offers() == "0/0", within=3)
    await twin.until(lambda: twin.offers() == "4/4", within=3)
    assert "kubelet.sock created, restarting device plugin" in twin.log("plugin", "plugin")


@virtually
async def test_a_plugin_that_ignores_a_kubelet_restart_is_lost_for_good() -> None:
    twin = await cluster(images({"deaf": {"onKubeletRestart": "ignore"}}))
    twin.plugin("deaf")
    await twin.until(lambda: twin.offers() == "4/4")
    twin.twin.nodes.restart_kubelet("node-1")
    await twin.until(lambda: twin.offers() == "0/0")
    await asyncio.sleep(900)
    assert twin.offers() == "0/0"
    assert twin.pod_ready("plugin")


@virtually
async def test_a_plugin_that_exits_at_a_kubelet_restart_is_started_again() -> None:
    twin = await cluster(images({"exits": {"onKubeletRestart": "exit"}}))
    twin.plugin("exits")
    await twin.until(lambda: twin.offers() == "4/4")
    twin.twin.nodes.restart_kubelet("node-1")
    await twin.until(lambda: twin.offers() == "0/0")
    await twin.until(lambda: twin.offers() == "4/4")
    assert twin.state("plugin", "plugin")["restartCount"] == 1
    assert "kubelet restarted, exiting" in twin.log("plugin", "plugin", previous=True)


@virtually
async def test_unhealthy_devices_lower_what_is_allocatable_and_nothing_else() -> None:
    knobs = {"unhealthyAfter": "10s", "unhealthyDevices": 3, "unhealthyFor": "20s"}
    twin = await cluster(images({"sick": knobs}))
    twin.plugin("sick")
    await twin.until(lambda: twin.offers() == "4/4")
    await twin.until(lambda: twin.offers() == "4/1", within=12)
    await twin.until(lambda: twin.offers() == "4/4", within=22)


@virtually
async def test_devices_that_repeat_their_sickness_turn_again_and_again() -> None:
    knobs = {"unhealthyAfter": "0s", "unhealthyFor": "5s", "unhealthyRepeats": True}
    twin = await cluster(images({"sick": knobs}))
    twin.plugin("sick")
    await twin.until(lambda: twin.offers() == "4/0")
    for _ in range(3):
        await twin.until(lambda: "marked healthy" in twin.log("plugin", "plugin", tail=1))
        await twin.until(lambda: "marked unhealthy" in twin.log("plugin", "plugin", tail=1))


@virtually
async def test_a_stream_that_ends_counts_as_a_plugin_that_is_gone_although_it_lives() -> None:
    twin = await cluster(images({"lost": {"endStreamAfter": "30s"}}))
    twin.plugin("lost")
    await twin.until(lambda: twin.offers() == "4/4")
    await twin.until(lambda: twin.offers() == "4/0", within=32)
    await twin.until(lambda: twin.offers() == "0/0")
    assert twin.pod_ready("plugin")


@virtually
async def test_a_stream_that_ends_before_the_first_list_offers_a_name_without_devices() -> None:
    twin = await cluster(images({"lost": {"endStreamAfter": "0s"}}))
    twin.plugin("lost")
    await twin.until(lambda: twin.offers() == "0/0")
    log = twin.log("plugin", "plugin")
    assert "device stream of" in log
    assert "registered device plugin" in log


@virtually
async def test_of_two_plugins_on_one_socket_the_second_is_refused_until_the_first_is_gone() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    twin.plugin(name="second")
    await twin.until(lambda: twin.pod_ready("second"))
    assert "device plugin already connected" in twin.log("second", "plugin")
    twin.delete("plugin")
    await twin.until(lambda: "registered device plugin" in twin.log("second", "plugin"))
    assert twin.offers() in {"4/4", "4/0"}
    await twin.until(lambda: twin.offers() == "4/4", within=2)


@virtually
async def test_of_two_plugins_on_sockets_of_their_own_the_last_to_register_answers() -> None:
    twin = await cluster(
        images({"a": {"socketName": "unique"}, "b": {"socketName": "unique", "devices": 2}})
    )
    twin.plugin("a")
    await twin.until(lambda: twin.offers() == "4/4")
    twin.plugin("b", name="second")
    await twin.until(lambda: twin.offers() == "2/2")
    twin.delete("plugin")
    await twin.until(lambda: twin.pod("plugin") is None)
    await asyncio.sleep(2)
    assert twin.offers() == "2/2"


@virtually
async def test_several_resources_of_one_plugin_are_offered_each() -> None:
    twin = await cluster(images({"two": {"extraResources": ["-part=8", "other.test/x=1"]}}))
    twin.plugin("two")
    await twin.until(lambda: twin.offers() == "4/4")
    assert twin.offers(f"{RESOURCE}-part") == "8/8"
    assert twin.offers("other.test/x") == "1/1"

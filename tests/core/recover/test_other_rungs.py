"""R0, R2 to R5 and what is done by hand: ready where all holds, and each thing that must."""

import copy
from typing import Any

import msgspec
import pytest

from bridgehead.core.diagnose.cause import RollbackHelps
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.observed import Reading
from bridgehead.core.model.component import Component
from bridgehead.core.model.device import Offer
from bridgehead.core.model.pod import Container, Pod
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.recover.by_hand import RUNBOOKS, by_hand
from bridgehead.core.recover.cordoning import cordoning
from bridgehead.core.recover.dead_name import dead_name
from bridgehead.core.recover.limits import floor_of, most_cordoned
from bridgehead.core.recover.past import Past
from bridgehead.core.recover.precondition import Precondition, Verdict
from bridgehead.core.recover.pruning import prunable, pruning
from bridgehead.core.recover.rolling_back import rolling_back
from bridgehead.core.recover.rung import Rung, may_do_alone
from bridgehead.core.recover.situation import WayBack
from bridgehead.core.recover.waiting import waiting
from tests.core.recover.stage import (
    HOLDER,
    NOW,
    TEMPLATE,
    R,
    cause,
    component,
    node,
    of,
    plugin_pod,
    refused,
    situation,
    workload,
)

NOT_MET, NOT_KNOWN = Verdict.NOT_MET, Verdict.NOT_KNOWN
OTHER_PODS = tuple(plugin_pod(number) for number in (2, 3, 4))
OLD = "example.com/old"
ANOTHERS_RUN: dict[str, Any] = {"annotations": {"bridgehead.dev/held-by": "change-of-another"}}
ANOTHERS_TOOL: dict[str, Any] = {"holds": ("upgrade label",)}


@pytest.mark.parametrize(
    ("changes", "ready"),
    [
        ({"plugin_pods": (plugin_pod(1, created=NOW - 59), *OTHER_PODS)}, True),
        ({"plugin_pods": (plugin_pod(1, created=NOW - 61), *OTHER_PODS)}, False),
        ({"kubelet_started": NOW - 59}, True),
        ({"kubelet_started": NOW - 61}, False),
        ({"plugin_pods": (plugin_pod(1, created=NOW - 200, ready=False), *OTHER_PODS)}, True),
        ({"plugin_pods": (plugin_pod(1, created=NOW - 301, ready=False), *OTHER_PODS)}, False),
        ({"causes": (cause("race-at-kubelet-start"),)}, True),
        ({"bad": node(1), "kubelet_started": NOW - 10}, False),
    ],
    ids=[
        "young plugin",
        "older",
        "young kubelet",
        "older kubelet",
        "starts",
        "too long",
        "a race",
        "nothing is missing",
    ],
)
def test_waiting_fits_only_while_something_is_young(changes: dict[str, Any], ready: bool) -> None:
    assert waiting(situation(**changes)).ready is ready


WAY = WayBack(run="change-1", held=True, former="h0", proven=True, evidence="n2 runs it")


def test_a_way_back_needs_a_failed_run_and_a_proven_former_revision() -> None:
    fits: dict[str, Any] = {"causes": (cause("image-not-pulled"),)}
    assert rolling_back(situation(way_back=WAY, **fits)).ready
    assert of(rolling_back(situation(**fits)), "a run has failed").verdict is NOT_MET
    going = WayBack(run="change-1", held=False, former="h0", proven=True, evidence="")
    assert of(rolling_back(situation(way_back=going, **fits)), "a run").verdict is NOT_MET
    for proven, verdict in ((False, NOT_MET), (None, NOT_KNOWN)):
        way = WayBack(run="change-1", held=True, former="h0", proven=proven, evidence="")
        found = rolling_back(situation(way_back=way, **fits))
        assert of(found, "proven to start").verdict is verdict


def test_no_way_back_is_offered_where_it_would_not_help() -> None:
    causes = (
        cause("image-not-pulled"),
        cause("driver-library-mismatch", rollback_helps=RollbackHelps.NO),
    )
    found = rolling_back(situation(way_back=WAY, causes=causes))
    assert of(found, "can repair").verdict is NOT_MET


LATER = cause("plugin-later-than-pods")
THREE = tuple(refused(f"r{number}", 1000 - number) for number in range(3))


def test_refused_pods_go_but_the_newest_of_each_owner_and_bare_ones() -> None:
    other = refused("only", 70, owner_uid="rs2")
    bare = refused("bare", 60, owner_kind="", owner_name="", owner_uid="")
    found = pruning(situation(bad=node(1), pods=(*THREE, other, bare), causes=(LATER,)))
    assert found.ready, found.obstacles
    assert [pod.name for pod in found.pods] == ["r0", "r1"]
    assert any("work/bare" in line for line in found.would_not)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pods": (refused("one", 60),)}, "refused pods are there"),
        ({"pods": tuple(refused(f"b{n}", 60, owner_uid="") for n in range(3))}, "refused pods"),
        ({"pods": tuple(workload(f"w{n}") for n in range(3))}, "refused pods"),
        ({"pods": tuple(refused(f"e{n}", 60, reason="Evicted") for n in range(3))}, "refused pods"),
        ({"pods": tuple(refused(f"e{n}", 60, reason="") for n in range(3))}, "refused pods"),
        ({"pods": tuple(refused(f"d{n}", 60, deleting=True) for n in range(3))}, "refused pods"),
        ({"pods": tuple(refused(f"o{n}", 60, requests={}) for n in range(3))}, "refused pods"),
        ({"bad": node(1, Offer(4, 0))}, "no more are refused"),
        ({"pods": (*THREE, refused("new", 59))}, "no more are refused"),
        ({"past": (Past(at=NOW - 200, rung=Rung.PRUNE, node="n1"),)}, "at most one pruning"),
    ],
)
def test_nothing_is_pruned(changes: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"bad": node(1), "pods": THREE, "causes": (LATER,), **changes}
    assert of(pruning(situation(**given)), words).verdict is NOT_MET


def test_pods_are_pruned_on_a_cordoned_node_whatever_it_offers() -> None:
    lost = cause("lost-gpu-refuses-pods")
    bad = node(1, Offer(4, 3), unschedulable=True)
    assert pruning(situation(bad=bad, pods=THREE, causes=(lost,))).ready


def test_a_node_is_quiet_a_minute_after_its_newest_refusal() -> None:
    words = "no more are refused"
    quiet = situation(bad=node(1), pods=(*THREE, refused("new", 60)), causes=(LATER,))
    assert pruning(quiet).ready
    untold = situation(bad=node(1), pods=tuple(refused(f"r{n}", NOW) for n in range(3)))
    assert of(pruning(untold), words).verdict is Verdict.NOT_KNOWN


def test_not_more_than_fifty_pods_go_at_once() -> None:
    many = tuple(refused(f"r{number:03}", 9000 - number) for number in range(80))
    found = pruning(situation(bad=node(1), pods=many, causes=(LATER,)))
    assert len(found.pods) == 50
    assert "and 47 more of them" in found.would
    assert len(prunable(many)) == 79
    assert "29 more stay" in found.would[0]


DRIFT = cause("driver-library-mismatch")


def test_a_drifted_node_is_cordoned_while_enough_others_serve() -> None:
    assert cordoning(situation(causes=(DRIFT,))).ready


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bad": node(1, Offer(4, 0), unschedulable=True)}, "takes pods now"),
        ({"others": (node(2), node(3, Offer(4, 0)), node(4, Offer(4, 0)))}, "stay healthy"),
        ({"others": (node(2), node(3, ready=False), node(4, unschedulable=True))}, "stay healthy"),
        ({"others": ()}, "stay healthy"),
        ({"bad": node(1, Offer(4, 0), **ANOTHERS_RUN)}, "nobody else"),
        ({"bad": node(1, Offer(4, 0), **ANOTHERS_TOOL)}, "nobody else"),
        (
            {
                "others": (
                    node(2),
                    node(3),
                    node(4, annotations={"bridgehead.dev/held-by": HOLDER}),
                )
            },
            "at most 1 of 4",
        ),
    ],
)
def test_a_node_is_not_cordoned(changes: dict[str, Any], words: str) -> None:
    found = cordoning(situation(**{"causes": (DRIFT,), **changes}))
    assert not found.ready
    assert of(found, words).verdict is NOT_MET


def test_a_node_that_refuses_pods_is_not_healthy_whatever_it_offers() -> None:
    allocates_no_more = tuple(refused(f"r{n}", 30, node=f"n{n}") for n in (2, 3))
    found = cordoning(situation(causes=(DRIFT,), pods=allocates_no_more))
    assert of(found, "stay healthy").verdict is NOT_MET
    again = (workload(f"w{n}", node=f"n{n}", created=NOW - 10) for n in (2, 3))
    assert cordoning(situation(causes=(DRIFT,), pods=(*allocates_no_more, *again))).ready


@pytest.mark.parametrize(
    ("nodes", "floor", "most"), [(1, 1, 1), (4, 2, 1), (5, 3, 1), (50, 25, 10)]
)
def test_half_of_the_device_nodes_stay_and_a_fifth_may_go(
    nodes: int, floor: int, most: int
) -> None:
    assert (floor_of(nodes), most_cordoned(nodes)) == (floor, most)


DEAD = {R: Offer(4, 4), OLD: Offer(0, 0)}


def dead(**changes: Any) -> Any:
    given: dict[str, Any] = {
        "bad": node(1, offers=DEAD),
        "causes": (cause("dead-resource-name"),),
        "history": (zero(NOW - 700),),
        **changes,
    }
    return dead_name(situation(**given))


def zero(at: float, capacity: int = 0) -> Reading:
    return Reading(at=at, node="n1", resource=OLD, capacity=capacity, allocatable=0)


def test_a_name_that_is_dead_for_long_goes() -> None:
    found = dead()
    assert found.ready, found.obstacles
    assert found.names == (OLD,)
    assert dead(past=(Past(at=NOW - 3600, rung=Rung.DEAD_NAME, node="n1", what="x"),)).ready


def test_a_dead_name_that_harms_nobody_is_quoted_where_a_person_asks_for_its_removal() -> None:
    harmless = cause("dead-resource-name", severity=Severity.INFO)
    condition = of(dead(causes=(harmless,), asked=True), "the diagnosis names a cause")
    assert condition.met
    assert "dead-resource-name, which harms nobody now" in condition.evidence
    assert not dead(causes=(harmless,)).ready


@pytest.mark.parametrize(
    ("changes", "words", "verdict"),
    [
        ({"bad": node(1, offers={R: Offer(4, 4), OLD: Offer(4, 0)})}, "one name", NOT_MET),
        ({"bad": node(1, offers={OLD: Offer(0, 0), "x.com/y": Offer(0, 0)})}, "one name", NOT_MET),
        ({"bad": node(1, offers={OLD: Offer(4, 0)}), "resource": OLD}, "one name", NOT_MET),
        ({"history": ()}, "has shown", NOT_KNOWN),
        ({"history": (zero(NOW - 590),)}, "has shown", NOT_KNOWN),
        ({"history": (zero(NOW - 700), zero(NOW - 300, 4))}, "has shown", NOT_MET),
        (
            {"others": (node(2, offers={R: Offer(4, 4), OLD: Offer(2, 2)}), node(3), node(4))},
            "no plugin claims",
            NOT_MET,
        ),
        ({"pods": (workload("w", node="n3", requests={OLD: 1}),)}, "no pod asks", NOT_MET),
        (
            {"pods": (workload("w", node="", bound=False, phase="Pending", requests={OLD: 1}),)},
            "no pod asks",
            NOT_MET,
        ),
        ({"unread": (Unread("pods", "forbidden"),)}, "no pod asks", NOT_KNOWN),
        (
            {"unread": (Unread("daemonsets of other namespaces", "forbidden"),)},
            "no plugin claims",
            NOT_KNOWN,
        ),
        (
            {"past": (Past(at=NOW - 3599, rung=Rung.DEAD_NAME, node="n1", what="x"),)},
            "at most one removal",
            NOT_MET,
        ),
        ({"bad": node(1, offers=DEAD, **ANOTHERS_RUN)}, "nobody else", NOT_MET),
        ({"bad": node(1, offers=DEAD, **ANOTHERS_TOOL)}, "nobody else", NOT_MET),
    ],
)
def test_a_name_stays(changes: dict[str, Any], words: str, verdict: Verdict) -> None:
    found = dead(**changes)
    assert not found.ready
    assert of(found, words).verdict is verdict


GPU = "nvidia.com/gpu"
NVIDIA = "nvcr.io/nvidia/k8s-device-plugin:v0.17.0"
DIRECTORY = ("/var/lib/kubelet/device-plugins",)
NOTHING = {GPU: Offer(0, 0)}
NO_OFFER: dict[str, Offer] = {}


def plugin_of(image: str, *args: str) -> Component:
    """The plugin with another image and other arguments."""
    template: Any = copy.deepcopy(TEMPLATE)
    template["spec"]["containers"][0].update(image=image, args=list(args))
    return component(template=template)


def claimed(first: Offer | None, it: Component, *pods: Pod, others: Any = ()) -> Precondition:
    """Whether anybody claims the GPUs of the first node, whose plugins are these."""
    seen = situation(
        of=it,
        bad=node(1, offers={GPU: first} if first else NO_OFFER),
        others=(node(2, offers=NOTHING), *others),
        plugin_pods=pods,
        history=(Reading(at=NOW - 1000, node="n1", resource=GPU, capacity=0, allocatable=0),),
        resource=GPU,
        asked=True,
    )
    return of(dead_name(seen), "no plugin claims")


ZERO = Offer(0, 0)
QUIET = "registry.example/plugin:1"


@pytest.mark.parametrize(
    ("it", "pods", "verdict"),
    [
        (plugin_of(NVIDIA), (plugin_pod(1), plugin_pod(2)), NOT_MET),
        (plugin_of(NVIDIA), (plugin_pod(1, phase="Failed"), plugin_pod(2)), Verdict.MET),
        (plugin_of(NVIDIA), (plugin_pod(2),), Verdict.MET),
        (plugin_of(QUIET, f"--resource={GPU}"), (plugin_pod(1), plugin_pod(2)), NOT_MET),
        (plugin_of(QUIET, f"--resource={GPU}"), (plugin_pod(2),), Verdict.MET),
        (plugin_of(QUIET), (plugin_pod(1), plugin_pod(2)), NOT_KNOWN),
        (plugin_of(QUIET), (plugin_pod(2),), Verdict.MET),
    ],
    ids=[
        "the family's own",
        "it has ended there",
        "it runs elsewhere",
        "named",
        "named by one elsewhere",
        "nobody knows what it offers",
        "such a one elsewhere",
    ],
)
def test_a_plugin_on_the_node_claims_what_it_may_offer(
    it: Component, pods: tuple[Pod, ...], verdict: Verdict
) -> None:
    assert claimed(ZERO, it, *pods).verdict is verdict


@pytest.mark.parametrize(
    ("shared", "verdict"), [(Offer(4, 4), Verdict.MET), (ZERO, NOT_MET)], ids=["renamed", "lost"]
)
def test_a_family_claims_its_old_name_unless_its_devices_are_there_under_another(
    shared: Offer, verdict: Verdict
) -> None:
    offers = {"nvidia.com/gpu.shared": shared, GPU: ZERO}
    seen = situation(
        of=plugin_of(NVIDIA), bad=node(1, offers=offers), others=(), resource=GPU, asked=True
    )
    assert of(dead_name(seen), "no plugin claims").verdict is verdict


@pytest.mark.parametrize(
    ("image", "name", "verdict"),
    [
        (NVIDIA, GPU, NOT_MET),
        (NVIDIA, OLD, Verdict.MET),
        ("registry.example/some:1", OLD, NOT_KNOWN),
    ],
)
def test_a_plugin_without_a_daemon_set_claims_too(image: str, name: str, verdict: Verdict) -> None:
    lone = workload(
        "lone",
        owner_kind="Node",
        host_paths=DIRECTORY,
        requests={},
        containers=(Container("plugin", image, image_id="sha256:1", state="running"),),
    )
    shown = {R: Offer(4, 4), name: ZERO}
    changes: dict[str, Any] = {"bad": node(1, offers=shown), "resource": name, "asked": True}
    found = dead_name(situation(pods=(lone,), **changes))
    assert of(found, "no plugin claims").verdict is verdict
    ended = msgspec.structs.replace(lone, phase="Succeeded")
    elsewhere = msgspec.structs.replace(lone, node="n2")
    for pod in (ended, elsewhere):
        found = dead_name(situation(pods=(pod,), **changes))
        assert of(found, "no plugin claims").verdict is Verdict.MET


def test_a_pod_that_ended_asks_for_nothing_any_more() -> None:
    assert dead(pods=(workload("w", phase="Succeeded", requests={OLD: 1}),)).ready


@pytest.mark.parametrize("rung", [Rung.DRAIN, Rung.KUBELET_RESTART, Rung.REBOOT])
def test_what_is_done_by_hand_is_ready_only_with_a_persons_own_command(rung: Rung) -> None:
    assert not by_hand(situation(), rung).ready
    assert not by_hand(situation(), rung, ("ssh", "n1", "reboot")).ready
    assert by_hand(situation(asked=True), rung, ("ssh", "n1", "reboot")).ready
    assert not any("rm " in step or ".sock" in step for step in RUNBOOKS[rung].steps)
    assert any("n1" in line for line in by_hand(situation(), rung).would)


@pytest.mark.parametrize("rung", [Rung.DRAIN, Rung.KUBELET_RESTART, Rung.REBOOT])
def test_nothing_is_done_by_hand_to_a_node_that_another_has(rung: Rung) -> None:
    for changes in (ANOTHERS_RUN, ANOTHERS_TOOL):
        found = by_hand(situation(asked=True, bad=node(1, **changes)), rung, ("ssh", "n1"))
        assert [item.what for item in found.obstacles] == ["nobody else works on the node"]
    ours = node(1, annotations={"bridgehead.dev/held-by": HOLDER})
    assert by_hand(situation(asked=True, bad=ours), rung, ("ssh", "n1")).ready


@pytest.mark.parametrize(
    ("allowed", "alone"),
    [
        (None, []),
        (Rung.RESTART, [Rung.RESTART]),
        (Rung.ROLL_BACK, [Rung.RESTART]),
        (Rung.PRUNE, [Rung.RESTART, Rung.PRUNE]),
        (Rung.CORDON, [Rung.RESTART, Rung.PRUNE, Rung.CORDON]),
    ],
)
def test_without_a_person_only_what_is_allowed_and_never_more_is_done(
    allowed: Rung | None, alone: list[Rung]
) -> None:
    assert [rung for rung in Rung if may_do_alone(rung, allowed)] == alone

"""R1: every precondition, one at a time, and where a case is stricter than the rung."""

import copy
from typing import Any

import pytest

from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Revision
from bridgehead.core.model.device import Offer
from bridgehead.core.model.pod import Container
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.recover.choice import choose
from bridgehead.core.recover.past import Past
from bridgehead.core.recover.precondition import Verdict
from bridgehead.core.recover.restarting import restarting
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Answer, NamedCause
from tests.core.recover.stage import (
    IMAGE,
    NOW,
    TEMPLATE,
    cause,
    component,
    node,
    of,
    plugin_pod,
    situation,
    workload,
)

STREAM = cause("stream-ended")
NOT_MET, NOT_KNOWN = Verdict.NOT_MET, Verdict.NOT_KNOWN
OTHER_PODS = tuple(plugin_pod(number) for number in (2, 3, 4))
SRIOV = "ghcr.io/k8snetworkplumbingwg/sriov-network-device-plugin:v3.7.0"
UNPULLED = (Container("plugin", IMAGE, state="waiting"),)


def test_with_everything_in_order_it_is_ready_and_deletes_one_pod() -> None:
    found = restarting(situation(causes=(STREAM,)))
    assert found.ready, found.obstacles
    assert [pod.name for pod in found.pods] == ["plugin-1"]


@pytest.mark.parametrize(
    ("changes", "words", "verdict"),
    [
        ({"causes": ()}, "the diagnosis names", NOT_KNOWN),
        ({"causes": (cause("driver-library-mismatch"),)}, "the diagnosis names", NOT_MET),
        ({"open_run": "change-1"}, "no run keeps", NOT_MET),
        (
            {"bad": node(1, Offer(4, 0), annotations={"bridgehead.dev/held-by": "change-1"})},
            "nobody else",
            NOT_MET,
        ),
        ({"bad": node(1, Offer(4, 0), holds=("upgrade label",))}, "nobody else", NOT_MET),
        ({"bad": node(1, Offer(4, 0), ready=False)}, "is Ready", NOT_MET),
        ({"bad": node(1, Offer(4, 0), ready=None)}, "is Ready", NOT_MET),
        ({"plugin_pods": OTHER_PODS}, "has a plugin pod", NOT_MET),
        ({"plugin_pods": (plugin_pod(1, deleting=True), *OTHER_PODS)}, "has a plugin", NOT_MET),
        ({"bad": node(1)}, "offers fewer", NOT_MET),
        ({"plugin_pods": (plugin_pod(1, created=NOW - 20), *OTHER_PODS)}, "run for", NOT_MET),
        ({"kubelet_started": NOW - 20}, "run for", NOT_MET),
        (
            {
                "plugin_pods": (
                    plugin_pod(1, labels={"controller-revision-hash": "h0"}),
                    *OTHER_PODS,
                )
            },
            "comes back on the revision",
            NOT_MET,
        ),
        (
            {"of": component(template={**TEMPLATE, "metadata": {"labels": {"a": "b"}}})},
            "comes back on the revision",
            NOT_KNOWN,
        ),
        ({"plugin_pods": (plugin_pod(1),)}, "healthy on another node", NOT_KNOWN),
        (
            {"plugin_pods": (plugin_pod(1), *(plugin_pod(n, ready=False) for n in (2, 3, 4)))},
            "healthy on another node",
            NOT_MET,
        ),
        ({"plugin_pods": (plugin_pod(1, containers=UNPULLED), *OTHER_PODS)}, "image", NOT_KNOWN),
        (
            {
                "plugin_pods": (plugin_pod(1, containers=UNPULLED), *OTHER_PODS),
                "images": frozenset({"registry.example/other:1"}),
            },
            "image",
            NOT_MET,
        ),
        ({"dry_run": Answer(False, "quota")}, "dry run", NOT_MET),
        ({"dry_run": Answer(None, "may not ask")}, "dry run", NOT_KNOWN),
        (
            {"past": (Past(at=NOW - 3000, rung=Rung.RESTART, node="n1"),)},
            "at most one restart a node and hour",
            NOT_MET,
        ),
        (
            {"pods": (workload("bound", admitted=False, phase="Pending", created=NOW - 60),)},
            "speaks against",
            NOT_MET,
        ),
    ],
)
def test_one_thing_out_of_order_keeps_it_from_being_done(
    changes: dict[str, Any], words: str, verdict: Verdict
) -> None:
    found = restarting(situation(**{"causes": (STREAM,), **changes}))
    assert not found.ready
    assert of(found, words).verdict is verdict


@pytest.mark.parametrize(
    "changes",
    [
        {"past": (Past(at=NOW - 3700, rung=Rung.RESTART, node="n1"),)},
        {"past": (Past(at=NOW - 60, rung=Rung.RESTART, node="n2"),)},
        {"past": (Past(at=NOW - 60, rung=Rung.PRUNE, node="n1"),)},
        {"pods": (workload("holder"),)},
        {"pods": (workload("new", admitted=False, phase="Pending", created=NOW - 59),)},
        {"kubelet_started": NOW - 61},
        {
            "plugin_pods": (plugin_pod(1, containers=UNPULLED), *OTHER_PODS),
            "images": frozenset({f"docker.io/{IMAGE}"}),
        },
    ],
    ids=[
        "an hour ago",
        "elsewhere",
        "another rung",
        "busy",
        "just bound",
        "a minute after",
        "listed image",
    ],
)
def test_what_looks_alike_and_is_in_order_does_not(changes: dict[str, Any]) -> None:
    found = restarting(situation(causes=(STREAM,), **changes))
    assert found.ready, found.obstacles


@pytest.mark.parametrize("rule", ["devices-came-later", "device-removed-under-plugin"])
def test_plugins_that_discover_once_are_restarted_only_while_idle(rule: str) -> None:
    assert restarting(situation(causes=(cause(rule),))).ready
    busy = restarting(situation(causes=(cause(rule),), pods=(workload("holder"),)))
    assert of(busy, "holds the devices").verdict is NOT_MET
    blind = restarting(situation(causes=(cause(rule),), unread=(Unread("pods", "forbidden"),)))
    assert of(blind, "holds the devices").verdict is NOT_KNOWN


def test_a_family_that_finds_only_free_devices_is_restarted_only_while_idle() -> None:
    template: Any = copy.deepcopy(TEMPLATE)
    template["spec"]["containers"][0]["image"] = SRIOV
    it = component(template=template)
    revision = Revision("plugin-h1", "h1", 1, it.template_digest)
    given: dict[str, Any] = {"of": it, "revisions": (revision,), "causes": (STREAM,)}
    assert restarting(situation(**given)).ready
    busy = restarting(situation(pods=(workload("holder"),), **given))
    assert not busy.ready
    assert of(busy, "holds the devices").verdict is NOT_MET
    assert "sriov" in of(busy, "holds the devices").what


def test_an_idle_rule_of_any_cause_binds_a_restart_for_another() -> None:
    both = (STREAM, cause("devices-in-use-lost"))
    found = restarting(situation(causes=both, pods=(workload("holder"),)))
    assert of(found, "holds the devices").verdict is NOT_MET


def test_a_hang_in_allocate_is_never_answered_by_a_restart_and_says_what_helps() -> None:
    found = restarting(situation(causes=(STREAM, cause("allocate-hangs"))))
    condition = of(found, "speaks against")
    assert condition.verdict is NOT_MET
    assert "only the end of its process on the node helps" in condition.evidence


@pytest.mark.parametrize(
    ("quoted", "verdict"),
    [
        ("XidCriticalError: Xid=31 on Device=GPU-1", Verdict.MET),
        ("XidCriticalError: Xid=79 on Device=GPU-1", NOT_MET),
        ("Xid=31 ... Xid=48", NOT_MET),
        ("NVRM: Xid (PCI:0000:3b:00): 31, pid=912", Verdict.MET),
        ("marking device as unhealthy", NOT_KNOWN),
    ],
)
def test_an_xid_is_answered_only_where_an_application_made_it(
    quoted: str, verdict: Verdict
) -> None:
    found = restarting(situation(causes=(cause("xid-reported", quoted=quoted),)))
    assert of(found, "an application's").verdict is verdict


def xids(*quoted: tuple[str, str]) -> NamedCause:
    """Lines by the node that they are about."""
    proofs = tuple(Evidence("log", text, node) for node, text in quoted)
    return cause("xid-reported", nodes=("n1", "n2"), evidence=proofs)


HARMLESS, FATAL = "Xid=13 on Device=GPU-a", "Xid=79 on Device=GPU-b"


@pytest.mark.parametrize(
    ("quoted", "verdict"),
    [
        ((("n1", FATAL), ("n1", HARMLESS)), NOT_MET),
        ((("n1", HARMLESS), ("n1", FATAL)), NOT_MET),
        ((("n2", FATAL), ("n1", HARMLESS)), Verdict.MET),
        ((("n2", HARMLESS), ("n3", HARMLESS), ("n4", HARMLESS), ("n1", FATAL)), NOT_MET),
        ((("n2", HARMLESS), ("n3", HARMLESS)), NOT_KNOWN),
        ((("", HARMLESS),), NOT_KNOWN),
        ((("n1", HARMLESS), ("n1", "GPU is lost")), NOT_KNOWN),
    ],
    ids=[
        "a fatal one before",
        "a fatal one after",
        "fatal elsewhere",
        "harmless elsewhere",
        "only others are quoted",
        "of no node",
        "one without a number",
    ],
)
def test_only_the_xids_of_this_node_count_and_the_worst_of_them(
    quoted: tuple[tuple[str, str], ...], verdict: Verdict
) -> None:
    seen = situation(causes=(xids(*quoted),), bad=node(1, Offer(4, 3)))
    assert of(restarting(seen), "an application's").verdict is verdict
    chosen = choose(seen).chosen
    assert chosen is not None
    assert chosen.rung is (Rung.RESTART if verdict is Verdict.MET else Rung.CORDON)


def test_of_two_plugins_with_xids_on_a_node_both_count() -> None:
    seen = situation(causes=(xids(("n1", HARMLESS)), xids(("n1", FATAL))))
    assert not restarting(seen).ready


def test_an_xid_is_answered_once_a_day() -> None:
    past = (Past(at=NOW - 7_200, rung=Rung.RESTART, node="n1"),)
    found = restarting(situation(causes=(cause("xid-reported", quoted="Xid=31"),), past=past))
    assert of(found, "a node and day").verdict is NOT_MET


def test_a_restart_after_something_was_mended_is_a_persons_to_ask_for() -> None:
    mended = cause("inotify-limit-used-up", advice=frozenset({Rung.RESTART}))
    assert of(restarting(situation(causes=(mended,))), "the diagnosis").verdict is NOT_MET
    assert restarting(situation(causes=(mended,), asked=True)).ready


def test_a_stream_that_ended_has_a_minute_to_come_back_and_others_two() -> None:
    assert restarting(situation(causes=(STREAM,))).within == 60.0
    assert restarting(situation(causes=(cause("health-watch-lost"),))).within == 120.0
    assert restarting(situation(causes=(cause("health-watch-lost"), STREAM))).within == 60.0


def test_a_person_may_ask_without_a_cause_but_not_against_one() -> None:
    assert restarting(situation(asked=True)).ready
    found = restarting(situation(asked=True, causes=(cause("driver-library-mismatch"),)))
    assert of(found, "the diagnosis names").verdict is NOT_MET


def test_what_pods_hold_tells_that_a_node_offers_too_few() -> None:
    alone: dict[str, Any] = {
        "bad": node(1, Offer(0, 0)),
        "others": (),
        "plugin_pods": (plugin_pod(1),),
    }
    words = "fewer devices than it should"
    assert of(restarting(situation(**alone)), words).verdict is Verdict.NOT_KNOWN
    found = of(restarting(situation(**alone, pods=(workload("w"),))), words)
    assert found.verdict is Verdict.MET
    assert "expected 1 (pods there hold at least so many)" in found.evidence
    waits = workload("w", admitted=False)
    assert of(restarting(situation(**alone, pods=(waits,))), words).verdict is Verdict.NOT_KNOWN

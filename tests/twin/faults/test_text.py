"""Faults as people type them: what is understood, and what is said about the rest."""

import pytest

from bridgehead.twin.faults.fault import ApiTrouble, NodeTrouble, Share, Where
from bridgehead.twin.faults.text import FaultError, parse_fault


def test_a_version_that_offers_nothing_on_one_node() -> None:
    fault = parse_fault("image=fake:v2,node=gpu-1,devices=0")
    assert fault.where == Where(image="fake:v2", node="gpu-1")
    assert fault.knobs == {"devices": "0"}
    assert fault.of_version


def test_a_value_may_hold_commas() -> None:
    fault = parse_fault('cohort=a.com/x,b.com/y / Debian 12, new,logLines=["one, two"],devices=1')
    assert fault.where.cohort == "a.com/x,b.com/y / Debian 12, new"
    assert fault.knobs == {"logLines": '["one, two"]', "devices": "1"}


def test_a_switch_needs_no_value() -> None:
    assert parse_fault("allocateHang").knobs == {"allocateHang": "true"}


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("api.latency=2s", ApiTrouble(latency=2)),
        ("api.error=500@10%", ApiTrouble(error=Share(500, 0.1))),
        ("api.error=2.5%", ApiTrouble(error=Share(503, 0.025))),
        ("api.away=90s", ApiTrouble(away=(90, 60))),
        ("api.away=90s@5m", ApiTrouble(away=(90, 300))),
        ("api.conflict=50%", ApiTrouble(conflict=0.5)),
        ("watch.break=30s", ApiTrouble(watch_break=30)),
        ("watch.gone=30s", ApiTrouble(watch_break=30, watch_gone=True)),
        ("api.latency=1s,watch.break=5s", ApiTrouble(latency=1, watch_break=5)),
    ],
)
def test_trouble_with_the_api(text: str, trouble: ApiTrouble) -> None:
    assert parse_fault(text).api == trouble


def test_trouble_with_nodes() -> None:
    fault = parse_fault("node=gpu-*,node.lost,node.drift")
    assert fault.nodes == (NodeTrouble.LOST, NodeTrouble.DRIFT)
    assert fault.where.node == "gpu-*"


def test_a_pull_fails_with_the_usual_words_or_with_ones_of_their_own() -> None:
    assert "not found" in parse_fault("pull").pull
    assert parse_fault("pull=toomanyrequests: slow down").pull == "toomanyrequests: slow down"
    assert parse_fault("pull.delay=5m").pull_delay == 300
    assert parse_fault("start.delay=40s").start_delay == 40


def test_a_version_that_was_not_built_for_a_kernel() -> None:
    fault = parse_fault("kernel.mismatch=6.12*")
    assert fault.where.kernel == "6.12*"
    assert fault.knobs["initFailure"] == "exit"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("device=0", "did you mean devices?"),
        ("node=gpu-1", "it says where, and not what"),
        ("", "an empty fault"),
        ("devices", "devices needs a value"),
        ("devices=many", "devices=many"),
        ("registers=sometimes", "must be one of normally, late, never"),
        ("api.latency=2", "has no unit"),
        ("api.error=503", "write it like api.error=503@10%"),
        ("api.error=503@200%", "write it like"),
        ("node.lost=5s", "has no value"),
        ("nonsense=1", "known are image, node"),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str) -> None:
    with pytest.raises(FaultError, match=says.replace("?", r"\?")):
        parse_fault(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("devices=x", "devices=x: 'x' is no whole number"),
        ("fewerDevices=1.5", "fewerDevices=1.5: '1.5' is no whole number"),
        ("devices=-1", "devices=-1: less than none"),
        ("allocateHang=maybe", "allocateHang=maybe: write true or false"),
        ("crashAfter=x", "crashAfter: 'x' is no duration"),
        ("crashAfter=5", "crashAfter: 5 has no unit"),
        ("logLines=[", 'logLines=[: write a JSON list, like logLines=["a","b"]'),
        ("extraResources=foo", "extraResources=foo: write a JSON list"),
        ("registers=sometimes", "registers=sometimes: must be one of normally, late, never"),
        ("watch.break=0s", "watch.break=0s: it must be longer than nothing"),
        ("api.latency=0s", "api.latency=0s: it must be longer than nothing"),
        ("devices=0,devices=1", "devices is given twice"),
        ("pull,pull=no such tag", "pull is given twice"),
        ("node=a,node=b,devices=0", "node is given twice"),
    ],
)
def test_values_that_cannot_be_are_told_in_words_for_people(text: str, told: str) -> None:
    with pytest.raises(FaultError) as found:
        parse_fault(text)
    assert str(found.value).startswith(told)

"""The plan's page: what a reviewer needs, in 100 columns, and the same as data."""

from typing import Any

import msgspec

from bridgehead.core.model.json import child
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.build import build
from bridgehead.core.plan.plan import Placement, Plan, Refusal, Refused, Unneeded
from bridgehead.core.plan.settings import ManifestChange, Weekday, Window, Workloads
from bridgehead.core.rollout.approvals import binding
from bridgehead.report.plan_json import plan_json
from bridgehead.report.plan_text import plan_text, refused_text
from tests.core.plan.scenery import GPU, TEMPLATE, node, snapshot, spec, target

PAGE = """\
Rollout gpu of daemonset/gpu/plugin
  plugin: r.test/plugin:1 -> r.test/plugin:2
  resources: vendor.com/gpu (named in the spec)
  former revision: plugin-h1 (hash h1)
  owner: platform

4 nodes in 2 cohorts
  A: 2 nodes
  B: 2 nodes

1. canary: a1; restart test first; then 10m of soak
2. other canaries: b1; restart test first; then 10m of soak
3. wave 2: a2, b2; 10 at a time, 20 unproven at most; then 2m of soak

Each node: cordon, delete its plugin pod, gates image, admitted, pod-ready, log, healthy,
  allocatable, refused-pods, probe (steady for 30s, 4m at most), uncordon.
  Pods that hold devices keep running.
A failed canary: take back every touched node. A failed node of a wave: take it back alone and hold.
Expected: 24m45s, 6.7 device-minutes without devices, about 244 API requests.
set aside: c1: NotReady
"""


def plan() -> Plan:
    nodes = [node("a1"), node("a2"), node("b1", "B"), node("b2", "B"), node("c1", ready=False)]
    found = build(spec(owner="platform"), snapshot(nodes), target())
    assert isinstance(found, Plan)
    return found


def stored(result: Plan | Refused | Unneeded) -> dict[str, Any]:
    """As a reader of the JSON gets it."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(plan_json(result)))
    return found


def test_page_reads_as_a_reviewer_expects() -> None:
    page = plan_text(plan())
    assert page.startswith(PAGE)
    assert page.rstrip().splitlines()[-1].startswith("plan sha256:")


def test_no_line_of_the_page_is_longer_than_100_columns() -> None:
    assert [line for line in plan_text(plan()).splitlines() if len(line) > 100] == []


def test_refusal_tells_every_reason_with_its_remedy_and_that_nothing_changed() -> None:
    told = refused_text(
        Refused(refusals=(Refusal("a", "one", "do x"), Refusal("b", "two", "do y")))
    )
    assert told.splitlines() == [
        "refused: one [a]",
        "  -> do x",
        "refused: two [b]",
        "  -> do y",
        "Nothing was changed.",
    ]


def test_data_names_schema_digests_waves_and_what_was_not_read() -> None:
    found = stored(plan())
    assert found["schema"] == "bridgehead.dev/plan/v1"
    assert found["unread"] == []
    assert found["changeDigest"] == plan().change_digest
    waves = found["waves"]
    assert [wave["nodes"] for wave in waves] == [["a1"], ["b1"], ["a2", "b2"]]
    assert waves[0]["gates"][-1] == "probe"


def test_data_of_a_refusal_has_no_waves() -> None:
    found = stored(Refused(refusals=(Refusal("a", "one", "do x"),)))
    assert found["waves"] == []
    assert found["refusals"] == [{"rule": "a", "message": "one", "remedy": "do x", "object": ""}]


def test_data_of_nothing_to_do_says_why() -> None:
    assert stored(Unneeded("it is there"))["reason"] == "it is there"


def holding(name: str, owner: str) -> Pod:
    """A pod on node a1 that holds a device."""
    return Pod("jobs", name, name, "a1", bound=True, owner_kind=owner, requests={GPU: 1})


def test_a_page_says_what_becomes_of_the_pods_that_hold_devices_now() -> None:
    others = [holding("one", "Job"), holding("two", "Job"), holding("bare", "")]
    others.append(holding("agent", "DaemonSet"))
    state = snapshot([node("a1"), node("a2"), node("a3")], others=others)

    def page(workloads: Workloads) -> str:
        found = build(spec(workloads=workloads), state, target())
        assert isinstance(found, Plan)
        assert all(len(line) <= 100 for line in plan_text(found).splitlines())
        return plan_text(found)

    waits = page(Workloads.WAIT)
    assert "Once cordoned, it waits until no pod holds its devices, 1h at most." in waits
    assert "a1: 3 pods to be waited for, 1 pod left alone" in waits
    evicts = page(Workloads.EVICT)
    assert "Once cordoned, pods that hold its devices are evicted, 15m at most." in evicts
    assert "a1: 2 pods to be evicted, 1 pod without a controller, so set aside" in evicts
    assert "a1" in page(Workloads.KEEP)
    assert "waited for" not in page(Workloads.KEEP)


def test_the_data_say_who_holds_devices_of_which_node() -> None:
    state = snapshot([node("a1"), node("a2")], others=[holding("one", "Job")])
    found = build(spec(workloads=Workloads.EVICT, workloads_timeout=60.0), state, target())
    assert stored(found)["workloads"] == {
        "care": "evict",
        "timeoutSeconds": 60.0,
        "holders": [{"node": "a1", "movable": ["jobs/one"], "bare": [], "resident": []}],
    }


MOVED = """\
  plugin.yaml changes: spec.nodeSelector.gpu, spec.nodeSelector.pool
  gains: g1
  loses: l1
  All of these change at once when the template is written. The new template then stands
  to the end: newcomers get it, and a node that fails in a wave is not taken back alone.
  Every other node's pod is of another revision then: all of them are restarted as well.
"""


def test_a_move_is_listed_with_what_follows_from_it() -> None:
    """Planned elsewhere (tests/core/plan): here the plan is only given what it says."""
    inner = child(TEMPLATE, "spec")
    assert isinstance(inner, dict)
    target = {**TEMPLATE, "spec": {**inner, "nodeSelector": {"pool": "new"}}}
    change = ManifestChange(path="plugin.yaml", template=target, selector={})
    moved = msgspec.structs.replace(
        plan(),
        spec=spec(change=change),
        target_template=target,
        placement=Placement(gains=("g1",), loses=("l1",)),
    )
    page = plan_text(moved)
    assert MOVED in page
    assert "A failed node of a wave: keep it cordoned and hold." in page
    data = stored(moved)
    assert data["placement"] == {"gains": ["g1"], "loses": ["l1"]}
    assert data["parks"] is False


def test_a_long_list_of_moved_nodes_is_shown_whole() -> None:
    names = tuple(f"node-{number:03}.example" for number in range(40))
    page = plan_text(msgspec.structs.replace(plan(), placement=Placement(loses=names)))
    assert all(name in page for name in names)
    assert [line for line in page.splitlines() if len(line) > 100] == []


def test_page_and_data_name_the_points_and_the_windows() -> None:
    nodes = [node("a1"), node("a2"), node("b1", "B"), node("b2", "B")]
    windows = (
        Window(opens=1320, closes=240, timezone="Europe/Berlin"),
        Window(days=(Weekday.SATURDAY,), opens=0, closes=1440, timezone="UTC"),
    )
    wish = spec(approve=("beforeWave:2", "afterCanary"), two_people=True, windows=windows)
    found = build(wish, snapshot(nodes), target())
    assert isinstance(found, Plan)
    page = plan_text(found)
    who = "another identity than the runner's"
    assert f"Waits for the approval of {who}: afterCanary, beforeWave:2." in page
    assert "Nodes are changed only 22:00 to 04:00 Europe/Berlin." in page
    assert "Nodes are changed only sat 00:00 to 24:00 UTC." in page
    data = stored(found)
    assert data["approve"] == ["afterCanary", "beforeWave:2"]
    assert data["approvalBinds"] == binding(found)
    assert data["windows"][1]["days"] == ["sat"]

"""Who holds devices of a node, and what a plan does about them by the spec and by family."""

import pytest

from bridgehead.core.model.component import with_images
from bridgehead.core.model.pod import OWN_LABEL, Pod
from bridgehead.core.plan.build import build
from bridgehead.core.plan.care import care_of
from bridgehead.core.plan.holders import Tie, holders, tie_of
from bridgehead.core.plan.plan import Care, Plan
from bridgehead.core.plan.settings import CanarySettings, RestartTest, Workloads
from tests.core.plan.scenery import GPU, TEMPLATE, component, holder, node, snapshot, spec

SRIOV = with_images(TEMPLATE, {"plugin": "ghcr.io/k8s/sriov-network-device-plugin:v1"})


def pod(
    name: str = "p",
    *,
    bound: bool = True,
    phase: str = "Running",
    owner: tuple[str, str] = ("", ""),
    deleting: bool = False,
    labels: dict[str, str] | None = None,
    **requests: int,
) -> Pod:
    return Pod(
        namespace="jobs",
        name=name,
        uid=name,
        node="a1",
        bound=bound,
        labels=labels or {},
        owner_kind=owner[0],
        owner_uid=owner[1],
        phase=phase,
        deleting=deleting,
        requests={key.replace("_", "/"): count for key, count in requests.items()} or {GPU: 1},
    )


@pytest.mark.parametrize(
    "found",
    [
        pod(bound=False),
        pod(phase="Succeeded"),
        pod(phase="Failed"),
        pod(owner=("DaemonSet", "ds")),
        pod(labels={OWN_LABEL: "gpu-1"}),
        pod(cpu=4),
    ],
    ids=["not there yet", "done", "failed", "the plugin", "ours", "another resource"],
)
def test_these_hold_no_device_of_the_component(found: Pod) -> None:
    assert holders([found], (GPU,), "ds") == ()


def test_pods_hold_until_they_are_gone_whatever_controls_them() -> None:
    found = [pod("z"), pod("a", deleting=True), pod("m", phase="Pending", owner=("Job", "j"))]
    assert [item.name for item in holders(found, (GPU,), "ds")] == ["a", "m", "z"]


@pytest.mark.parametrize(
    ("owner", "tie"),
    [
        ("", Tie.BARE),
        ("Job", Tie.MOVABLE),
        ("ReplicaSet", Tie.MOVABLE),
        ("DaemonSet", Tie.RESIDENT),
        ("Node", Tie.RESIDENT),
    ],
)
def test_a_controller_says_how_a_pod_is_tied_to_its_node(owner: str, tie: Tie) -> None:
    assert tie_of(pod(owner=(owner, "uid"))) is tie


@pytest.mark.parametrize(
    ("workloads", "timeout", "care"),
    [
        (None, None, Care()),
        (Workloads.KEEP, 5.0, Care()),
        (Workloads.WAIT, None, Care(Workloads.WAIT, 3600.0)),
        (Workloads.EVICT, None, Care(Workloads.EVICT, 900.0)),
        (Workloads.EVICT, 5.0, Care(Workloads.EVICT, 5.0)),
    ],
)
def test_the_spec_says_what_is_done(
    workloads: Workloads | None, timeout: float | None, care: Care
) -> None:
    asked = spec(workloads=workloads, workloads_timeout=timeout)
    assert care_of(asked, TEMPLATE) == care


def test_a_family_whose_restart_shrinks_a_busy_node_waits_unless_told_otherwise() -> None:
    assert care_of(spec(), SRIOV) == Care(Workloads.WAIT, 3600.0)
    assert care_of(spec(workloads=Workloads.KEEP), SRIOV) == Care()


def test_such_a_family_is_restarted_for_a_test_only_where_it_is_idle() -> None:
    def tested(**canary: object) -> tuple[str, ...]:
        names = ("a1", "a2")
        state = snapshot(map(node, names), of=component(SRIOV), others=[holder("a1", 1)])
        asked = spec(canary=CanarySettings(nodes=names, **canary))  # type: ignore[arg-type]
        found = build(asked, state, with_images(SRIOV, {"plugin": "r.test/plugin:2"}))
        assert isinstance(found, Plan), found
        return found.restart_tests

    assert tested() == ("a2",)
    assert tested(restart_test=RestartTest.ALWAYS) == ("a1", "a2")

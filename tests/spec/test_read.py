"""A good spec gives settings, and its text gives the same settings again."""

from pathlib import Path

import pytest

from bridgehead.core.model.selectors import parse_selector
from bridgehead.core.plan.settings import (
    CanarySettings,
    CohortKey,
    ComponentKind,
    ComponentRef,
    Consent,
    ContainerImage,
    ImagesChange,
    LockSettings,
    NodeCount,
    NodePercentage,
    NodeSelection,
    OnFailure,
    PlacementSettings,
    ProbeSettings,
    Reaction,
    RestartTest,
    RolloutSpec,
    SoakSettings,
    VerifySettings,
    Wave,
    Workloads,
)
from bridgehead.spec import SpecRejected, read_spec_file
from bridgehead.spec.reference import MINIMAL as DOCUMENTED
from tests.spec.specs import MINIMAL, accepted

FULL = """\
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata:
  name: plugin-1-2
component:
  daemonSet: {namespace: gpu-system, name: plugin.v1}
change:
  images:
    second: DIGEST
    plugin: plugin:1.2.3
resources: [example.com/gpu, example.com/gpu.shared]
nodes:
  include: pool in (a,b)
  exclude: quarantined
cohort: [device, kernel]
canary:
  perCohort: 2
  nodes: [node-1, node-2.example]
  avoid: critical=true
  restartTest: ifIdle
waves:
  - {nodes: 3, parallel: 1}
  - {nodes: 50%, parallel: 2}
  - {nodes: 100%, parallel: 4}
unproven: 4
workloads: keep
verify:
  settle: 3s
  statusPeriod: 1s
  statusPeriodUnchecked: true
  timeout: 1h30m
  soak: {canary: 90s, wave: 0s}
  probe:
    image: registry.example/probe:7
    command: [/check, --all]
    expect: "ok"
onFailure: {canary: hold, wave: rollback}
placement: {gain: allow, lose: refuse}
lock: {duration: 5s}
owner: team accelerators
""".replace("DIGEST", f"registry.example/second@sha256:{64 * '0'}")


def test_what_is_left_out_has_the_default_of_the_settings() -> None:
    spec = accepted(MINIMAL).spec
    assert spec == RolloutSpec(
        name="plugin-1-2",
        component=ComponentRef(ComponentKind.DAEMON_SET, "gpu-system", "plugin"),
        change=ImagesChange((ContainerImage("plugin", "registry.example:5000/plugin:1.2.3"),)),
    )


def test_every_key_arrives_in_the_settings() -> None:
    second = "registry.example/second@sha256:" + 64 * "0"
    assert accepted(FULL).spec == RolloutSpec(
        name="plugin-1-2",
        component=ComponentRef(ComponentKind.DAEMON_SET, "gpu-system", "plugin.v1"),
        change=ImagesChange(
            (ContainerImage("plugin", "plugin:1.2.3"), ContainerImage("second", second))
        ),
        resources=("example.com/gpu", "example.com/gpu.shared"),
        nodes=NodeSelection(parse_selector("pool in (a,b)"), parse_selector("quarantined")),
        cohort=(CohortKey.DEVICE, CohortKey.KERNEL),
        canary=CanarySettings(
            per_cohort=2,
            nodes=("node-1", "node-2.example"),
            avoid=parse_selector("critical=true"),
            restart_test=RestartTest.IF_IDLE,
        ),
        waves=(
            Wave(NodeCount(3), 1),
            Wave(NodePercentage(50), 2),
            Wave(NodePercentage(100), 4),
        ),
        unproven=4,
        verify=VerifySettings(
            settle=3,
            status_period=1,
            status_period_unchecked=True,
            timeout=5400,
            soak=SoakSettings(canary=90, wave=0),
            probe=ProbeSettings(
                image="registry.example/probe:7", command=("/check", "--all"), expect="ok"
            ),
        ),
        workloads=Workloads.KEEP,
        on_failure=OnFailure(canary=Reaction.HOLD, wave=Reaction.ROLLBACK),
        placement=PlacementSettings(gain=Consent.ALLOW),
        lock=LockSettings(duration=5),
        owner="team accelerators",
    )


@pytest.mark.parametrize("text", [MINIMAL, FULL, DOCUMENTED])
def test_the_text_read_again_gives_the_same_settings(text: str) -> None:
    first = accepted(text)
    assert accepted(first.text) == first


def test_a_good_spec_has_no_warnings() -> None:
    assert accepted(FULL).warnings == ()


def test_json_is_a_spec_too() -> None:
    text = (
        '{"apiVersion": "bridgehead.dev/v1alpha1", "kind": "Rollout", "metadata": {"name":'
        ' "plugin-1-2"}, "component": {"daemonSet": {"namespace": "gpu-system", "name": "plugin"}},'
        ' "change": {"images": {"plugin": "registry.example:5000/plugin:1.2.3"}}}'
    )
    assert accepted(text).spec == accepted(MINIMAL).spec


def test_anchors_stand_for_their_values() -> None:
    text = MINIMAL + "onFailure: {canary: &what hold, wave: *what}\n"
    assert accepted(text).spec.on_failure == OnFailure(canary=Reaction.HOLD, wave=Reaction.HOLD)


def test_a_file_is_read_as_its_text(tmp_path: Path) -> None:
    path = tmp_path / "bridgehead.yaml"
    path.write_text(MINIMAL, encoding="utf-8")
    assert read_spec_file(path) == accepted(MINIMAL)


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "the file cannot be read: No such file"), (b"a: \xff", "the file is not UTF-8")],
)
def test_a_file_that_cannot_be_read_is_a_problem(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "bridgehead.yaml"
    if content is not None:
        path.write_bytes(content)
    result = read_spec_file(path)
    assert isinstance(result, SpecRejected)
    assert result.problems[0].file == str(path)
    assert result.problems[0].message.startswith(message)

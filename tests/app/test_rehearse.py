"""A rehearsal: the real engine against a twin; what it says of faults is what the twin shows."""

from collections.abc import Sequence

import msgspec
import pytest

from bridgehead.app.planning import Planned
from bridgehead.app.recorded import snapshot_of
from bridgehead.app.rehearse import rehearse
from bridgehead.app.rehearse_faults import all_faults
from bridgehead.app.rehearse_state import State
from bridgehead.app.rollout import Options
from bridgehead.core.journal.entry import Entry
from bridgehead.core.plan.plan import Plan, Refused
from bridgehead.core.rehearsal.outcome import Outcome, Rehearsal
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World
from bridgehead.spec import SpecAccepted, read_spec
from bridgehead.twin.faults.text import FaultError, parse_fault
from bridgehead.twin.seeding.generic import RESOURCE, generic_seed

AT = 1_767_225_600.0
SPEC = """
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata: {name: up}
component: {daemonSet: {namespace: accelerators, name: device-plugin}}
change: {images: {plugin: "registry.example/device-plugin:1.1.0"}}
"""


class Followed:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.faults: list[str] = []
        self.outcomes: list[Outcome] = []

    def begins(self, fault: str) -> None:
        self.faults.append(fault)

    def ends(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def tell(self, entry: Entry) -> None:
        self.entries.append(entry)

    def say(self, words: str) -> None:
        """Nobody listens."""

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """Nobody looks."""


def _state(nodes: int, *, busy: bool = False) -> State:
    """A made-up record; busy: every device of every node is held."""
    objects = [dict(item) for item in generic_seed(nodes, at=AT).objects]
    if busy:
        objects = [item for item in objects if item["metadata"].get("namespace") != "jobs"]
        for node in [item for item in objects if item["kind"] == "Node"]:
            asked = {RESOURCE: node["status"]["capacity"][RESOURCE]}
            objects.append(
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {"namespace": "jobs", "name": f"all-of-{node['metadata']['name']}"},
                    "spec": {
                        "nodeName": node["metadata"]["name"],
                        "containers": [
                            {
                                "name": "main",
                                "image": "registry.example/train:3",
                                "resources": {"requests": asked, "limits": asked},
                            }
                        ],
                    },
                    "status": {"phase": "Running"},
                }
            )
    return State(snapshot=snapshot_of(objects, at=AT, server="v1.37.2"), objects=tuple(objects))


def _rehearsed(
    state: State, faults: Sequence[str] = ("",), *, spec: str = SPEC, chance: int = 0
) -> tuple[Rehearsal | Planned, Followed]:
    read = read_spec(spec, "bridgehead.yaml")
    assert isinstance(read, SpecAccepted)
    followed = Followed()
    chosen = [parse_fault(text) if text else None for text in faults]
    result = rehearse(
        state,
        read.spec,
        read.text,
        Options(),
        choose=lambda _plan: chosen,
        chance=chance,
        audience=followed,
    )
    return result, followed


def _outcome(state: State, fault: str = "", *, spec: str = SPEC) -> Outcome:
    result, _ = _rehearsed(state, (fault,), spec=spec)
    assert isinstance(result, Rehearsal)
    (outcome,) = result.outcomes
    return outcome


def test_a_good_change_goes_through_all_nodes_and_nothing_is_missing() -> None:
    result, followed = _rehearsed(_state(10))
    assert isinstance(result, Rehearsal)
    (outcome,) = result.outcomes
    assert (outcome.verdict, outcome.exit, len(outcome.touched)) == ("passed", 0, 10)
    assert result.good
    assert followed.entries[-1].step == "run"
    assert followed.entries[-1].result == "ended"
    assert outcome.duration > 22 * 60, "two canary stages and a wave soak for 22 minutes"
    assert any("images are pulled" in line for line in result.assumptions)
    assert any("later than 1h after the end" in line for line in result.assumptions)


def test_what_the_twin_cannot_take_over_is_told_among_the_assumptions() -> None:
    state = _state(1)
    stranger = {"apiVersion": "example.com/v1", "kind": "Sprocket", "metadata": {"name": "one"}}
    state = msgspec.structs.replace(state, objects=(*state.objects, stranger))
    result, _ = _rehearsed(state, ())
    assert isinstance(result, Rehearsal)
    assert "Sprocket/one: its kind is not served, so it was left out" in result.assumptions


def test_a_version_that_offers_nothing_is_caught_on_the_first_canary_and_taken_back() -> None:
    outcome = _outcome(_state(5), "devices=0")
    assert outcome.failure is not None
    assert (outcome.verdict, outcome.exit) == ("caught", 3)
    assert (outcome.stage, outcome.failure.gate.value) == ("canary", "allocatable")
    assert outcome.touched == (outcome.failure.node,)
    assert 8 * 3 < outcome.device_minutes < 8 * 6, "eight devices for about four minutes"
    assert outcome.missing == ()


def test_a_cohort_that_cannot_take_it_is_caught_by_its_own_canary() -> None:
    outcome = _outcome(_state(10), "cohort=Accelerator-C24,initFailure=block")
    assert (outcome.verdict, outcome.stage) == ("caught", "other canaries")
    assert len(outcome.touched) == 3


def test_one_late_node_is_caught_in_its_wave() -> None:
    outcome = _outcome(_state(5), "node=node-0004,devices=0")
    assert outcome.failure is not None
    assert (outcome.verdict, outcome.exit, outcome.failure.node) == ("caught", 4, "node-0004")
    assert outcome.missing == ()


def test_an_image_that_cannot_be_pulled_is_caught_before_anything_is_changed() -> None:
    outcome = _outcome(_state(3), "pull")
    assert (outcome.verdict, outcome.stage, outcome.touched) == ("caught", "preflight", ())
    assert outcome.device_minutes == 0


def test_a_node_that_had_drifted_is_found_by_the_restart_test() -> None:
    outcome = _outcome(_state(3), "node=node-0001,node.drift")
    assert (outcome.verdict, outcome.exit) == ("caught", 4)
    assert outcome.struck == ("node-0001",)
    assert "had drifted" in outcome.summary


def test_what_no_gate_can_see_escapes() -> None:
    """No device is free, so no probe can try one: the fault shows when the next job comes."""
    outcome = _outcome(_state(2, busy=True), "allocateError=no device nodes")
    assert (outcome.verdict, outcome.exit) == ("escaped", 0)
    assert not outcome.good
    assert all("the next pod is not let in" in item.what for item in outcome.missing)
    assert {item.node for item in outcome.missing} == set(outcome.touched)


@pytest.mark.parametrize("after", ["20m", "1h"])
def test_a_version_that_crashes_only_after_the_soak_escapes(after: str) -> None:
    outcome = _outcome(_state(2), f"crashAfter={after}")
    assert (outcome.verdict, outcome.exit) == ("escaped", 0)
    assert all("restarts by itself" in item.what for item in outcome.missing)


def test_devices_that_go_away_for_a_while_after_the_end_escape() -> None:
    fault = "unhealthyAfter=40m,unhealthyDevices=3,unhealthyFor=1m,unhealthyRepeats"
    outcome = _outcome(_state(2), fault)
    assert (outcome.verdict, outcome.exit) == ("escaped", 0)
    assert {item.what for item in outcome.missing} == {
        "3 of 8 devices went away for a while, after the end"
    }
    assert outcome.device_minutes < 2, "what is lost later is not of the change itself"


def test_the_same_fault_is_caught_where_a_device_is_free() -> None:
    outcome = _outcome(_state(2), "allocateError=no device nodes")
    assert outcome.failure is not None
    assert (outcome.verdict, outcome.failure.gate.value) == ("caught", "probe")


@pytest.mark.parametrize(
    "fault", ["api.error=503@10%", "watch.gone=30s", "api.conflict=50%", "api.away=1m"]
)
def test_trouble_with_the_api_does_no_harm(fault: str) -> None:
    outcome = _outcome(_state(3), fault)
    assert (outcome.verdict, outcome.exit) == ("passed", 0), outcome.summary


def test_an_api_that_stays_away_stops_the_run() -> None:
    outcome = _outcome(_state(3), "api.away=1h")
    assert (outcome.verdict, outcome.exit) == ("stopped", 6)
    assert outcome.good


def test_nobody_is_asked_for_consent_and_closed_windows_do_not_matter() -> None:
    windows = "windows: [{days: [sun], from: '02:00', to: '06:00', timezone: UTC}]"
    result, _ = _rehearsed(_state(2), spec=f"{SPEC}approve: [afterCanary]\n{windows}\n")
    assert isinstance(result, Rehearsal)
    assert result.outcomes[0].verdict == "passed"
    assert {"consent is given at once", "windows are open all the time"} <= set(result.assumptions)


def test_a_change_that_the_plan_refuses_is_not_played() -> None:
    other = SPEC.replace("name: device-plugin", "name: nothing-of-the-kind")
    result, followed = _rehearsed(_state(2), spec=other)
    assert isinstance(result, Planned)
    assert isinstance(result.result, Refused)
    assert followed.faults == []


def test_a_fault_that_no_node_can_have_is_refused_before_anything_is_played() -> None:
    with pytest.raises(FaultError, match="no node of this cluster"):
        _rehearsed(_state(2), ("devices=0", "node=gpu-1,devices=0"))


def test_a_fault_learns_nothing_of_the_one_before_it() -> None:
    both, _ = _rehearsed(_state(3), ("devices=0", "registers=never"))
    alone, _ = _rehearsed(_state(3), ("registers=never",))
    assert isinstance(both, Rehearsal)
    assert isinstance(alone, Rehearsal)
    assert both.outcomes[1] == alone.outcomes[0]


def test_the_same_seed_gives_the_same_run_and_another_one_another() -> None:
    short = f"{SPEC}verify: {{soak: {{canary: 30s, wave: 10s}}}}\n"

    def played(chance: int) -> tuple[bytes, list[Entry]]:
        result, followed = _rehearsed(_state(4), ("",), spec=short, chance=chance)
        assert isinstance(result, Rehearsal)
        return msgspec.json.encode(result.outcomes), followed.entries

    first = played(7)
    assert first == played(7)
    assert first != played(8)


def test_all_faults_are_put_where_the_plan_can_be_hurt() -> None:
    state = _state(10)
    result, _ = _rehearsed(state, ())
    assert isinstance(result, Rehearsal)
    plan: Plan = result.plan
    texts = [fault.text for fault in all_faults(plan, state.snapshot)]
    assert "cohort=Accelerator-C24 / 6.1.119,devices=0" in texts
    assert "kernel.mismatch=6.1.119" in texts
    assert f"node={plan.stages[-1].nodes[-1]},devices=0" in texts
    assert f"node={plan.nodes[0]},node.drift" in texts

"""Recovery of a twin: what is not read is told, and what is recorded holds no secret."""

import msgspec
import pytest

from bridgehead.app.diagnose import diagnosed
from bridgehead.app.recover import Explained, Explanation, Request, explain, recover
from bridgehead.app.recover_acts import Acted, Acting, ActStopped
from bridgehead.app.recover_look import Asked
from bridgehead.app.rehearse_stage import Stage
from bridgehead.app.session import Session
from bridgehead.cluster.errors import ClaimedError
from bridgehead.cluster.recoveries import Recoveries
from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.diagnose.question import EVERYTHING
from bridgehead.core.findings.finding import RuleFailure
from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.component import RUN
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.core.recover.choice import assess
from bridgehead.core.recover.rung import Rung
from bridgehead.kube.resources import DAEMON_SETS, NODES, PODS
from bridgehead.twin.seeding.generic import NAMESPACE, PLUGIN
from tests.app.small_twin import on_a_twin
from tests.app.test_diagnose import look
from tests.cluster.ward import sound_until_told

REF = ComponentRef(ComponentKind.DAEMON_SET, NAMESPACE, PLUGIN)
FORBIDDEN = Unread("events", "forbidden", "list events")


async def with_gaps(_: Session) -> Diagnosis:
    """A diagnosis that found nothing, and had not read all."""
    failure = RuleFailure(rule="two-claimants", error="KeyError")
    return Diagnosis(
        at="", about="", healthy=None, causes=(), unread=(FORBIDDEN,), failures=(failure,)
    )


def test_what_the_diagnosis_could_not_read_or_judge_is_told_where_no_node_is_named() -> None:
    async def work(stage: Stage) -> tuple[Unread, ...]:
        found = await explain(stage.session, Request(asked=Asked(component=REF)), with_gaps)
        assert found.nodes == ()
        return found.unread

    told = on_a_twin(work)
    assert FORBIDDEN in told
    assert any("two-claimants" in item.what for item in told)


async def no_command(argv: tuple[str, ...]) -> tuple[int, str]:
    """Nothing is run."""
    raise AssertionError(argv)


def test_with_consent_and_nothing_wrong_nothing_is_done_and_that_is_no_mistake() -> None:
    async def work(stage: Stage) -> object:
        return await recover(
            stage.session, Request(asked=Asked(component=REF)), with_gaps, no_command
        )

    found = on_a_twin(work)
    assert isinstance(found, Explanation)
    assert found.nodes == ()
    assert FORBIDDEN in found.unread


def test_a_persons_own_command_and_what_it_said_are_recorded_without_secrets() -> None:
    async def command(argv: tuple[str, ...]) -> tuple[int, str]:
        assert argv[-1] == "hunter2"
        return 0, "logged in with password=hunter2"

    async def work(stage: Stage) -> tuple[Acted, tuple[Entry, ...]]:
        async def sound(_: Session) -> Diagnosis:
            return diagnosed(observed, EVERYTHING)

        observed = await look(stage)
        request = Request(
            asked=Asked(component=REF, by_person=True),
            node=observed.snapshot.nodes[0].name,
            rung=Rung.REBOOT,
            command=("power", "--token", "hunter2"),
        )
        acted = await recover(stage.session, request, sound, command)
        assert isinstance(acted, Acted)
        entries = await Recoveries(stage.session.kube, stage.session.state_namespace, REF).entries()
        return acted, entries

    acted, entries = on_a_twin(work)
    assert len(entries) == 2
    assert "power --token (redacted)" in str(entries[0].detail)
    assert not [item for item in (acted.said, *map(str, entries)) if "hunter2" in item]


def test_a_recovery_that_is_stopped_in_the_middle_says_and_records_what_was_done() -> None:
    async def work(stage: Stage) -> tuple[ActStopped, tuple[Entry, ...]]:
        session = stage.session
        observed = await look(stage)
        request = Request(asked=Asked(component=REF), node=observed.snapshot.nodes[0].name)
        (found,) = (await explain(session, request, with_gaps)).nodes
        hand = Acting(session, found.situation, lambda: None, owner="", identity="somebody")
        session.stop.set()
        with pytest.raises(ActStopped) as stopping:
            await hand.act(assess(found.situation, Rung.RESTART))
        return stopping.value, await Recoveries(
            session.kube, session.state_namespace, REF
        ).entries()

    stopping, entries = on_a_twin(work)
    assert "done: delete pod" in stopping.acted.said
    assert stopping.acted.verified is None
    assert [item.result for item in entries] == ["", "done", "interrupted"]
    assert stopping.head == entries[-1].digest


def test_pruning_is_not_verified_while_pods_are_still_refused() -> None:
    async def work(stage: Stage) -> Acted:
        session = stage.session
        observed = await look(stage)
        name = observed.snapshot.nodes[0].name
        request = Request(asked=Asked(component=REF), node=name)
        (found,) = (await explain(session, request, with_gaps)).nodes
        seen = found.situation
        pod = next(item for item in observed.snapshot.pods if item.node == name and item.requests)
        refusal = {"status": {"phase": "Failed", "reason": "UnexpectedAdmissionError"}}
        await session.kube.patch_merge(
            PODS, pod.name, refusal, namespace=pod.namespace, subresource="status"
        )
        hand = Acting(session, seen, lambda: None, owner="", identity="somebody")
        return await hand.act(assess(seen, Rung.PRUNE))

    acted = on_a_twin(work)
    assert acted.verified is False
    assert "refuses pods still, 1 meanwhile" in acted.said


def test_the_mark_of_a_run_without_a_record_keeps_the_component() -> None:
    async def work(stage: Stage) -> None:
        session = stage.session
        mark = {"metadata": {"annotations": {RUN: "bridgehead/gpu-1/1"}}}
        await session.kube.patch_merge(DAEMON_SETS, PLUGIN, mark, namespace=NAMESPACE)
        node = (await look(stage)).snapshot.nodes[0].name
        asked = Request(asked=Asked(component=REF, by_person=True), node=node, rung=Rung.RESTART)
        (found,) = (await explain(session, asked, with_gaps)).nodes
        obstacles = {item.what for item in found.choice.assessments[0].obstacles}
        assert "no run keeps the component" in obstacles
        with pytest.raises(ClaimedError, match="gpu-1"):
            await recover(session, asked, with_gaps, no_command)

    on_a_twin(work)


@pytest.mark.parametrize(("rung", "removed"), [(None, False), (Rung.DEAD_NAME, True)])
def test_a_dead_name_is_removed_only_where_a_person_names_that_rung(
    rung: Rung | None, *, removed: bool
) -> None:
    old = "example.com/old"

    async def work(stage: Stage) -> object:
        session = stage.session
        dead = {"status": {"capacity": {old: "0"}, "allocatable": {old: "0"}}}
        node = (await look(stage)).snapshot.nodes[0].name
        await session.kube.patch_merge(NODES, node, dead, subresource="status")
        before = (await look(stage)).snapshot
        asked = Asked(
            component=REF,
            resource=old,
            by_person=rung is not None,
            baseline=msgspec.structs.replace(before, at=before.at - 700),
        )
        diagnose = sound_until_told("dead-resource-name", node)
        request = Request(asked=asked, node=node, rung=rung)
        (found,) = (await explain(session, request, diagnose)).nodes
        assert found.choice.chosen is not None
        return await recover(session, request, diagnose, no_command)

    done = on_a_twin(work)
    if removed:
        assert isinstance(done, Acted)
        assert done.verified
    else:
        assert isinstance(done, Explained)
        assert done.choice.chosen is None
        assert "--rung R5" in done.choice.why

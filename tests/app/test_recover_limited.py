"""Recovery by somebody who may not do or read everything."""

import pytest

from bridgehead.app.recover import Explained, Explanation, Request, explain, recover
from bridgehead.app.recover_look import Asked
from bridgehead.app.rehearse_stage import Stage
from bridgehead.app.rollout import NotAllowed
from bridgehead.core.recover.precondition import Verdict
from bridgehead.core.recover.rung import Rung
from bridgehead.kube.resources import NODES
from bridgehead.twin.objects import Object
from bridgehead.twin.seeding.generic import RESOURCE
from tests.app.limited import READS, USER, limited
from tests.app.small_twin import on_a_twin
from tests.app.test_recover import REF, no_command
from tests.cluster.ward import sound_until_told

TRIES: Object = {"apiGroups": [""], "resources": ["pods"], "verbs": ["create"]}
RECORDS: Object = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}


async def ill(stage: Stage) -> str:
    """A node whose devices have gone."""
    name = (await stage.session.kube.list(NODES)).items[0].metadata.name
    gone = {"status": {"capacity": {RESOURCE: "0"}, "allocatable": {RESOURCE: "0"}}}
    await stage.session.kube.patch_merge(NODES, name, gone, subresource="status")
    return name


def asked(node: str, rung: Rung | None = None) -> Request:
    return Request(asked=Asked(component=REF, by_person=rung is not None), node=node, rung=rung)


def test_without_records_what_needs_none_is_explained_and_the_rest_is_not_known() -> None:
    async def work(stage: Stage) -> Explanation:
        node = await ill(stage)
        async with limited(stage, [READS, TRIES]) as session:
            return await explain(session, asked(node), sound_until_told("stream-ended", node))

    found = on_a_twin(work)
    (one,) = found.nodes
    (restart,) = one.choice.assessments
    verdicts = {item.what: item.verdict for item in restart.preconditions}
    assert verdicts["the node is Ready"] is Verdict.MET
    assert verdicts["no run keeps the component"] is Verdict.NOT_KNOWN
    assert verdicts["at most one restart a node and hour"] is Verdict.NOT_KNOWN
    assert one.choice.chosen is None
    assert any("runs and recoveries" in item.what for item in found.unread)
    assert found.grant == "list configmaps in namespace bridgehead"


@pytest.mark.parametrize("rung", [None, Rung.RESTART, Rung.CORDON])
def test_with_consent_and_without_records_nothing_is_done_and_all_that_lacks_is_named(
    rung: Rung | None,
) -> None:
    async def work(stage: Stage) -> tuple[object, int]:
        node = await ill(stage)
        rule = "driver-library-mismatch" if rung is Rung.CORDON else "stream-ended"
        async with limited(stage, [READS, TRIES]) as session:
            before = stage.twin.store.version
            diagnose = sound_until_told(rule, node)
            found = await recover(session, asked(node, rung), diagnose, no_command)
        return found, stage.twin.store.version - before

    found, writes = on_a_twin(work)
    assert writes == 0
    assert isinstance(found, NotAllowed)
    assert found.user == USER
    assert "the limits of recovery cannot be judged" in found.why
    assert "configmaps" in found.why
    missing = [str(item) for item in found.missing]
    assert any(item.startswith("get, list, create, patch configmaps") for item in missing)
    what = "patch nodes" if rung is Rung.CORDON else "delete pods"
    assert any(item.startswith(what) for item in missing)


def test_a_dry_run_that_is_forbidden_is_named_with_all_else_that_lacks() -> None:
    async def work(stage: Stage) -> tuple[object, int]:
        node = await ill(stage)
        async with limited(stage, [READS, RECORDS]) as session:
            before = stage.twin.store.version
            diagnose = sound_until_told("stream-ended", node)
            found = await recover(session, asked(node), diagnose, no_command)
        return found, stage.twin.store.version - before

    found, writes = on_a_twin(work)
    assert writes == 0
    assert isinstance(found, NotAllowed), found
    missing = [str(item).partition(" in namespace")[0] for item in found.missing]
    assert {"create pods", "delete pods", "create, patch configmaps"} <= set(missing)


def test_a_dry_run_that_is_forbidden_is_explained_without_consent() -> None:
    async def work(stage: Stage) -> Explained:
        node = await ill(stage)
        async with limited(stage, [READS, RECORDS]) as session:
            found = await explain(session, asked(node), sound_until_told("stream-ended", node))
        (one,) = found.nodes
        return one

    (restart,) = on_a_twin(work).choice.assessments
    (obstacle,) = restart.obstacles
    assert "could not be asked" in obstacle.evidence
    assert obstacle.verdict is Verdict.NOT_KNOWN


def test_an_effect_that_the_server_would_refuse_names_the_right() -> None:
    async def work(stage: Stage) -> Explained:
        node = await ill(stage)
        async with limited(stage, [READS, RECORDS, TRIES]) as session:
            named = asked(node, Rung.RESTART)
            found = await explain(session, named, sound_until_told("stream-ended", node))
        (one,) = found.nodes
        return one

    one = on_a_twin(work)
    assert one.choice.chosen is not None, one.choice.assessments[0].obstacles
    assert "refuses a dry run" in one.tried
    assert one.grant.startswith("delete pods in namespace")

"""Which record ends a run for good: `status` looks for it without reading the whole journal."""

import pytest

from bridgehead.core.journal.chain import Head, Signature, append
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.facts import closes
from bridgehead.core.rollout.state import Mode
from bridgehead.core.rollout.transition import fold
from tests.core.rollout.scenes import Scene


def test_a_finished_run_has_one_closing_record_and_its_state_is_ended() -> None:
    scene = Scene(nodes=("a1",))
    scene.run()
    assert [entry for entry in scene.journal if closes(entry)] == [scene.journal[-1]]
    assert fold(scene.journal).mode is Mode.ENDED


@pytest.mark.parametrize(
    ("step", "result", "closed"), [("run", "ended", "false"), ("run", "began", "true")]
)
def test_another_record_closes_nothing(step: str, result: str, closed: str) -> None:
    detail: JsonObject = {"ending": {"exit": 4, "summary": "held"}, "closed": closed}
    draft = note(step, result, detail=detail)
    assert not closes(append(Head(0, "sha256:x"), draft, Signature("run", "", "me"), 0.0))

"""The table of writes and the API server's audit log agree, in both directions.

That nothing is written that is not listed is judged at every scenario (`judging.py`).
"""

import pytest

from tests.scenarios.conftest import SetStage
from tests.scenarios.judging import judge
from tests.scenarios.playing import play
from tests.scenarios.reading import FOLDER, read_scenario
from tests.scenarios.written import listed, unlisted, written

EVERYTHING = FOLDER / "plugin" / "bad-on-one-cohort.yaml"
"""It goes forward and back, so it writes all that can be written."""


@pytest.mark.cluster
async def test_everything_that_is_listed_for_a_run_is_written(set_stage: SetStage) -> None:
    stage = await set_stage(read_scenario(EVERYTHING), administrator=True)

    plays = await play(stage)

    assert not (complaint := judge(plays)), complaint
    assert not list(unlisted(stage))
    seen: dict[tuple[str, str, str, bool], frozenset[str]] = {}
    for write in written(stage):
        seen[write.key] = seen.get(write.key, frozenset()) | write.fields
    assert seen == listed("run")

"""A dead name belongs to whoever has given it up."""

import pytest

from bridgehead.core.diagnose.judge import diagnose
from bridgehead.core.diagnose.question import Question
from bridgehead.rules.diagnosis.loss.dead_resource_name import RULE
from tests.rules.cases import cases_of, observed


@pytest.mark.parametrize(
    ("component", "told"),
    [("daemonset/gpu/plugin", ["dead-resource-name"]), ("daemonset/gpu/other", [])],
)
def test_a_name_that_nobody_asks_for_is_told_of_the_plugin_that_changed_it(
    component: str, told: list[str]
) -> None:
    (case,) = [item for item in cases_of(RULE).fires if item.name == "nobody asks for it"]
    found = diagnose(observed(case), (RULE,), Question(component=component))
    assert [item.rule for item in found.causes] == told

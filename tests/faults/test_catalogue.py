"""The catalogue asks of every fault what no answer gives by chance."""

from collections import Counter

import pytest

from bridgehead.rules.catalogue import DIAGNOSIS
from tests.faults.catalogue import FAULTS, Fault

each = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)


@each
def test_a_rule_that_there_is_has_to_name_it(fault: Fault) -> None:
    assert fault.first in {rule.name for rule in DIAGNOSIS}


@each
def test_a_quotation_is_asked_for(fault: Fault) -> None:
    """An empty one would be in every text, a short one in many."""
    assert len(fault.evidence) >= 4


def test_names_are_unique() -> None:
    assert [name for name, count in Counter(it.name for it in FAULTS).items() if count > 1] == []

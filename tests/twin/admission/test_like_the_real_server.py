"""What is written to the twin becomes what a real API server makes of it, or is refused as there.

The real server's replies are recorded, so that the comparison needs no cluster; ``record.py``
writes them down, and with a cluster they are compared with it.
"""

from pathlib import Path

import pytest

from testbed.cluster import Cluster
from tests.twin.admission.both import Real
from tests.twin.admission.cases import Case, ask_real, ask_twin, cases
from tests.twin.admission.record import recorded_replies
from tests.twin.virtually import virtually

ALL = [pytest.param(case, id=case.name) for case in cases()]

NAMESPACE = "space-of-the-twin"


@pytest.mark.parametrize("case", ALL)
@virtually
async def test_the_twin_says_what_the_real_server_says(case: Case) -> None:
    reply = await ask_twin(case, NAMESPACE)
    assert reply == recorded_replies()[case.name]


@pytest.mark.cluster
def test_the_real_server_still_says_what_is_recorded(cluster: Cluster, namespace: str) -> None:
    real, recorded = Real(Path(cluster.kubeconfig)), recorded_replies()
    other = [
        case.name for case in cases() if ask_real(real, case, namespace) != recorded[case.name]
    ]
    assert other == []


def test_every_case_is_recorded_and_nothing_else() -> None:
    assert [case.name for case in cases()] == list(recorded_replies())

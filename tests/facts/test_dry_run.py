"""What a server-side dry run of a pod proves."""

import pytest

from testbed.api import ApiError
from tests.facts.lab import Lab

pytestmark = pytest.mark.cluster


def test_a_dry_run_is_refused_by_a_quota_that_is_used_up(lab: Lab) -> None:
    space = f"/api/v1/namespaces/{lab.namespace}"
    quota = {"metadata": {"name": "none"}, "spec": {"hard": {"pods": "0"}}}
    lab.cluster.api.create(f"{space}/resourcequotas", quota)
    # Admission knows a quota only when the quota controller has counted once.
    lab.until(lambda: "hard" in lab.cluster.api.get(f"{space}/resourcequotas/none")["status"])

    with pytest.raises(ApiError, match="exceeded quota: none, requested: pods=1") as refused:
        lab.cluster.api.create(
            f"{space}/pods?dryRun=All",
            {"metadata": {"name": "x"}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
        )

    assert refused.value.status == 403

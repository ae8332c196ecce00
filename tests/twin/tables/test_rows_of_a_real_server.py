"""Our cells beside those of a real API server, for everything that it has."""

import re
import time
from typing import Any

import pytest

from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.tables import table
from testbed.api import ApiError
from testbed.cluster import Cluster

pytestmark = pytest.mark.cluster

_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
_ROOT_KINDS = [kind for kind in builtin_kinds() if "list" in kind.verbs]


@pytest.mark.parametrize("kind", _ROOT_KINDS, ids=lambda kind: f"{kind.api_version}/{kind.plural}")
def test_rows_are_those_of_the_real_server(kind: Any, cluster: Cluster) -> None:
    root = "/apis" if kind.group else "/api"
    path = f"{root}/{kind.api_version}/{kind.plural}"
    try:
        listed = cluster.api.get(path)
    except ApiError:
        pytest.fail(f"{path} cannot be listed")
    version = listed["metadata"].get("resourceVersion", "")
    exact = f"?resourceVersionMatch=Exact&resourceVersion={version}" if version else ""
    real = cluster.api.request("GET", f"{path}{exact}", accept=_TABLE)

    ours = table(kind, listed["items"], time.time(), metadata=listed["metadata"])

    assert ours["columnDefinitions"] == real["columnDefinitions"]
    assert _without_ages(ours["rows"]) == _without_ages(real["rows"])


def _without_ages(rows: list[dict[str, Any]] | None) -> list[list[Any]] | None:
    """The cells of each row; of ages, which have gone on, only that they are there.

    Sorted, since the server asks its components in the order of a hash.
    """
    if rows is None:
        return None
    return sorted(["AGE" if _is_age(cell) else cell for cell in row["cells"]] for row in rows)


_AGE = re.compile(r"(\d+[smhdy]){1,2}")


def _is_age(cell: object) -> bool:
    return isinstance(cell, str) and _AGE.fullmatch(cell) is not None

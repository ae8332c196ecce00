"""When tests of the mark `cluster` run, and that a whole test run leaves nothing."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from testbed.state import State, state_of
from tests.testbed.conftest import until
from tests.testbed.leavings import leavings

ROOT = Path(__file__).parents[2]

NEEDS_CLUSTER = """
import pytest

@pytest.mark.cluster
def test_one():
    {body}
"""

FAILS_ONCE = """
import pathlib
import pytest

@pytest.mark.cluster
def test_one():
    seen = pathlib.Path({seen!r})
    first = not seen.exists()
    seen.touch()
    assert not first
"""

SHARED = """
import pytest

pytestmark = pytest.mark.cluster

@pytest.mark.parametrize("number", range(4))
async def test_exclusive(number, cluster, lease_nodes, namespace):
    nodes = await lease_nodes(3, labels={{"test": str(number)}})
    found = cluster.api.get(f"/api/v1/nodes?labelSelector=test%3D{{number}}")["items"]
    assert {{node["metadata"]["name"] for node in found}} == {{node.name for node in nodes}}
    pods = f"/api/v1/namespaces/{{namespace}}/pods"
    main = {{"name": "main", "image": "testbed.local/base:1"}}
    body = {{"metadata": {{"name": "p"}}, "spec": {{"containers": [main]}}}}
    assert cluster.api.create(pods, body)["metadata"]["namespace"] == namespace
    {body}
"""


@contextmanager
def pytest_run(
    folder: Path, text: str, *options: str, **environment: str
) -> Iterator[subprocess.Popen[str]]:
    file = folder / "test_inner.py"
    file.write_text(text)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    clean.pop("CI", None)
    command = [
        *(sys.executable, "-m", "pytest", "-p", "testbed.fixtures", "-p", "no:cacheprovider"),
        *("--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"), "-rs", *options, str(file)),
    ]
    with subprocess.Popen(
        command, cwd=ROOT, env=clean | environment, text=True, stdout=subprocess.PIPE
    ) as run:
        try:
            yield run
        finally:
            run.kill()


def test_without_the_parts_there_is_one_skip_that_says_how_to_get_them(tmp_path: Path) -> None:
    text = NEEDS_CLUSTER.format(body="assert False")
    with pytest_run(tmp_path, text, XDG_CACHE_HOME=str(tmp_path)) as run:
        output, _ = run.communicate()
    assert run.returncode == 0
    assert "1 skipped" in output
    assert "python -m testbed build" in output


@pytest.mark.parametrize(("options", "environment"), [(["--cluster"], {}), ([], {"CI": "true"})])
def test_where_the_cluster_is_wanted_a_skip_is_a_failure(
    tmp_path: Path, options: list[str], environment: dict[str, str]
) -> None:
    text = NEEDS_CLUSTER.format(body="pytest.skip('not today')")
    with pytest_run(tmp_path, text, *options, **environment) as run:
        output, _ = run.communicate()
    assert run.returncode == 1
    assert "which is a failure" in output
    assert "not today" in output


def test_in_ci_a_test_on_the_cluster_may_fail_once_and_the_summary_says_so(tmp_path: Path) -> None:
    text = FAILS_ONCE.format(seen=str(tmp_path / "seen"))
    with pytest_run(tmp_path, text, "-rR", "-n0", CI="true") as run:
        output, _ = run.communicate()
    assert run.returncode == 0
    assert "1 passed, 1 rerun" in output
    assert "RERUN" in output


def test_by_hand_a_test_on_the_cluster_that_fails_once_has_failed(tmp_path: Path) -> None:
    text = FAILS_ONCE.format(seen=str(tmp_path / "seen"))
    with pytest_run(tmp_path, text, "--cluster", "-n0") as run:
        output, _ = run.communicate()
    assert run.returncode == 1
    assert "1 failed" in output


@pytest.mark.cluster
def test_workers_share_one_cluster_that_ends_with_the_run(tmp_path: Path) -> None:
    with pytest_run(tmp_path, SHARED.format(body="pass"), "-n", "3", "-p", "xdist") as run:
        output, _ = run.communicate()
    assert "4 passed" in output
    assert leavings(shared(run)) == []


@pytest.mark.cluster
def test_the_cluster_of_a_killed_run_ends(tmp_path: Path) -> None:
    text = SHARED.format(body="import time; time.sleep(600)")
    with pytest_run(tmp_path, text, "-n", "1") as run:
        until(lambda: any(shared(run).folder.glob("nodes/*/number")), timeout=120)
    until(lambda: leavings(shared(run)) == [])


def shared(run: subprocess.Popen[str]) -> State:
    """The state of the cluster that a pytest run shares."""
    return state_of(f"pytest-{run.pid}")

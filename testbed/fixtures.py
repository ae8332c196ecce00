"""The pytest plugin: the mark `cluster`, the shared cluster, leases of nodes, namespaces.

Tests with the mark run with CI=true, with `--cluster`, or where everything is already there; else
they are skipped with one line that says how to get it. Only the first two build what is missing.
One cluster serves a whole test run: the first pytest worker that needs it starts it, the
controlling process ends it, and the cluster's watchdog does so if that process is killed.
"""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import pytest

from testbed.cluster import Cluster
from testbed.errors import TestbedError
from testbed.leases import Labels, leased
from testbed.locks import locked_by_name
from testbed.node import Node
from testbed.parts import missing_long_parts, parts
from testbed.system import what_is_missing

REAL_NODES = 10
"""Nodes of the shared cluster: enough for three scenarios of three nodes at a time."""

_CONTROLLER = "BRIDGEHEAD_TESTBED_CONTROLLER"
_BUILD = "run: uv run python -m testbed build"

LeaseNodes = Callable[..., Awaitable[list[Node]]]
"""Type of the fixture `lease_nodes`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the test bed."""
    group = parser.getgroup("test bed")
    group.addoption(
        "--cluster", action="store_true", help="run the tests on the real cluster; build its parts"
    )
    group.addoption(
        "--cluster-name", metavar="NAME", help="use this running cluster instead of an own one"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tell the workers, who inherit the environment, with whose end the cluster ends."""
    if not _is_worker(config):
        os.environ[_CONTROLLER] = str(os.getpid())


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the cluster of this test run, if any test has started one."""
    if not _is_worker(config):
        cluster = Cluster(_run_name())
        if cluster.state.folder.exists():
            cluster.stop()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the tests that need a cluster where there can be none and nobody asked for one.

    With CI=true each of them may be run once more, and the summary names those that were: a machine
    that stands still for seconds is no fault of the change under test.
    """
    marked = [item for item in items if item.get_closest_marker("cluster")]
    if os.environ.get("CI") == "true":
        for item in marked:
            item.add_marker(pytest.mark.flaky(reruns=1))
    if not marked or _is_wanted(config):
        return
    reasons = what_is_missing()
    unbuilt = missing_long_parts()
    if unbuilt:
        reasons.append(f"parts of the real cluster are not built ({', '.join(unbuilt)}): {_BUILD}")
    if reasons:
        skip = pytest.mark.skip(reason="; ".join(reasons))
        for item in marked:
            item.add_marker(skip)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where the real cluster is wanted, a skipped test is a failed one."""
    report = yield
    skipped = report.skipped and not hasattr(report, "wasxfail")
    if skipped and item.get_closest_marker("cluster") and _is_wanted(item.config):
        report.outcome = "failed"
        report.longrepr = f"skipped, which is a failure with CI=true or --cluster: {call.excinfo}"
    return report


@pytest.fixture(scope="session")
def testbed_parts(request: pytest.FixtureRequest) -> None:
    """Everything that a cluster needs is there.

    What takes minutes to build is missing here only if this run was told to build it.
    """
    reasons = what_is_missing()
    if reasons and _is_wanted(request.config):
        pytest.fail("; ".join(reasons), pytrace=False)
    for part in parts().values():
        part.build()


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest, testbed_parts: None) -> Cluster:  # noqa: ARG001
    """The cluster that all tests of this run share; lease nodes before you change any."""
    named: str | None = request.config.getoption("--cluster-name")
    if named:
        return Cluster(named)
    shared = Cluster(_run_name())
    with locked_by_name(f"{shared.state.folder}.start"):
        if not shared.running:
            shared.start(REAL_NODES, owner=int(os.environ[_CONTROLLER]))
    return shared


@pytest.fixture
def leases() -> Iterator[ExitStack]:
    """What a test has leased goes back at its end, after its namespace is gone."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def lease_nodes(cluster: Cluster, leases: ExitStack) -> LeaseNodes:
    """`await lease_nodes(3, labels={...}, taints=[...])`: exclusive nodes until the test's end.

    `labels` may be a sequence with the labels of each node. One call a test.
    """

    async def lease(
        count: int,
        labels: Labels | Sequence[Labels] = (),
        taints: Sequence[Mapping[str, str]] = (),
    ) -> list[Node]:
        holding = leased(cluster, count, labels, taints)
        return await asyncio.to_thread(leases.enter_context, holding)

    return lease


@pytest.fixture
def namespace(cluster: Cluster, leases: ExitStack) -> Iterator[str]:  # noqa: ARG001 - order
    """The name of a fresh namespace in which pods can be created at once."""
    with fresh_namespace(cluster) as name:
        yield name


@contextmanager
def fresh_namespace(cluster: Cluster) -> Iterator[str]:
    """A namespace in which pods can be created at once; it and its pods are gone at the end."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    path = f"/api/v1/namespaces/{name}"
    cluster.api.create("/api/v1/namespaces", {"metadata": {"name": name}})
    # Pods are refused until the controller manager has made the namespace's default account.
    _until(lambda: bool(cluster.api.get(f"{path}/serviceaccounts")["items"]), f"{name} is usable")
    try:
        yield name
    finally:
        _remove(cluster, name)


def _remove(cluster: Cluster, name: str) -> None:
    path = f"/api/v1/namespaces/{name}"
    cluster.api.delete(path)
    cluster.api.delete(f"{path}/pods", grace=1)
    _until(lambda: not cluster.api.get(f"{path}/pods")["items"], f"the pods of {name} are gone")


def _until(condition: Callable[[], bool], what: str, timeout: float = 60) -> None:
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise TestbedError(f"not within {timeout:.0f} s: {what}")
        time.sleep(0.1)


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _is_wanted(config: pytest.Config) -> bool:
    return bool(config.getoption("--cluster")) or os.environ.get("CI") == "true"


def _run_name() -> str:
    return f"pytest-{os.environ[_CONTROLLER]}"

"""Processes are found again by record and start time, and end when told."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest

from testbed.errors import TestbedError
from testbed.process import Process, kill_all, marked_pids, run, start_time, wait_end
from testbed.state import MARK, MARK_NODE, State, state_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the test bed is for Linux")


@pytest.fixture
def state(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[State]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path_factory.mktemp("root")))
    made = state_of("processes")
    (made.folder / "logs").mkdir(parents=True)
    (made.folder / "processes").mkdir()
    yield made
    kill_all(marked_pids({MARK: str(made.folder)}))


def sleeper(state: State, node: str | None = None) -> Process:
    return Process(state, "sleeper", ("sleep", "600"), node)


def test_a_process_is_found_by_another_object_of_the_same_name(state: State) -> None:
    pid = sleeper(state).start()
    assert sleeper(state).pid == pid
    assert sleeper(state).start() == pid


def test_it_is_not_our_child_so_that_it_outlives_us(state: State) -> None:
    pid = sleeper(state).start()
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


@pytest.mark.parametrize("kill", [False, True])
def test_stop_returns_when_it_has_ended(state: State, kill: bool) -> None:
    pid = sleeper(state).start()
    sleeper(state).stop(kill=kill)
    assert start_time(pid) is None
    assert sleeper(state).pid is None


def test_a_process_that_ignores_sigterm_is_killed(state: State) -> None:
    deaf = Process(state, "deaf", ("sh", "-c", "trap '' TERM; while :; do sleep 1; done"))
    deaf.start()
    deaf.stop(timeout=0.5)
    assert deaf.pid is None


def test_a_frozen_process_can_be_stopped(state: State) -> None:
    sleeper(state).start()
    sleeper(state).freeze()
    sleeper(state).stop()
    assert sleeper(state).pid is None


def test_another_process_with_the_recorded_pid_is_not_taken_for_it(state: State) -> None:
    pid = sleeper(state).start()
    file = state.folder / "processes" / "sleeper.json"
    file.write_text(f'{{"pid": {os.getpid()}, "started": 1}}')
    assert sleeper(state).pid is None
    sleeper(state).stop(kill=True)
    kill_all([pid])


def test_marks_tell_the_processes_of_a_node(state: State) -> None:
    pid = sleeper(state, "node-1").start()
    marks = {MARK: str(state.folder)}
    assert marked_pids(marks) == [pid]
    assert marked_pids(marks | {MARK_NODE: "node-1"}) == [pid]
    assert marked_pids(marks | {MARK_NODE: "node-2"}) == []


def test_the_last_words_of_a_process_that_ends_at_once_are_kept(state: State) -> None:
    failing = Process(state, "failing", ("sh", "-c", "echo no such flag"))
    with suppress(TestbedError):  # it may already have ended when it is looked for
        failing.start()
    pid = failing.pid
    assert pid is None or wait_end(pid, 5)
    assert "no such flag" in failing.tail()


def test_waiting_for_a_process_that_stays_gives_up() -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        assert not wait_end(process.pid, 0.05)
        process.kill()


def test_a_failing_command_is_an_error_with_its_own_words() -> None:
    with pytest.raises(TestbedError, match="cannot access"):
        run(["ls", "/does/not/exist"])

"""Processes that outlive the Python process which started them, and are found again by record.

A test run restarts from one pytest worker what another one has started, so nothing here relies on
being the parent: a process is started detached, its pid and start time are written down, and its
end is awaited through a pidfd. The start time tells a process from a later one with the same pid.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from testbed.errors import TestbedError
from testbed.state import MARK, MARK_NODE, State

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# The child of a shell that ends at once belongs to init: nobody here has to reap it.
_DETACH = '"$@" </dev/null >>"$TESTBED_LOG" 2>&1 & echo $!'


class _Entry(msgspec.Struct, frozen=True):
    pid: int
    started: int


def start_time(pid: int) -> int | None:
    """When a process began, in clock ticks since boot; None when it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text[text.rindex(")") + 2 :].split()
    return None if fields[0] in "ZX" else int(fields[19])  # a zombie has ended


def wait_end(pid: int, timeout: float) -> bool:
    """Whether a process ends within `timeout` seconds; it need not be our child."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(timeout * 1000))
    finally:
        os.close(descriptor)


@dataclass(frozen=True)
class Process:
    """One named process of a cluster: how it is started, and whether it runs."""

    state: State
    name: str
    argv: tuple[str, ...]
    node: str | None = None

    @property
    def _file(self) -> Path:
        return self.state.folder / "processes" / f"{self.name}.json"

    @property
    def pid(self) -> int | None:
        """The pid while it runs, else None."""
        try:
            entry = msgspec.json.decode(self._file.read_bytes(), type=_Entry)
        except FileNotFoundError:
            return None
        return entry.pid if start_time(entry.pid) == entry.started else None

    def start(self) -> int:
        """Start it unless it runs, and return its pid."""
        running = self.pid
        if running is not None:
            return running
        environment = marked(self.state, self.node)
        environment["TESTBED_LOG"] = str(self.state.log(self.name))
        answer = subprocess.run(
            ["/bin/sh", "-c", _DETACH, "sh", *self.argv],
            env=environment,
            cwd=self.state.folder,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
            start_new_session=True,
        )
        pid = int(answer.stdout)
        started = start_time(pid)
        if started is None:
            raise TestbedError(f"{self.name} ended at once; {self.tail()}")
        temporary = self._file.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(msgspec.json.encode(_Entry(pid, started)))
        temporary.rename(self._file)
        return pid

    def stop(self, *, kill: bool = False, timeout: float = 30) -> None:
        """End it with SIGTERM (or SIGKILL) and wait for its end; a slow one is killed."""
        pid = self.pid
        if pid is None:
            return
        self._send(signal.SIGKILL if kill else signal.SIGTERM)
        self._send(signal.SIGCONT)  # a frozen process does not hear SIGTERM
        if not wait_end(pid, timeout):
            self._send(signal.SIGKILL)
            wait_end(pid, 10)

    def freeze(self) -> None:
        """Stop it from running without ending it."""
        self._send(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen process go on."""
        self._send(signal.SIGCONT)

    def tail(self, lines: int = 15) -> str:
        """The end of its log, for an error's text."""
        log = self.state.log(self.name)
        text = log.read_text(errors="replace").splitlines() if log.exists() else []
        return f"last lines of {log}:\n" + "\n".join(text[-lines:])

    def _send(self, number: signal.Signals) -> None:
        pid = self.pid
        if pid is not None:
            signal_if_there(pid, number)


def signal_if_there(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may just have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def marked(state: State, node: str | None = None) -> dict[str, str]:
    """The whole environment of a cluster's process: no proxy, no configuration of the caller."""
    marks = {"PATH": _PATH, "HOME": str(state.folder), MARK: str(state.folder)}
    return marks | ({MARK_NODE: node} if node else {})


def marked_pids(marks: Mapping[str, str]) -> list[int]:
    """All running processes whose environment holds every one of the marks."""
    wanted = {f"{key}={value}".encode() for key, value in marks.items()}
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            environment = set((entry / "environ").read_bytes().split(b"\0"))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        if wanted <= environment:
            found.append(int(entry.name))
    return found


def kill_all(pids: Iterable[int], timeout: float = 10) -> None:
    """Kill processes and wait until they have ended."""
    waiting = list(pids)
    for pid in waiting:
        signal_if_there(pid, signal.SIGKILL)
    end = time.monotonic() + timeout
    for pid in waiting:
        wait_end(pid, max(0.0, end - time.monotonic()))


def run(argv: Sequence[str], *, input: str | None = None) -> str:  # noqa: A002 - as subprocess says
    """Run a command to its end and return what it printed.

    Raises TestbedError with the command's own words when it fails.
    """
    done = subprocess.run(argv, input=input, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TestbedError(f"{' '.join(argv)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout

"""A process that ends a cluster when the cluster's owner has ended, however that came about.

It is not a child of the owner's process group and does not carry the cluster's mark: neither an
interrupt of the test run nor the removal of the cluster ends it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from testbed.process import start_time, wait_end
from testbed.state import State, state_of
from testbed.teardown import down

_ROUNDS = 10
"""How often the watchdog cleans up, a second apart."""


def start(state: State) -> None:
    """Start the watchdog of a cluster that has an owner."""
    command = '"$@" </dev/null >/dev/null 2>&1 &'
    subprocess.run(
        ["/bin/sh", "-c", command, "sh", sys.executable, "-m", "testbed", "watch", state.name],
        check=True,
        start_new_session=True,
        cwd=Path(__file__).parent.parent,
        env=os.environ | {"TMPDIR": str(state.folder.parent)},
    )


def watch(name: str) -> None:
    """Wait for the end of the owner or of the cluster, then remove what is left of it."""
    state = state_of(name)
    record = state.record()
    owner = record.owner_pid
    while owner and start_time(owner) == record.owner_started:
        if wait_end(owner, 5):
            break
        if not _has_owner(state, owner):
            return  # the owner has ended the cluster itself
    # A worker of the killed run may still be starting the cluster, and add to it meanwhile.
    for _ in range(_ROUNDS):
        if not _has_owner(state, owner) and (state.folder / "cluster.json").exists():
            return  # somebody has started another cluster of that name
        down(state)
        time.sleep(1)


def _has_owner(state: State, owner: int | None) -> bool:
    return (state.folder / "cluster.json").exists() and state.record().owner_pid == owner

"""Removes a cluster from the machine, whatever state it is in: half started, running, or dead."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from testbed import cgroups, network
from testbed.locks import locked_by_name
from testbed.process import kill_all, marked_pids, start_time
from testbed.state import MARK, State, all_states


def down(state: State) -> None:
    """Kill every process of the cluster and remove links, mounts, cgroups and the folder.

    Only what carries the cluster's mark or sits in its cgroups is touched; a cluster that does not
    exist is fine.
    Raises TestbedError for what could not be removed.
    """
    with locked_by_name(f"{state.folder}.down"):
        while pids := marked_pids({MARK: str(state.folder)}) + cgroups.pids(state):
            kill_all(pids)
        cgroups.remove(state)
        network.remove_links(state)
        _unmount(state)
        if state.folder.exists():
            shutil.rmtree(state.folder)


def sweep() -> None:
    """Remove clusters whose owner has ended without their watchdog having seen it."""
    for state in all_states():
        if not (state.folder / "cluster.json").exists():
            continue
        record = state.record()
        if record.owner_pid and start_time(record.owner_pid) != record.owner_started:
            down(state)


def _unmount(state: State) -> None:
    """Nodes mount in namespaces of their own; this is for a mount made by hand."""
    table = Path("/proc/self/mountinfo").read_text().splitlines()
    inside = [line.split()[4] for line in table if line.split()[4].startswith(f"{state.folder}/")]
    for path in reversed(inside):
        subprocess.run(["umount", "--lazy", path], check=True)

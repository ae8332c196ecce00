"""What is left of a cluster on the machine, found without the test bed's own bookkeeping."""

import subprocess
from pathlib import Path

from testbed.process import start_time
from testbed.state import State


def leavings(state: State) -> list[str]:
    """Everything on the machine that still mentions the cluster; one line each."""
    found = [f"folder {path}" for path in state.folder.parent.glob(f"*{state.folder.name}*")]
    for command in (["link"], ["addr"], ["-4", "route", "show", "table", "all"], ["netns"]):
        shown = subprocess.run(["ip", "-o", *command], capture_output=True, text=True, check=True)
        found += [
            line
            for line in shown.stdout.splitlines()
            if f"bh{state.tag}" in line or state.folder.name in line
        ]
    # Version 1 has a folder in each hierarchy, version 2 one at the top.
    for pattern in ("", "*/"):
        cgroups = Path("/sys/fs/cgroup").glob(f"{pattern}{state.folder.name}*")
        found += [f"cgroup {path}" for path in cgroups]
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or start_time(int(process.name)) is None:
            continue  # what has ended waits for init, who owns it now
        for file in ("mountinfo", "cgroup", "environ", "cmdline"):
            try:
                content = (process / file).read_bytes()
            except OSError:
                continue  # it has just ended
            if f"{state.folder.name}/".encode() in content:
                found.append(f"process {process.name}: {file}")
    return found

"""The cgroup folders of a cluster, under version 1 (a folder a hierarchy) and version 2 (one)."""

from __future__ import annotations

import os
import time
from pathlib import Path

from testbed.errors import TestbedError
from testbed.process import kill_all
from testbed.state import State

_ROOT = Path("/sys/fs/cgroup")


def is_version_1() -> bool:
    """Whether the machine mounts cgroup version 1 (then /sys/fs/cgroup is a plain tmpfs)."""
    return not (_ROOT / "cgroup.controllers").exists()


def _hierarchies() -> list[Path]:
    if not is_version_1():
        return [_ROOT]
    seen: dict[Path, None] = {}
    for path in sorted(_ROOT.iterdir()):
        if (path / "cgroup.procs").exists():
            seen[path.resolve()] = None  # "cpu" may be a link to "cpu,cpuacct"
    return list(seen)


def make(state: State, node: str) -> str:
    """Make a node's cgroup and return its name as the kubelet's cgroupRoot."""
    for hierarchy in _hierarchies():
        if not is_version_1():
            _delegate(hierarchy)
        parent = hierarchy / state.cgroup
        parent.mkdir(exist_ok=True)
        _inherit_cpuset(parent)
        if not is_version_1():
            _delegate(parent)
        (parent / node).mkdir(exist_ok=True)
        _inherit_cpuset(parent / node)
    return f"/{state.cgroup}/{node}"


def pids(state: State, node: str | None = None) -> list[int]:
    """All processes in the cgroups of a node, or of the whole cluster."""
    found: set[int] = set()
    for folder in _folders(state, node):
        try:
            found.update(int(pid) for pid in (folder / "cgroup.procs").read_text().split())
        except OSError:
            continue  # removed meanwhile
    return sorted(found)


def remove(state: State, node: str | None = None, timeout: float = 10) -> None:
    """Kill what is inside and remove the folders."""
    end = time.monotonic() + timeout
    while True:
        kill_all(pids(state, node))
        left = [folder for folder in _folders(state, node) if not _rmdir(folder)]
        if not left:
            return
        if time.monotonic() > end:
            raise TestbedError(f"cgroups that could not be removed: {left[-1]} and above")
        time.sleep(0.05)


def _folders(state: State, node: str | None) -> list[Path]:
    """Deepest first; folders that vanish during the walk are passed over."""
    return [
        Path(folder)
        for hierarchy in _hierarchies()
        for folder, _, _ in os.walk(hierarchy / state.cgroup / (node or ""), topdown=False)
        if Path(folder).exists()
    ]


def _rmdir(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False  # the kernel has not yet let go of the last process
    return True


def _inherit_cpuset(folder: Path) -> None:
    # A new cpuset of version 1 is empty, and no process may enter an empty one.
    for file in ("cpuset.cpus", "cpuset.mems"):
        path = folder / file
        if is_version_1() and path.exists() and not path.read_text().strip():
            path.write_text((folder.parent / file).read_text())


def _delegate(folder: Path) -> None:
    control = folder / "cgroup.subtree_control"
    wanted = (folder / "cgroup.controllers").read_text().split()
    for controller in wanted:
        try:
            control.write_text(f"+{controller}")
        except OSError:
            continue  # a controller that this kernel does not hand on; the kubelet names it

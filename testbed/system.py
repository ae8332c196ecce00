"""What the machine itself must bring: Linux, root, and a few commands from Debian packages."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path

_SEARCH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CNI_FOLDERS = ("/usr/lib/cni", "/opt/cni/bin")

_COMMANDS = {"runc": "runc", "ip": "iproute2", "unshare": "util-linux", "busybox": "busybox-static"}


_INOTIFY = Path("/proc/sys/fs/inotify/max_user_instances")
_INSTANCES = 1024
"""A kubelet holds 6 inotify and a containerd 2 (seen): the usual 128 are used up by 16 nodes."""


def raise_inotify_limit() -> None:
    """Let enough nodes run; the limit stays raised, for it costs nothing and others may use it.

    Where the machine does not allow it, a kubelet that lacks instances says so in its log.
    """
    try:
        if int(_INOTIFY.read_text()) < _INSTANCES:
            _INOTIFY.write_text(str(_INSTANCES))
    except OSError:
        return


def missing_packages() -> list[str]:
    """Debian packages that are not installed but needed."""
    missing = [
        package
        for command, package in _COMMANDS.items()
        if shutil.which(command, path=_SEARCH) is None
    ]
    if not any(Path(folder, "ptp").exists() for folder in CNI_FOLDERS):
        missing.append("containernetworking-plugins")
    return missing


def what_is_missing() -> list[str]:
    """Why no cluster can run here, one reason a line, each with what to do; empty if it can."""
    if platform.system() != "Linux":
        return ["the test bed's cluster needs Linux"]
    reasons = []
    if os.geteuid() != 0:
        reasons.append("the test bed's cluster needs root: run as root or in a container")
    packages = missing_packages()
    if packages:
        reasons.append(f"packages are missing: apt-get install -y {' '.join(packages)}")
    return reasons

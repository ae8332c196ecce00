"""The image that every node has from its start: busybox, and a script that waits for SIGTERM.

It is the sandbox ("pause") image of containerd, and good enough as a workload in tests.
"""

from __future__ import annotations

from pathlib import Path

from testbed.errors import TestbedError
from testbed.images import File, Image, Link, build_archive

BASE_IMAGE = "testbed.local/base:1"
"""Its name; use it with imagePullPolicy IfNotPresent or Never."""

_BUSYBOX = Path("/usr/bin/busybox")
_TOOLS = ("cat", "echo", "env", "false", "ls", "sh", "sleep", "test", "touch", "true", "wget")
# As process 1 a plain `sleep` would not hear SIGTERM.
_WAIT = b"#!/bin/sh\ntrap 'exit 0' TERM INT\nwhile :; do sleep 3600 & wait $!; done\n"


def write_base_image(target: Path) -> None:
    """Write the image as an archive for `Cluster.import_images`.

    Raises TestbedError when busybox is missing.
    """
    if not _BUSYBOX.exists():
        raise TestbedError("busybox is missing: apt-get install -y busybox-static")
    files: tuple[File | Link, ...] = (
        File("/bin/busybox", _BUSYBOX),
        File("/wait", _WAIT),
        *(Link(f"/bin/{tool}", "busybox") for tool in _TOOLS),
    )
    image = Image(files=files, entrypoint=("/wait",), env={"PATH": "/bin"})
    build_archive(target, {BASE_IMAGE: image})

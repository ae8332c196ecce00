"""The image that every node has from its start: busybox, and a script that waits for SIGTERM.

It is the sandbox ("pause") image of containerd, and good enough as a workload in tests.
"""

from __future__ import annotations

from pathlib import Path

from testbed.archive import write_image
from testbed.errors import TestbedError
from testbed.system import BUSYBOX

BASE_IMAGE = "testbed.local/base:1"
"""Its name; use it with imagePullPolicy IfNotPresent or Never."""

_TOOLS = ("cat", "echo", "env", "false", "ls", "sh", "sleep", "test", "touch", "true", "wget")
# As process 1 a plain `sleep` would not hear SIGTERM.
_WAIT = b"#!/bin/sh\ntrap 'exit 0' TERM INT\nwhile :; do sleep 3600 & wait $!; done\n"


def write_base_image(target: Path) -> None:
    """Write the image as a tar for `Cluster.import_images`."""
    busybox = next((Path(path) for path in BUSYBOX if Path(path).exists()), None)
    if busybox is None:
        raise TestbedError("busybox is missing: apt-get install -y busybox-static")
    files: dict[str, bytes | str] = {f"bin/{tool}": "busybox" for tool in _TOOLS}
    files |= {"bin/busybox": busybox.read_bytes(), "wait": _WAIT}
    write_image(target, BASE_IMAGE, files, ["/wait"])

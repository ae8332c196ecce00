"""Locks among processes that the kernel frees with the process that holds them."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file; the kernel frees it when the process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def locked_by_name(name: str) -> Iterator[None]:
    """Hold a lock of that name on this machine; no file is left behind.

    It is a name in the kernel's table of sockets, freed with the process that holds it.
    """
    with socket.socket(socket.AF_UNIX) as holder:
        while True:
            try:
                holder.bind(f"\0{name}")
                break
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                time.sleep(0.05)
        yield

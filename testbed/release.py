"""Which Kubernetes a cluster is of: the newest that is built here, or an earlier release."""

from __future__ import annotations

from pathlib import Path

from testbed.parts import binary
from testbed.state import State


def command(state: State, name: str) -> Path:
    """The path of a command of the cluster's own release.

    Raises TestbedError where that release is not built.
    """
    release = state.record().release
    return binary(f"kubernetes-{release}" if release else "kubernetes", name)

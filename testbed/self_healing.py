"""A controller that puts a folder of manifests back every few seconds, as a GitOps tool does.

It applies server-side and by force, so whatever a manifest names is set back, and what it does not
name, such as annotations of others, stays. It runs as a process of the cluster: found again from
anywhere, ended with the cluster.
"""

from __future__ import annotations

from pathlib import Path

from testbed.parts import binary
from testbed.process import Process
from testbed.state import State

ARGO_CD = "argocd-controller"
"""Field manager of Argo CD's application controller.

Source: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/ (server-side apply)
"""

PERIOD = 2.0
"""Seconds between two rounds; real ones take minutes, or act on the change itself."""

_ROUNDS = 'while :; do "$@"; sleep "$PERIOD"; done'
"""Failures go to the log and the next round comes: such a tool does not give up."""


def self_healing(
    state: State, folder: Path, *, manager: str = ARGO_CD, period: float = PERIOD, name: str = ""
) -> Process:
    """The controller over a folder: `start()` begins to put it back, `stop()` ends that.

    A folder with a `kustomization.yaml` is applied as such. Two controllers of one cluster need
    different names.
    """
    kustomized = (folder / "kustomization.yaml").exists()
    argv = (
        *("env", f"PERIOD={period:g}", "/bin/sh", "-c", _ROUNDS, "sh"),
        str(binary("kubernetes", "kubectl")),
        f"--kubeconfig={state.folder / 'kubeconfig'}",
        f"--cache-dir={state.folder / 'kubectl-cache'}",
        *("apply", "--server-side", "--force-conflicts", f"--field-manager={manager}"),
        *("-k" if kustomized else "-f", str(folder.resolve())),
    )
    return Process(state, f"self-healing{f'-{name}' if name else ''}", argv)

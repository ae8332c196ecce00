"""Clients made from kubeconfigs, and exec plugins that count their runs."""

import os
import stat
import sys
from pathlib import Path
from typing import Any

from bridgehead.kube.client import Kube
from bridgehead.kube.config import load_config
from tests.kube.conftest import QUICK

PLUGIN = """#!{python}
import base64, json, os, pathlib, sys
here = pathlib.Path(__file__).parent
runs = here / "runs"
runs.write_text(runs.read_text() + "x" if runs.exists() else "x")
(here / "info").write_text(os.environ.get("KUBERNETES_EXEC_INFO", ""))
{body}
"""


class Plugin:
    """An exec plugin that counts its runs."""

    def __init__(self, folder: Path, body: str) -> None:
        self.path = folder / "plugin"
        self.path.write_text(PLUGIN.format(python=sys.executable, body=body))
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    @property
    def runs(self) -> int:
        file = self.path.parent / "runs"
        return len(file.read_text()) if file.exists() else 0

    @property
    def info(self) -> str:
        return (self.path.parent / "info").read_text()

    def user(self, version: str = "v1", **fields: Any) -> dict[str, Any]:
        exec_fields = {
            "apiVersion": f"client.authentication.k8s.io/{version}",
            "command": str(self.path),
            "interactiveMode": "Never",
        }
        return {"exec": exec_fields | fields}


def issuing(version: str = "v1", **status: str) -> str:
    return (
        "print(json.dumps({'kind': 'ExecCredential', "
        f"'apiVersion': 'client.authentication.k8s.io/{version}', 'status': {status!r}}}))"
    )


NUMBERED_TOKENS = """
print(json.dumps({'kind': 'ExecCredential', 'apiVersion': 'client.authentication.k8s.io/v1',
    'status': {'token': 'token-' + str(len(runs.read_text()))}}))
"""


async def connect(path: Path, **environ: str) -> Kube:
    config = load_config(path, environ=dict(os.environ) | environ)
    return await Kube.connect(config, retry=QUICK, request_timeout=5.0, plugin_time_limit=5.0)


async def ask(path: Path, times: int = 1) -> None:
    async with await connect(path) as kube:
        for _ in range(times):
            await kube.server_version()

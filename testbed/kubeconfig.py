"""Kubeconfig files with a client certificate inside."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

import yaml

from testbed import pki
from testbed.state import Addresses, State


def write_kubeconfig(state: State, path: Path, user: str, groups: Sequence[str] = ()) -> Path:
    """Write a kubeconfig for a user in these groups, signed by the cluster's authority."""
    certificate, key = pki.sign(state, user, groups)
    server = f"https://{Addresses(state.record().slot).api}"
    authority = state.pki("ca.crt").read_bytes()
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": state.name,
                "cluster": {
                    "server": server,
                    "certificate-authority-data": b64encode(authority).decode(),
                },
            }
        ],
        "users": [
            {
                "name": user,
                "user": {
                    "client-certificate-data": b64encode(certificate).decode(),
                    "client-key-data": b64encode(key).decode(),
                },
            }
        ],
        "contexts": [{"name": state.name, "context": {"cluster": state.name, "user": user}}],
        "current-context": state.name,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(content))
    return path

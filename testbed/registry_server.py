"""The cluster's own image registry (plain HTTP) on the bridge's address."""

from __future__ import annotations

import json

from testbed.parts import binary
from testbed.process import Process
from testbed.state import Addresses, State

PORT = 5000


def registry_address(state: State) -> str:
    """Host and port as they stand in an image reference."""
    return f"{Addresses(state.record().slot).host}:{PORT}"


def registry(state: State) -> Process:
    """The registry's process; it keeps its images in the state folder."""
    config = state.folder / "registry.json"
    config.write_text(
        json.dumps(
            {
                "version": 0.1,
                "log": {"level": "warn", "accesslog": {"disabled": False}},
                "storage": {
                    "filesystem": {"rootdirectory": str(state.folder / "registry")},
                    "delete": {"enabled": True},
                },
                "http": {"addr": registry_address(state)},
            }
        )
    )
    return Process(state, "registry", (str(binary("registry", "registry")), "serve", str(config)))

"""A server that does not answer: exit 6, and what to look at."""

import socket
import subprocess
import sys
from pathlib import Path

import yaml

from bridgehead.cli.exits import Exit

SPEC = """\
apiVersion: bridgehead.dev/v1alpha1
kind: Rollout
metadata: {name: plugin}
component: {daemonSet: {namespace: gpu, name: plugin}}
change: {images: {plugin: "registry.test/plugin:2"}}
"""


def kubeconfig(folder: Path, port: int) -> Path:
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "c",
    }
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump(content))
    return path


def test_a_rollout_to_a_server_that_cannot_be_reached(tmp_path: Path) -> None:
    spec = tmp_path / "bridgehead.yaml"
    spec.write_text(SPEC)
    with socket.socket() as nobody:  # bound and not listening: connections are refused
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        options = ["-f", str(spec), "--kubeconfig", str(kubeconfig(tmp_path, port))]
        found = subprocess.run(
            [sys.executable, "-m", "bridgehead", "rollout", *options],
            capture_output=True,
            text=True,
            check=False,
        )
    assert found.returncode == Exit.CANNOT, found.stderr
    assert f"127.0.0.1:{port}" in found.stderr
    assert "kubectl cluster-info" in found.stderr

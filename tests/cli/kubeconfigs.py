"""A kubeconfig for a server of a test."""

import json
from pathlib import Path


def write_kubeconfig(path: Path, server: str) -> Path:
    """One cluster, one user with a token, one context, which is the current one."""
    named = {"name": "test"}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "clusters": [{**named, "cluster": {"server": server}}],
        "users": [{**named, "user": {"token": "t"}}],
        "contexts": [{**named, "context": {"cluster": "test", "user": "test"}}],
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path

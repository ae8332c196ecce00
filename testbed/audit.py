"""What the API server writes into its audit log: every write, and by whom.

Tests count and order the writes of a rollout with it. Reads are left out: they would be most of the
file and no test asks for them.
"""

from __future__ import annotations

import json
from pathlib import Path

_WRITES = ["create", "update", "patch", "delete", "deletecollection"]


def policy() -> str:
    """The audit policy: bodies for the kinds that a rollout writes, metadata for other writes."""
    rules = [
        # Kubelets renew statuses every second and ask for reviews; nobody asks for those.
        {
            "level": "None",
            "userGroups": ["system:nodes"],
            "resources": [
                {"group": "coordination.k8s.io", "resources": ["leases"]},
                {"group": "", "resources": ["nodes/status"]},
                {"group": "authentication.k8s.io"},
                {"group": "authorization.k8s.io"},
            ],
        },
        {
            "level": "Request",
            "verbs": _WRITES,
            "resources": [
                {"group": "apps", "resources": ["daemonsets", "controllerrevisions"]},
                {"group": "", "resources": ["nodes", "configmaps", "pods/eviction"]},
                {"group": "coordination.k8s.io", "resources": ["leases"]},
            ],
        },
        {"level": "Metadata", "verbs": _WRITES},
        {"level": "None"},
    ]
    return json.dumps(
        {
            "apiVersion": "audit.k8s.io/v1",
            "kind": "Policy",
            "omitStages": ["RequestReceived", "ResponseStarted"],
            "rules": rules,
        }
    )


def write_policy(path: Path) -> None:
    """Write the policy where the API server reads it."""
    path.write_text(policy())

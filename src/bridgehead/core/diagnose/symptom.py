"""What is seen to be wrong before anybody says why; causes name what they explain by its key."""

import msgspec

from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.pod import Pod


def devices_key(node: str, resource: str) -> str:
    """A node offers fewer devices of a resource than it should."""
    return f"devices/{node}/{resource}"


def pod_key(pod: Pod) -> str:
    """A pod that is about devices is not as it should be, or any pod hangs on its node."""
    return f"pod/{pod.ref}"


def daemon_set_key(namespace: str, name: str) -> str:
    """A plugin's DaemonSet does not make the pods that it should."""
    return f"daemonset/{namespace}/{name}"


def resource_key(resource: str) -> str:
    """Pods ask for a resource name that no node offers."""
    return f"resource/{resource}"


class Symptom(msgspec.Struct, frozen=True, kw_only=True):
    """One thing seen; ``since`` in seconds since the epoch, None where nothing tells.

    ``guessed``: that it is not as it should be is concluded from little; where nothing else speaks
    for a fault, it is none.
    """

    key: str
    text: str
    object: ObjectRef = ObjectRef()
    node: str = ""
    resource: str = ""
    since: float | None = None
    evidence: tuple[Evidence, ...] = ()
    guessed: bool = False

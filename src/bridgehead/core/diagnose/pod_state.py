"""Whether a pod is as it should be, from its status alone."""

from bridgehead.core.model.pod import STARTING, Container, Pod


def unsound(pod: Pod, now: float, patience: float) -> str:
    """Why the pod is not as it should be; empty where it is, or where it may still become so.

    A pod that has succeeded or is on its way out is as it should be.
    """
    if pod.deleting or pod.phase == "Succeeded":
        return ""
    if pod.phase == "Failed":
        return f"failed: {pod.reason or 'its containers ended'}{_colon(pod.message)}"
    for item in (*pod.init_containers, *pod.containers):
        why = _container(item)
        if why:
            return why
    old = now - pod.created >= patience
    if pod.phase == "Pending" and old:
        where = f"bound to {pod.node} and not taken up there" if pod.bound else "not placed"
        return where if not pod.admitted else "its containers do not start"
    if old and not pod.ready and pod.phase == "Running":
        return "running and not ready"
    return ""


def _container(item: Container) -> str:
    if item.state == "waiting" and item.reason not in STARTING:
        return f"container {item.name} waits: {item.reason}{_colon(item.message)}"
    if item.state == "terminated" and item.exit_code:
        return f"container {item.name} ended with exit code {item.exit_code} ({item.reason})"
    return ""


def _colon(message: str) -> str:
    return f": {message}" if message else ""

"""Logs of containers: which of their lives is meant, which lines, and why there are none.

Source: validateContainerLogStatus of k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go (1.37).
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime

from bridgehead.twin.errors import ApiError, bad_request
from bridgehead.twin.nodes.host import Host
from bridgehead.twin.nodes.pods.containers import Container, Sandbox
from bridgehead.twin.objects import Object, at, items, name_of, namespace_of, text

_PORT = 10250

_PULLS = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}


def lives(sandbox: Sandbox | None, container: str) -> Sequence[Container]:
    """The containers of that name that the runtime still has, the newest last."""
    return sandbox.containers.get(container, ()) if sandbox else ()


def check_reachable(pod: Object, container: str, host: Host, *, alive: bool) -> None:
    """Raises ApiError 500 where nobody answers on the node."""
    if alive and host.connected:
        return
    url = (
        f"https://{host.address}:{_PORT}/containerLogs/"
        f"{namespace_of(pod)}/{name_of(pod)}/{container}"
    )
    why = "connect: connection refused" if host.connected else "connect: no route to host"
    told = f'Get "{url}": dial tcp {host.address}:{_PORT}: {why}'
    raise ApiError(500, "", told)


def chosen(pod: Object, container: str, known: Sequence[Container], *, previous: bool) -> Container:
    """The life of a container that is meant. Raises ApiError 400."""
    where = f'container "{container}" in pod "{name_of(pod)}"'
    status = _status(pod, container)
    if status is None:
        raise bad_request(f"{where} is not available")
    state, last = status.get("state") or {}, at(status, "lastState", "terminated")
    if previous:
        wanted = text(last, "containerID")
        missing = f"previous terminated {where} not found"
    elif "running" in state:
        wanted, missing = text(status, "containerID"), f"{where} is not available"
    elif "terminated" in state:
        wanted = text(state, "terminated", "containerID") or text(last, "containerID")
        missing = f"{where} is terminated"
    elif last is not None:
        wanted, missing = text(last, "containerID"), f"{where} is terminated"
    else:
        reason = text(state, "waiting", "reason")
        wanted, missing = "", f"{where} is waiting to start: {_PULLS.get(reason, reason)}"
    if not wanted:
        raise bad_request(missing)
    for life in known:
        if life.id == wanted:
            return life
    raise ApiError(500, "", f"unable to retrieve container logs for {wanted}")


def written(
    life: Container,
    *,
    tail: int | None = None,
    since: float | None = None,
    timestamps: bool = False,
) -> str:
    """Lines of a log. ``since``: seconds since the epoch."""
    wanted = [entry for entry in life.log if since is None or entry[0] >= since]
    if tail is not None:
        wanted = wanted[-tail:] if tail else []
    return "".join(_line(entry, timestamps=timestamps) for entry in wanted)


async def followed(life: Container, first: str, *, timestamps: bool) -> AsyncGenerator[bytes, None]:
    """What is there, and then every line as it is written, until the container ends."""
    if first:
        yield first.encode()
    shown = len(life.log)
    changed = asyncio.Event()
    life.followers.append(changed.set)
    try:
        while True:
            new = life.log[shown:]
            shown += len(new)
            if new:
                yield "".join(_line(entry, timestamps=timestamps) for entry in new).encode()
            if life.state != "running":
                return
            changed.clear()
            await changed.wait()
    finally:
        life.followers.remove(changed.set)


def _line(entry: tuple[float, str], *, timestamps: bool) -> str:
    moment, line = entry
    if not timestamps:
        return f"{line}\n"
    stamp = datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f000Z")
    return f"{stamp} {line}\n"


def _status(pod: Object, container: str) -> Object | None:
    for field in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for status in items(pod, "status", field):
            if status["name"] == container:
                return dict(status)
    return None

"""Starts the containers of a pod that are to run and do not: image, container, process.

Source: computePodActions and doBackOff of k8s.io/kubernetes/pkg/kubelet/kuberuntime/
kuberuntime_manager.go, startContainer of kuberuntime_container.go (1.37).
"""

from collections.abc import Generator
from typing import TYPE_CHECKING

from bridgehead.twin.nodes.devices.plugin import PluginError
from bridgehead.twin.nodes.driver import durations
from bridgehead.twin.nodes.pods import pulling
from bridgehead.twin.nodes.pods.containers import Container, Sandbox
from bridgehead.twin.nodes.pods.environment import ConfigError, environment_of
from bridgehead.twin.nodes.pods.phase import is_sidecar, should_restart
from bridgehead.twin.nodes.programs.choice import missing_command
from bridgehead.twin.objects import Object, items, text

if TYPE_CHECKING:
    from bridgehead.twin.nodes.pods.worker import Worker

_ERROR_PAUSE = 10.0
"""Seconds before a start that failed is tried again. ``backOffPeriod``."""
_START_ERROR_CODE = 128

Started = Generator[float, None, float | None]
"""Steps that end with the seconds after which to try again, or None where all is well."""


def needs_sandbox(worker: "Worker") -> bool:
    """Whether a pod without a sandbox still has something to run."""
    pod, sandbox = worker.last, worker.sandbox
    if sandbox is None:
        return True
    return any(
        (latest := sandbox.latest(text(item, "name"))) is None
        or should_restart(item, pod, latest.exit_code)
        for item in items(pod, "spec", "containers")
    )


def is_over(worker: "Worker") -> bool:
    """Whether all main containers have ended for good, so that sidecars have nothing to serve."""
    pod, sandbox = worker.last, worker.sandbox
    if sandbox is None:
        return False
    lives = [
        (item, sandbox.latest(text(item, "name"))) for item in items(pod, "spec", "containers")
    ]
    return all(
        life is not None
        and life.state == "exited"
        and not should_restart(item, pod, life.exit_code)
        for item, life in lives
    )


def start_all(worker: "Worker") -> Started:
    """Start what is to run now, one after the other."""
    wait: float | None = None
    for container in _wanted(worker):
        again = yield from _start(worker, container)
        if again is not None:
            wait = again if wait is None else min(wait, again)
    return wait


def _wanted(worker: "Worker") -> list[Object]:
    """Containers to start: the next init container, or all others that should run."""
    pod, sandbox = worker.last, worker.sandbox
    if sandbox is None:
        return []
    main = list(items(pod, "spec", "containers"))
    begun = any(sandbox.current(text(item, "name")) is not None for item in main)
    wanted: list[Object] = []
    for item in items(pod, "spec", "initContainers"):
        latest = sandbox.current(text(item, "name"))
        if is_sidecar(item):
            if latest is None or latest.state != "running":
                wanted.append(item)
                if not begun:
                    return wanted
            elif not begun and not worker.probes.started(item, latest):
                return wanted
        elif not begun:
            if latest is None or latest.state == "created":
                return [*wanted, item]
            if latest.state == "running":
                return wanted
            if latest.exit_code:
                return [*wanted, item] if should_restart(item, pod, latest.exit_code) else wanted
    return [*wanted, *(item for item in main if _should_run(pod, sandbox, item))]


def _should_run(pod: Object, sandbox: Sandbox, container: Object) -> bool:
    latest = sandbox.latest(text(container, "name"))
    if latest is None or latest.state == "created":
        return True
    return latest.state == "exited" and should_restart(container, pod, latest.exit_code)


def _start(worker: "Worker", container: Object) -> Started:
    name = text(container, "name")
    sandbox = worker.sandbox
    latest = sandbox.latest(name) if sandbox else None
    pause = _pause(worker, name, latest)
    if pause is not None:
        return pause
    if not (yield from pulling.ensure_image(worker, container)):
        return _ERROR_PAUSE
    created = yield from _create(worker, container, latest)
    if created is None:
        return _ERROR_PAUSE
    made, environment = created
    yield worker.host.delay("start", made.image)
    missing = missing_command(container, worker.host.image(made.image))
    if missing:
        _cannot_start(worker, made, missing)
        return _ERROR_PAUSE
    worker.waiting.pop(name, None)
    worker.event("Normal", "Started", "Container started", container=name)
    worker.host.run(worker.last, container, made, environment)
    worker.sync_in(worker.host.delay("hear"))
    return None


def _pause(worker: "Worker", name: str, latest: Container | None) -> float | None:
    """Seconds for which a container that ended must wait before it is started again."""
    if latest is None or latest.state != "exited" or latest.reason == "Unknown":
        return None
    backoff, key, now = worker.kubelet.crash_backoff, (worker.uid, name), worker.context.clock.now()
    until = backoff.until(key, latest.finished)
    if until is None or until <= now:
        backoff.next(key, latest.finished, now)
        return None
    of = f"{name} in pod {_told(worker)}"
    worker.event("Warning", "BackOff", f"Back-off restarting failed container {of}", container=name)
    pause = durations.written(backoff.pause(key))
    message = f"back-off {pause} restarting failed container={name} pod={_told(worker)}"
    if worker.waiting.get(name) != ("CrashLoopBackOff", message):
        worker.waiting[name] = ("CrashLoopBackOff", message)
        worker.report()
    return until - now


def _told(worker: "Worker") -> str:
    namespace, name = worker.key
    return f"{name}_{namespace}({worker.uid})"


def _create(
    worker: "Worker", container: Object, latest: Container | None
) -> Generator[float, None, tuple[Container, dict[str, str]] | None]:
    """A container with the environment that it is made with; None where it cannot be made."""
    name, sandbox = text(container, "name"), worker.sandbox
    if sandbox is None:
        return None
    try:
        environment = environment_of(
            worker.context.registry.store, worker.pod(), container, host=worker.host.address
        )
        worker.kubelet.grants.prepare(worker.uid, container)
    except (ConfigError, PluginError) as error:
        _failed(worker, name, "CreateContainerConfigError", str(error))
        return None
    yield worker.host.delay("create", text(container, "image"))
    granted = worker.kubelet.grants.granted(worker.uid, name)
    if granted.cdi:
        names = ", ".join(granted.cdi)
        why = f"CDI device injection failed: unresolvable CDI devices {names}"
        told = f"failed to create containerd container: {why}"
        _failed(worker, name, "CreateContainerError", told)
        return None
    attempt = 0 if latest is None else latest.attempt + 1
    made = worker.host.make_container(sandbox, container, attempt)
    worker.event("Normal", "Created", "Container created", container=name)
    return made, {**environment, **granted.environment}


def _failed(worker: "Worker", name: str, reason: str, message: str) -> None:
    worker.event("Warning", "Failed", f"Error: {message}", container=name)
    worker.waiting[name] = (reason, message)
    worker.report()


def _cannot_start(worker: "Worker", made: Container, command: str) -> None:
    """The runtime has a container whose process could not be started."""
    quoted = command if "/" not in command else f"stat {command}"
    why = (
        f'exec: "{command}": {quoted}: no such file or directory'
        if "/" in command
        else f'exec: "{command}": executable file not found in $PATH'
    )
    message = (
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: "
        f"runc create failed: unable to start container process: {why}"
    )
    made.state, made.exit_code, made.reason = "exited", _START_ERROR_CODE, "StartError"
    made.message, made.finished = message, worker.context.clock.now()
    worker.event("Warning", "Failed", f"Error: {message}", container=made.name)
    worker.waiting[made.name] = ("RunContainerError", message)
    worker.sync_in(worker.host.delay("notice"))

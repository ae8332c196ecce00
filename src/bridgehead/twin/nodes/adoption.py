"""Takes on a node whose pods run already, as a recorded or copied cluster has them.

The runtime gets the containers that the pods' statuses tell of, under their ids; processes begin
anew, so that plugins register and logs have a beginning. Pods that hold devices keep some.
"""

from bridgehead.twin.nodes.driver.driver import Driver
from bridgehead.twin.nodes.host import Host
from bridgehead.twin.nodes.kubelet import Kubelet
from bridgehead.twin.nodes.pods.containers import Container, Sandbox
from bridgehead.twin.nodes.pods.environment import ConfigError, environment_of
from bridgehead.twin.nodes.pods.worker import Worker
from bridgehead.twin.objects import Object, at, fields, items, text, uid_of
from bridgehead.twin.pods import is_finished, pods_on
from bridgehead.twin.timestamps import seconds_of


def adopt(kubelet: Kubelet) -> None:
    """Let a kubelet go on with what the API says of its node."""
    host = kubelet.host
    _remember_node(kubelet)
    kubelet.adopt()
    bound = pods_on(kubelet.context.registry.store, kubelet.name)
    known = [pod for pod in bound if _runs(pod)]
    restored = [(pod, _sandbox(host, pod)) for pod in known]
    for pod, sandbox in restored:
        host.sandboxes[sandbox.uid] = sandbox
        kubelet.workers[sandbox.uid] = Worker(kubelet, pod)
    plugins = [item for pod, sandbox in restored for item in _begin(host, pod, sandbox)]
    _keep_devices(kubelet, known, plugins)
    for worker in list(kubelet.workers.values()):
        worker.adopt()
    kubelet.look_again()


def _runs(pod: Object) -> bool:
    if is_finished(pod):
        return False
    return any(
        item.get("containerID")
        for field in ("containerStatuses", "initContainerStatuses")
        for item in items(pod, "status", field)
    )


def _remember_node(kubelet: Kubelet) -> None:
    """What the machine is and has, as it was recorded."""
    host, status = kubelet.host, fields(kubelet.status.node(), "status")
    host.boot_id = text(status, "nodeInfo", "bootID") or host.boot_id
    host.machine_id = text(status, "nodeInfo", "machineID") or host.machine_id
    host.recorded = {
        name: str(amount) for name, amount in fields(status, "allocatable").items() if "/" in name
    }
    for image in items(status, "images"):
        for name in items(image, "names"):
            kubelet.host.images[str(name)] = int(image.get("sizeBytes") or 0)


def _sandbox(host: Host, pod: Object) -> Sandbox:
    sandbox = Sandbox(
        uid=uid_of(pod),
        id=host.context.hexadecimal(64),
        ip=text(pod, "status", "podIP"),
        containers={},
    )
    for field in ("initContainerStatuses", "containerStatuses"):
        for status in items(pod, "status", field):
            for life in _lives(host, sandbox, status):
                sandbox.add(life)
    return sandbox


def _lives(host: Host, sandbox: Sandbox, status: Object) -> list[Container]:
    found = []
    for state in (fields(status, "lastState"), fields(status, "state")):
        ended = at(state, "terminated")
        running = at(state, "running")
        if ended is None and running is None:
            continue
        life = Container(
            uid=sandbox.uid,
            sandbox=sandbox.id,
            name=text(status, "name"),
            id=text(ended, "containerID") or text(status, "containerID"),
            attempt=int(status.get("restartCount") or 0),
            image=text(status, "image"),
            image_id=text(status, "imageID") or host.image_id(text(status, "image")),
            log=[],
            started=_moment(text(ended or running, "startedAt")),
        )
        if ended is not None:
            life.state = "exited"
            life.exit_code = int(ended.get("exitCode") or 0)
            life.reason, life.message = text(ended, "reason"), text(ended, "message")
            life.finished = _moment(text(ended, "finishedAt"))
        else:
            life.state = "running"
        found.append(life)
    return found


def _begin(host: Host, pod: Object, sandbox: Sandbox) -> list[Driver]:
    """Begin the processes of a pod; those that are plugins."""
    plugins = []
    listed = (*items(pod, "spec", "initContainers"), *items(pod, "spec", "containers"))
    for spec in listed:
        life = sandbox.latest(text(spec, "name"))
        if life is None or life.state != "running":
            continue
        started = life.started
        life.image = text(spec, "image") or life.image
        host.images.setdefault(life.image, 0)
        host.run(pod, spec, life, _environment(host, pod, spec))
        life.started = started
        if isinstance(life.process, Driver):
            plugins.append(life.process)
    return plugins


def _environment(host: Host, pod: Object, spec: Object) -> dict[str, str]:
    try:
        return environment_of(host.context.registry.store, pod, spec, host=host.address)
    except ConfigError:  # what it refers to has gone since; it runs all the same
        return {}


def _keep_devices(kubelet: Kubelet, pods: list[Object], plugins: list[Driver]) -> None:
    """Give every holder some of the devices that the node's plugins serve."""
    host = kubelet.host
    free: dict[str, list[str]] = {}
    for plugin in plugins:
        for resource, ids in plugin.served().items():
            free.setdefault(resource, []).extend(ids)
    offered = fields(kubelet.status.node(), "status", "capacity")
    for pod in pods:
        for spec in items(pod, "spec", "containers"):
            for resource, count in fields(spec, "resources", "limits").items():
                if "/" not in resource or resource not in offered:
                    continue
                left = free.setdefault(resource, [])
                given = [left.pop(0) for _ in range(min(int(count), len(left)))]
                if given:
                    host.checkpoint.give(uid_of(pod), text(spec, "name"), resource, given)


def _moment(stamp: str) -> float:
    return seconds_of(stamp) if stamp else 0.0

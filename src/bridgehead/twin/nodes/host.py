"""A machine that runs: its containers, images, files and plugins' folder; it outlives kubelets."""

import hashlib
import ipaddress
from collections.abc import Callable, Mapping, Set

from bridgehead.twin.clock import Clock
from bridgehead.twin.nodes.context import Context
from bridgehead.twin.nodes.devices.checkpoint import Checkpoint
from bridgehead.twin.nodes.devices.folder import PATH, PluginFolder
from bridgehead.twin.nodes.devices.plugin import Allocated
from bridgehead.twin.nodes.fleet import Machine
from bridgehead.twin.nodes.images import Image
from bridgehead.twin.nodes.pods.containers import Container, Sandbox
from bridgehead.twin.nodes.programs.choice import mounts_plugins, process_environment, program
from bridgehead.twin.nodes.programs.process import SIGKILL_CODE
from bridgehead.twin.objects import Object, fields, namespace_of, text, uid_of

_API_SERVER = "https://10.96.0.1:443"
"""As pods reach it."""
_ADDRESSES = 253
"""Of pods, on one machine."""


class Host:
    """One machine of the fleet while the twin runs."""

    def __init__(self, context: Context, machine: Machine, number: int) -> None:
        """``number``: its place among the machines, which gives it its addresses."""
        self.context = context
        self.machine = machine
        self.address = machine.address or str(ipaddress.IPv4Address("10.0.0.1") + number)
        self._pod_network = ipaddress.IPv4Address("100.64.0.0") + number * 256
        self._last_address = 1
        self.folder = PluginFolder()
        self.checkpoint = Checkpoint()
        self.recorded: dict[str, str] = {}
        """Allocatable of resources that the node offered when it was taken on, by their names.

        It stays for those that no plugin of the twin offers.
        """
        self.sandboxes: dict[str, Sandbox] = {}
        """By the pod's uid."""
        self.images: dict[str, int] = {}
        """References of images that are there, with their size in bytes."""
        self.allocated: dict[str, dict[tuple[str, str], Allocated]] = {}
        """What plugins have granted: by the pod's uid, then by container and resource."""
        self.connected = True
        """Whether it reaches the API server."""
        self.machine_id = context.hexadecimal(32)
        self.boot_id = context.registry.identifiers.uid()
        self.exited: Callable[[str], None] = lambda _uid: None
        """Told the uid of a pod one of whose containers has ended; the kubelet's, while it runs."""

    def delay(self, stage: str, image: str = "") -> float:
        """How long a step takes this time, in seconds."""
        return self.context.fleet.delay(stage, self.machine, self.context.chance, image=image)

    def image(self, reference: str) -> Image:
        """How an image behaves here."""
        return self.context.fleet.images.of(reference, self.machine)

    def has(self, reference: str) -> bool:
        """Whether an image is there."""
        return reference in self.images or self.image(reference).pull.present

    def pulled(self, reference: str) -> int:
        """An image has been fetched; its size in bytes."""
        size = 20_000_000 + int(_digest(reference)[:6], 16) * 16
        self.images[reference] = size
        return size

    def image_id(self, reference: str) -> str:
        """As a container's status tells it: with the repository where it was fetched from one."""
        digest = f"sha256:{_digest(reference)}"
        if reference not in self.images:
            return digest
        name, _, written = reference.partition("@")
        head, slash, last = name.rpartition("/")
        return f"{head}{slash}{last.partition(':')[0]}@{written or digest}"

    def make_sandbox(self, pod: Object) -> Sandbox:
        """A pod's network and its place in the runtime; what is left of an older one goes on."""
        uid = uid_of(pod)
        old = self.sandboxes.get(uid)
        sandbox = Sandbox(
            uid=uid,
            id=self.context.hexadecimal(64),
            ip=self.address if fields(pod, "spec").get("hostNetwork") else self._next_address(),
            attempt=old.attempt + 1 if old else 0,
            containers=old.containers if old else {},
        )
        self.sandboxes[uid] = sandbox
        return sandbox

    def make_container(self, sandbox: Sandbox, container: Object, attempt: int) -> Container:
        """A container that does not run yet."""
        image = text(container, "image")
        made = Container(
            uid=sandbox.uid,
            sandbox=sandbox.id,
            name=text(container, "name"),
            id=f"containerd://{self.context.hexadecimal(64)}",
            attempt=attempt,
            image=image,
            image_id=self.image_id(image),
            log=[],
            followers=[],
        )
        sandbox.add(made)
        return made

    def run(
        self, pod: Object, spec: Object, container: Container, environment: Mapping[str, str]
    ) -> None:
        """Start a container's process."""
        image = self.image(container.image)
        container.state = "running"
        container.started = self.context.clock.now()
        around = _Around(self, pod, spec, container, process_environment(image, environment))
        container.process = program(around, pod, spec, image)
        container.process.begin()

    def kill(self, container: Container) -> None:
        """SIGKILL."""
        if container.process is not None:
            container.process.end()
        self.ended(container, SIGKILL_CODE)

    def ended(self, container: Container, code: int) -> None:
        """A container's process is gone."""
        if container.state != "running":
            return
        container.state = "exited"
        container.exit_code = code
        container.reason = "Error" if code else "Completed"
        container.finished = self.context.clock.now()
        container.process = None
        container.tell_followers()
        self.exited(container.uid)

    def power_off(self) -> None:
        """Every process ends at once, and nothing of them is noticed."""
        for sandbox in self.sandboxes.values():
            sandbox.ready = False
            for container in sandbox.running():
                if container.process is not None:
                    container.process.end()
                container.state, container.process = "exited", None
                container.exit_code, container.reason = 255, "Unknown"
                container.finished = self.context.clock.now()
        self.boot_id = self.context.registry.identifiers.uid()

    def _next_address(self) -> str:
        """The next one that no pod has; where all are taken, the oldest is given once more."""
        taken = {sandbox.ip for sandbox in self.sandboxes.values()}
        for _ in range(_ADDRESSES):
            self._last_address = self._last_address % _ADDRESSES + 1
            address = str(self._pod_network + self._last_address)
            if address not in taken:
                break
        return address


def _digest(reference: str) -> str:
    return hashlib.sha256(reference.encode()).hexdigest()


class _Around:
    """A container and its node, as the process in it sees them."""

    def __init__(
        self,
        host: Host,
        pod: Object,
        spec: Object,
        container: Container,
        environment: Mapping[str, str],
    ) -> None:
        self._host = host
        self._container = container
        account = text(pod, "spec", "serviceAccountName") or "default"
        self._user = f"system:serviceaccount:{namespace_of(pod)}:{account}"
        self.clock: Clock = host.context.clock
        self.environment = environment
        self.node = host.machine.name
        self.hardware = host.machine.hardware
        self.folder = host.folder
        self.sees_folder = mounts_plugins(pod, spec)

    def write(self, line: str) -> None:
        """A line to stdout."""
        self._container.write(self.clock.now(), line)

    def exit(self, code: int) -> None:
        """The process ends by itself."""
        self._host.ended(self._container, code)

    def exists(self, path: str) -> bool:
        """Whether a file of the host is there."""
        return path in self._host.machine.files or path == PATH

    def in_use(self, resource: str) -> Set[str]:
        """Ids of devices of a resource that belong to containers now."""
        return self._host.checkpoint.in_use(resource)

    def labels(self) -> Mapping[str, str]:
        """Labels of the node, as the API server knows them."""
        context = self._host.context
        node = context.registry.store.get(context.nodes.stored, "", self.node)
        return fields(node, "metadata", "labels")

    def refusal(self, verb: str, resource: str, name: str = "") -> str:
        """Why the API server refuses the pod's account a request."""
        if not self._host.connected:
            url = f"{_API_SERVER}/api/v1/{resource}" + (f"/{name}" if name else "?limit=1")
            where = _API_SERVER.removeprefix("https://")
            return f'Get "{url}": dial tcp {where}: connect: no route to host'
        return self._host.context.refusal(self._user, verb, resource, name)

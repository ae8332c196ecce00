"""A twin for tests of its nodes: images of the fake driver, pods by hand, what became of them."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from bridgehead.twin.api.exchange import Chunks
from bridgehead.twin.api.pod_parts import LogOptions
from bridgehead.twin.nodes.fleet import Fleet, Machine
from bridgehead.twin.nodes.images import Image, Images, Pull
from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.objects import Object, at, fields, text
from bridgehead.twin.registry import DeleteOptions
from bridgehead.twin.twin import Twin
from tests.twin.virtually import START

RESOURCE = "example.test/device"
NODE = "node-1"
HERE = Pull(present=True)
PLUGINS = "/var/lib/kubelet/device-plugins"


def images(versions: Mapping[str, Mapping[str, Any]] | None = None) -> Images:
    """The fake driver as ``fake:TAG`` with knobs, and ``hold:v1``, on all nodes."""
    catalogue = Images()
    for tag, knobs in {"v1": {}, **(versions or {})}.items():
        image = Image(program="plugin", knobs={"version": tag, **knobs}, pull=HERE)
        catalogue.add(f"registry.test/fake:{tag}", image)
    catalogue.add("registry.test/hold:v1", Image(program="hold", pull=HERE))
    return catalogue


def container(image: str = "hold:v1", name: str = "main", **more: Any) -> Object:
    """A container of one of the images, or of any other."""
    whole = f"registry.test/{image}" if image.startswith(("fake:", "hold:")) else image
    return {"name": name, "image": whole, **more}


def devices(count: int, resource: str = RESOURCE) -> Object:
    """Of a container: ``resources`` that ask for devices."""
    return {"limits": {resource: str(count)}}


class Cluster:
    """A twin that runs."""

    def __init__(
        self,
        catalogue: Images | None = None,
        *,
        settings: KubeletSettings | None = None,
        machines: tuple[Machine, ...] = (),
        seed: int = 0,
    ) -> None:
        self.fleet = Fleet(
            machines or (Machine(name=NODE),),
            images=catalogue or images(),
            settings=settings or KubeletSettings(node_status_update=1.0),
        )
        self.twin = Twin(start=START, seed=seed, fleet=self.fleet)
        self.pods = self.twin.kinds.named("", "pods")
        self.kind_of_nodes = self.twin.kinds.named("", "nodes")
        self.twin.start()

    @property
    def now(self) -> float:
        """Simulated seconds since the twin was made."""
        return self.twin.clock.now() - START

    async def up(self) -> "Cluster":
        """Wait until all nodes are ready, and pods can be made."""
        for name in self.fleet.machines:
            await self.until(partial(self.is_ready, name))
        accounts = self.twin.kinds.named("", "serviceaccounts")
        await self.until(
            lambda: self.twin.store.get(accounts.stored, "default", "default") is not None
        )
        return self

    async def until(
        self, condition: Callable[[], Any], within: float = 900.0, what: str = ""
    ) -> None:
        """Wait for a condition, in simulated time."""
        end = self.now + within
        while not condition():
            assert self.now < end, f"not within {within} simulated seconds: {what}"
            await asyncio.sleep(0.05)

    def create(self, name: str, *containers: Object, node: str = NODE, **spec: Any) -> None:
        """Make a pod that is bound to a node already."""
        body = {
            "nodeName": node,
            "terminationGracePeriodSeconds": 5,
            "containers": list(containers) or [container()],
            **spec,
        }
        self.make(name, body)

    def make(self, name: str, spec: Object) -> None:
        """Make a pod with a whole spec."""
        body = {"metadata": {"name": name}, "spec": spec}
        self.twin.registry.create(self.pods, body, namespace="default")

    def plugin(self, tag: str = "v1", *, name: str = "plugin", node: str = NODE) -> None:
        """Make a pod of the fake driver."""
        environment = [
            {"name": "FAKE_RESOURCE", "value": RESOURCE},
            {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        ]
        mounts = [{"name": "plugins", "mountPath": PLUGINS}]
        volumes = [{"name": "plugins", "hostPath": {"path": PLUGINS, "type": "DirectoryOrCreate"}}]
        own = container(f"fake:{tag}", "plugin", env=environment, volumeMounts=mounts)
        self.create(name, own, node=node, volumes=volumes)

    def delete(self, name: str, grace: int | None = None) -> None:
        """Ask for a pod's deletion."""
        self.twin.registry.delete(self.pods, "default", name, DeleteOptions(grace=grace))

    def pod(self, name: str) -> Object | None:
        """A pod as the API has it."""
        return self.twin.store.get(self.pods.stored, "default", name)

    def reaches(self, name: str, until: Callable[[Object], bool]) -> bool:
        """Whether a pod has come to a stage."""
        return until(self.pod(name) or {})

    def status(self, name: str) -> Object:
        """A pod's status."""
        return dict(fields(self.pod(name), "status"))

    def phase(self, name: str) -> str:
        """A pod's phase."""
        return text(self.pod(name), "status", "phase")

    def condition(self, name: str, kind: str) -> Object:
        """A condition of a pod; an empty one where there is none."""
        listed = self.status(name).get("conditions") or []
        return next((item for item in listed if item["type"] == kind), {})

    def pod_ready(self, name: str) -> bool:
        """Whether a pod is Ready."""
        return self.condition(name, "Ready").get("status") == "True"

    def state(self, name: str, of: str = "main") -> Object:
        """The status of one container; an empty one where there is none."""
        status = self.status(name)
        listed = (*status.get("containerStatuses", ()), *status.get("initContainerStatuses", ()))
        return next((item for item in listed if item["name"] == of), {})

    def waits_for(self, name: str, of: str = "main") -> str:
        """The reason for which a container waits."""
        return text(self.state(name, of), "state", "waiting", "reason")

    def node(self, name: str = NODE) -> Object:
        """A node."""
        return self.twin.registry.get(self.kind_of_nodes, "", name)

    def is_ready(self, name: str = NODE) -> bool:
        """Whether a node is Ready."""
        found = self.twin.store.get(self.kind_of_nodes.stored, "", name)
        listed = at(found, "status", "conditions") or []
        return any((c["type"], c["status"]) == ("Ready", "True") for c in listed)

    def offers(self, resource: str = RESOURCE, node: str = NODE) -> str:
        """Capacity and allocatable of a resource, as ``4/4``; ``absent`` where there is none."""
        status = self.node(node)["status"]
        if resource not in status["capacity"]:
            return "absent"
        return f"{status['capacity'][resource]}/{status['allocatable'].get(resource)}"

    def events(self, name: str) -> list[tuple[str, str]]:
        """Reasons and messages of all events of an object, the oldest first."""
        found = self.twin.store.select(self.twin.kinds.named("", "events").stored)
        own = [item for item in found if item["involvedObject"]["name"] == name]
        own.sort(key=lambda item: int(item["metadata"]["name"].rpartition(".")[2], 16))
        return [(item["reason"], item["message"]) for item in own]

    def log(self, name: str, of: str = "main", **options: Any) -> str:
        """What a container has printed. Raises ApiError."""
        pod = self.twin.registry.get(self.pods, "default", name)
        lines = self.twin.nodes.logs(pod, LogOptions(container=of, **options))
        assert isinstance(lines, bytes)
        return lines.decode()

    def follow(self, name: str, of: str = "main") -> Chunks:
        """What a container prints from now on."""
        pod = self.twin.registry.get(self.pods, "default", name)
        chunks = self.twin.nodes.logs(pod, LogOptions(container=of, follow=True, tail=0))
        assert not isinstance(chunks, bytes)
        return chunks


async def cluster(catalogue: Images | None = None, **options: Any) -> Cluster:
    """A twin whose nodes are ready."""
    return await Cluster(catalogue, **options).up()

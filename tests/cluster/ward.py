"""Nodes with a fake plugin that can be made ill, for recovery on real kubelets."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import msgspec

from bridgehead.app.recover import Request, recover
from bridgehead.app.recover_acts import Acted
from bridgehead.app.recover_look import Asked
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session
from bridgehead.cluster.convert import component_from
from bridgehead.cluster.perform import Performer
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.diagnose.cause import Blame, RollbackHelps
from bridgehead.core.diagnose.diagnosis import Diagnosis, Ranked
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.node import HELD_BY, SCHEDULABLE_BEFORE
from bridgehead.core.plan.settings import (
    AllowedRecovery,
    AllowSettings,
    ComponentKind,
    ComponentRef,
)
from bridgehead.core.recover.limits import Limits
from bridgehead.core.recover.rung import Rung
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, Mode, NodeState, NodeStatus, RunState
from bridgehead.kube.client import Kube
from bridgehead.kube.resources import DAEMON_SETS
from testbed.cluster import Cluster
from testbed.knobs import environment
from testbed.node import Node
from tests.cluster.components import plan_of
from tests.cluster.use_cases import session
from tests.scenarios.objects import PLUGINS
from tests.scenarios.real_ground import RealGround

ILL = "/var/lib/scenario/ill"
"""A plugin's faults hold on a node while this file is there."""
RUN = "change-1"
HASTE = Limits(settling=2.0, steady=2.0, dead_for=3.0, quiet=0.0)
"""The test bed's kubelets report every second."""

Object = dict[str, Any]


def sound_until_told(rule: str, *nodes: str) -> Callable[[Session], Any]:
    """A diagnosis that names one cause on these nodes; none without a rule."""

    async def diagnose(_: Session) -> Diagnosis:
        cause = Ranked(
            rule=rule,
            severity=Severity.ERROR,
            confidence=Confidence.HIGH,
            message=f"it is {rule}",
            remedy="",
            object=ObjectRef(),
            nodes=nodes,
            scope="",
            blame=Blame.BELOW,
            evidence=(Evidence("the test", "says so"),),
            refuted_by="",
            ruled_out=(),
            actions=(),
            rollback_helps=RollbackHelps.UNKNOWN,
            explains=(),
        )
        return Diagnosis(at="", about="", healthy=False, causes=(cause,) if rule else ())

    return diagnose


async def no_command(argv: tuple[str, ...]) -> tuple[int, str]:
    """Nothing is run on this machine unless a test says so."""
    raise AssertionError(argv)


class Ward:
    """Leased nodes, a namespace, and a plugin's DaemonSet with knobs."""

    def __init__(self, cluster: Cluster, kube: Kube, namespace: str, nodes: list[Node]) -> None:
        self.cluster = RealGround(cluster.name)
        self.kube = kube
        self.namespace = namespace
        self.nodes = nodes
        self.names = [node.name for node in nodes]
        self.resource = f"{namespace}.example.com/fake"
        self.ref = ComponentRef(ComponentKind.DAEMON_SET, namespace, "plugin")
        self.session = session(kube, namespace)

    async def open(self, **knobs: object) -> None:
        """Images, labels, the DaemonSet; returns when every pod of it runs."""
        image, hold = f"registry.test/ward-{self.namespace}:v1", self.hold
        await asyncio.to_thread(
            self.cluster.put_images, {image: {}}, hold, self.namespace, self.names
        )
        for name in self.names:
            self.api.patch(f"/api/v1/nodes/{name}", {"metadata": {"labels": self._label}})
        self.api.create(self._path("daemonsets"), self._daemon_set(image, knobs))
        await self.until(lambda: len(self.plugin_pods(ready=True)) == len(self.nodes))

    @property
    def api(self) -> Any:
        """The test bed's own client."""
        return self.cluster.api

    @property
    def hold(self) -> str:
        """The image of a workload that waits."""
        return f"registry.test/hold-{self.namespace}:v1"

    @property
    def _label(self) -> dict[str, str]:
        return {f"ward-{self.namespace}": "true"}

    def _path(self, plural: str, name: str = "") -> str:
        group = "api/v1" if plural in {"pods", "resourcequotas", "configmaps"} else "apis/apps/v1"
        return f"/{group}/namespaces/{self.namespace}/{plural}{f'/{name}' if name else ''}"

    def _daemon_set(self, image: str, knobs: dict[str, object]) -> Object:
        env = environment({"resource": self.resource, "onlyIfFile": ILL, **knobs})
        folders = {"device-plugins": PLUGINS, "scenario": "/var/lib/scenario"}
        labels = {"app": "plugin"}
        container = {
            "name": "plugin",
            "image": image,
            "env": [{"name": name, "value": value} for name, value in env.items()],
            "volumeMounts": [{"name": name, "mountPath": path} for name, path in folders.items()],
        }
        volumes = [
            {"name": name, "hostPath": {"path": path, "type": "DirectoryOrCreate"}}
            for name, path in folders.items()
        ]
        return {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": "plugin"},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {
                        "nodeSelector": self._label,
                        "terminationGracePeriodSeconds": 1,
                        "containers": [container],
                        "volumes": volumes,
                    },
                },
            },
        }

    def plugin_pods(self, *, ready: bool = False) -> dict[str, Object]:
        """Live plugin pods by node."""
        return {
            pod["spec"].get("nodeName", ""): pod
            for pod in self.pods("plugin")
            if "deletionTimestamp" not in pod["metadata"] and (not ready or _is_ready(pod))
        }

    def pods(self, app: str) -> list[Object]:
        """Pods with that label."""
        found: list[Object] = self.api.get(f"{self._path('pods')}?labelSelector=app%3D{app}")[
            "items"
        ]
        return found

    def node(self, number: int) -> Object:
        """A node's object."""
        found: Object = self.api.get(f"/api/v1/nodes/{self.names[number]}")
        return found

    def shown(self, number: int, resource: str = "") -> tuple[str | None, str | None]:
        """Capacity and allocatable of a node."""
        status = self.node(number)["status"]
        name = resource or self.resource
        return status["capacity"].get(name), status["allocatable"].get(name)

    async def shows(
        self, number: int, value: tuple[str | None, str | None], resource: str = ""
    ) -> None:
        """Wait until a node shows that."""
        await self.until(lambda: self.shown(number, resource) == value)

    async def until(self, condition: Callable[[], bool], seconds: float = 90) -> None:
        """Wait until it holds; the test fails where it does not in time."""
        end = time.monotonic() + seconds
        while not await asyncio.to_thread(condition):
            assert time.monotonic() < end, "the condition did not come true in time"
            await asyncio.sleep(0.2)

    def give_to(self, number: int, run: str) -> None:
        """Mark a node as held by a run, of another component perhaps."""
        patch = {"metadata": {"annotations": {HELD_BY: run}}}
        self.api.patch(f"/api/v1/nodes/{self.names[number]}", patch)

    def hold_pod(self, number: int, resource: str = "", *, app: str = "holder") -> Object:
        """A pod that asks for a device of one node."""
        return {
            "metadata": {"generateName": f"{app}-", "labels": {"app": app}},
            "spec": {
                "nodeSelector": {"kubernetes.io/hostname": self.names[number]},
                "terminationGracePeriodSeconds": 1,
                "containers": [
                    {
                        "name": "main",
                        "image": self.hold,
                        "resources": {"limits": {resource or self.resource: "1"}},
                    }
                ],
            },
        }

    def create_pod(self, body: Object) -> str:
        """Create it; its name."""
        return str(self.api.create(self._path("pods"), body)["metadata"]["name"])

    def delete_pod(self, name: str) -> None:
        """Delete it at once."""
        self.api.delete(self._path("pods", name), grace=0)

    def create_replica_set(self, pod: Object) -> None:
        """A controller of one such pod."""
        labels = pod["metadata"]["labels"]
        spec = {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod["spec"]},
        }
        self.api.create(self._path("replicasets"), {"metadata": {"name": "many"}, "spec": spec})

    async def scale_down(self) -> None:
        """Have that controller make no more, and wait until it has heard so."""
        changed = self.api.patch(self._path("replicasets", "many"), {"spec": {"replicas": 0}})
        wanted = changed["metadata"]["generation"]

        def heard() -> bool:
            status = self.api.get(self._path("replicasets", "many"))["status"]
            return bool(status.get("observedGeneration", 0) >= wanted)

        await self.until(heard)

    def lone_plugin(self, number: int, resource: str) -> str:
        """A plugin pod without a controller that offers another name on one node."""
        body = self._daemon_set(f"registry.test/ward-{self.namespace}:v1", {"resource": resource})
        spec = body["spec"]["template"]["spec"]
        spec["nodeSelector"] = {"kubernetes.io/hostname": self.names[number]}
        return self.create_pod({"metadata": {"generateName": "old-"}, "spec": spec})

    def plant(self, number: int, resource: str) -> None:
        """Write a name at 0 into a node's status."""
        status = {"capacity": {resource: "0"}, "allocatable": {resource: "0"}}
        self.api.patch(f"/api/v1/nodes/{self.names[number]}/status", {"status": status})

    def request(self, number: int, rung: Rung | None = None, **more: Any) -> Request:
        """What a person asks for on one node."""
        asked = Asked(component=self.ref, by_person=rung is not None, limits=HASTE)
        fields = {name: more.pop(name) for name in ("resource", "limits") if name in more}
        return Request(
            asked=msgspec.structs.replace(asked, **fields),
            node=self.names[number],
            rung=rung,
            owner="the tests",
            **more,
        )

    async def recover(
        self, number: int, rung: Rung | None = None, *, rule: str = "", **more: Any
    ) -> Any:
        """Recover one node, with the diagnosis given."""
        command = more.pop("run", no_command)
        return await recover(
            self.session,
            self.request(number, rung, **more),
            sound_until_told(rule, self.names[number]),
            command,
        )

    async def stopped_run(self, number: int, allowed: AllowedRecovery) -> Ended:
        """A run of the component that has stopped on that node and keeps both."""
        raw = await self.kube.get_raw(DAEMON_SETS, "plugin", self.namespace)
        plan = plan_of(component_from(raw))
        spec = msgspec.structs.replace(plan.spec, allow=AllowSettings(recover=allowed))
        plan = msgspec.structs.replace(plan, spec=spec, resources=(self.resource,))
        store = RunStore(self.kube, self.namespace)
        await store.create(Record(run=RUN, owner="", spec="", plan=plan))
        signature = Signature(run=RUN, owner="", identity="me")
        began = note("run", "began", detail={"generation": plan.generation})
        await store.append(RUN, [began], signature, self.session.clock())
        hand = Performer(self.kube, RUN, plan, 1, lambda: None, state_namespace=self.namespace)
        await hand.claim()
        node = self.names[number]
        marks = {HELD_BY: RUN, SCHEDULABLE_BEFORE: "true"}
        patch = {"metadata": {"annotations": marks}, "spec": {"unschedulable": True}}
        self.api.patch(f"/api/v1/nodes/{node}", patch)
        stuck = NodeState(name=node, status=NodeStatus.STUCK, held=True)
        run = Run(
            name=RUN,
            plan=plan,
            state=RunState(mode=Mode.HOLD, nodes={node: stuck}),
            family=plan.family,
        )
        return Ended(run=run, ending=Ending(exit=4, summary="it holds"), head="")

    def close(self) -> None:
        """Undo what does not go with the namespace."""
        for node in self.nodes:
            node.remove_files("/var/lib/scenario")


def _is_ready(pod: Object) -> bool:
    return any(
        item["type"] == "Ready" and item["status"] == "True"
        for item in pod["status"].get("conditions", [])
    )


def verified(result: object) -> Acted:
    """What was done, and has helped."""
    assert isinstance(result, Acted), result
    assert result.verified, result.said
    return result

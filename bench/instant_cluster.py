"""A cluster that is only values, for measuring the engine alone: every effect is there at once.

Nodes come back a few seconds after their pod was deleted. Nothing of a real cluster is simulated
beyond what makes a run go on; the tests have a stand-in for that.
"""

from collections.abc import Mapping
from functools import cache

import msgspec

from bridgehead.core.model.component import RUN, Component, Revision, template_digest, with_images
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import HELD_BY, SCHEDULABLE_BEFORE, Node
from bridgehead.core.model.pod import REVISION_HASH, Container, Pod
from bridgehead.core.plan.plan import Cost, Plan, PlannedCohort, Stage, StageKind, Timing
from bridgehead.core.plan.settings import (
    ComponentKind,
    ComponentRef,
    ContainerImage,
    ImagesChange,
    RolloutSpec,
)
from bridgehead.core.rollout.commands import (
    Command,
    Cordon,
    CreateOwnPod,
    DeleteOwnPod,
    DeletePod,
    Flip,
    LetGo,
    Position,
    RestoreStrategy,
    Role,
    TakeOver,
    Uncordon,
)
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.probe import ABSENT_COMMAND

GPU = "vendor.com/gpu"
NAME = "bench"
START = 1_800_000_000.0
COMES_UP = 5.0
"""Seconds from a deletion to the successor's readiness."""
COHORT = 250
"""Nodes of one kind."""
IMAGE = "registry.bench/plugin"


def plan_for(names: tuple[str, ...], *, parallel: int, soak: float) -> Plan:
    """One canary a cohort, then one wave over the rest."""
    former = template(1)
    cohorts = tuple(
        PlannedCohort(f"kind-{start}", names[start : start + COHORT])
        for start in range(0, len(names), COHORT)
    )
    canaries = tuple(cohort.nodes[0] for cohort in cohorts)
    rest = tuple(name for name in names if name not in set(canaries))
    return Plan(
        spec=RolloutSpec(
            name=NAME,
            component=ComponentRef(ComponentKind.DAEMON_SET, "gpu", "plugin"),
            change=ImagesChange((ContainerImage("plugin", f"{IMAGE}:v2"),)),
        ),
        component_uid="component",
        generation=1,
        resources=(GPU,),
        resources_source="bench",
        family="generic",
        change_digest="sha256:" + "c" * 64,
        plan_digest="sha256:" + "d" * 64,
        former=_revision(1),
        former_template=former,
        former_strategy={"type": "RollingUpdate"},
        target_template=template(2),
        cohorts=cohorts,
        stages=(
            Stage("canary", StageKind.CANARY, canaries[:1], 1, 2, soak),
            Stage("other canaries", StageKind.CANARY, canaries[1:], parallel, 2 * parallel, soak),
            Stage("wave 1", StageKind.WAVE, rest, parallel, 2 * parallel, soak),
        ),
        restart_tests=canaries,
        timing=Timing(settle=30.0, status_period=10.0, timeout=240.0),
        cost=Cost(0.0, 0.0, 0),
    )


def template(version: int) -> JsonObject:
    """The pod template of one version."""
    variables = [{"name": f"SETTING_{number}", "value": "on"} for number in range(20)]
    container: JsonObject = {"name": "plugin", "image": f"{IMAGE}:v1", "env": variables}
    return with_images({"spec": {"containers": [container]}}, {"plugin": f"{IMAGE}:v{version}"})


@cache
def _revision(version: int) -> Revision:
    return Revision(
        f"plugin-{version}", f"hash{version}", version, template_digest(template(version))
    )


class InstantCluster:
    """Nodes with devices and one component, changed by commands."""

    def __init__(self, names: tuple[str, ...], plan: Plan) -> None:
        self.now = START
        self._plan = plan
        self._uids = 0
        self._standing = 1
        self._component = Component(
            namespace="gpu",
            name="plugin",
            uid="component",
            generation=1,
            observed_generation=1,
            template=template(1),
            strategy={"type": "RollingUpdate"},
            selector={},
            annotations={RUN: f"bridgehead/{NAME}/1"},
        )
        offers = {GPU: Offer(8, 8)}
        self._nodes = {name: Node(name=name, uid=name, ready=True, offers=offers) for name in names}
        self._pods: dict[str, tuple[Pod, ...]] = {n: (self._pod(n, 1),) for n in names}
        self._own: dict[str, Pod] = {}
        self._coming: dict[str, float] = {}

    def advance(self, seconds: float) -> None:
        """Time passes; pods become Ready."""
        self.now += seconds
        for name in [name for name, at in self._coming.items() if self.now >= at]:
            del self._coming[name]
            (pod,) = self._pods[name]
            self._put(name, msgspec.structs.replace(pod, ready=True))

    def world(self) -> World:
        """What the feed would say: mappings that are made anew only where something changed."""
        flying = [name for name, node in self._nodes.items() if node.unschedulable]
        return World(
            component=self._component,
            revisions=(_revision(1), _revision(2)),
            nodes=self._nodes,
            pods=self._pods,
            requesters=dict.fromkeys(flying, ()),
            own=self._own,
            logs=_Logs(),
        )

    def perform(self, command: Command) -> JsonObject:
        """The effect, and what the API server would say of it."""
        match command:
            case TakeOver():
                return self._write(strategy={"type": "OnDelete"})
            case RestoreStrategy():
                return self._write(strategy={"type": "RollingUpdate"})
            case Flip(to=position):
                self._standing = 2 if position is Position.TARGET else 1
                return self._write(template=template(self._standing))
            case LetGo():
                self._component = msgspec.structs.replace(self._component, annotations={})
            case Cordon(node=name):
                marks = {HELD_BY: NAME, SCHEDULABLE_BEFORE: "true"}
                self._node(name, unschedulable=True, annotations=marks)
            case Uncordon(node=name):
                self._node(name, unschedulable=False, annotations={})
            case DeletePod(node=name):
                self._put(name, self._pod(name, self._standing, ready=False))
                self._coming[name] = self.now + COMES_UP
            case CreateOwnPod(node=name, role=role):
                self._own = {**self._own, f"{name}/{role.value}": self._own_pod(name, role)}
            case DeleteOwnPod(node=name, role=role):
                gone = f"{name}/{role.value}"
                self._own = {key: pod for key, pod in self._own.items() if key != gone}
            case _:
                raise TypeError(f"not part of this run: {command}")
        return {}

    def _write(self, **fields: JsonObject) -> JsonObject:
        generation = self._component.generation + 1
        self._component = msgspec.structs.replace(
            self._component, generation=generation, observed_generation=generation, **fields
        )
        return {"generation": generation}

    def _node(self, name: str, **fields: object) -> None:
        self._nodes = {**self._nodes, name: msgspec.structs.replace(self._nodes[name], **fields)}

    def _put(self, name: str, pod: Pod) -> None:
        self._pods = {**self._pods, name: (pod,)}

    def _uid(self) -> str:
        self._uids += 1
        return f"{self._uids:08x}-0000-4000-8000-000000000000"

    def _pod(self, node: str, version: int, *, ready: bool = True) -> Pod:
        uid = self._uid()
        image = f"{IMAGE}:v{version}"
        container = Container(
            name="plugin",
            image=image,
            image_id=image,
            container_id=uid,
            ready=ready,
            state="running",
        )
        return Pod(
            namespace="gpu",
            name=f"plugin-{uid[:8]}",
            uid=uid,
            node=node,
            bound=True,
            labels={REVISION_HASH: f"hash{version}"},
            phase="Running",
            admitted=True,
            ready=ready,
            created=self.now,
            containers=(container,),
        )

    def _own_pod(self, node: str, role: Role) -> Pod:
        uid = self._uid()
        ended = Container(
            name="probe",
            container_id=uid,
            state="terminated",
            reason="StartError",
            message=f"exec: {ABSENT_COMMAND}: no such file or directory",
        )
        return Pod(
            namespace="gpu",
            name=f"{role.value}-{uid}",
            uid=uid,
            node=node,
            bound=True,
            phase="Failed",
            admitted=True,
            created=self.now,
            containers=(ended,),
        )


class _Logs(Mapping[str, str]):
    """Every pod says the same."""

    def __getitem__(self, uid: str) -> str:
        return "Registered device plugin with Kubelet"

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(())

    def __len__(self) -> int:
        return 0

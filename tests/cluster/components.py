"""A small component on the real cluster, and the plan of a change to it."""

from typing import Any

import msgspec

from bridgehead.cluster.convert import component_from, revision_from
from bridgehead.core.model.component import Component, Revision, with_images
from bridgehead.core.plan.plan import Cost, Plan, PlannedCohort, Stage, StageKind, Timing
from bridgehead.core.plan.settings import (
    ComponentKind,
    ComponentRef,
    ContainerImage,
    ImagesChange,
    RolloutSpec,
)
from bridgehead.kube.client import Kube
from bridgehead.kube.resources import CONTROLLER_REVISIONS, DAEMON_SETS, PODS
from testbed.base_image import BASE_IMAGE

NAME = "plugin"
RESOURCE = "test.bridgehead.dev/device"
FORMER_IMAGE = "testbed.local/base:former"


def daemon_set(namespace: str, image: str = FORMER_IMAGE) -> dict[str, Any]:
    labels = {"app": "plugin"}
    container = {"name": "plugin", "image": image, "imagePullPolicy": "IfNotPresent"}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": NAME, "namespace": namespace},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "nodeSelector": {"test": namespace},
                    "terminationGracePeriodSeconds": 1,
                    "containers": [container],
                },
            },
        },
    }


def plan_of(
    component: Component, *, former: Revision | None = None, target_image: str = BASE_IMAGE
) -> Plan:
    """A plan that gives the component's container the target image."""
    return Plan(
        spec=RolloutSpec(
            name="change",
            component=ComponentRef(ComponentKind.DAEMON_SET, component.namespace, component.name),
            change=ImagesChange((ContainerImage("plugin", target_image),)),
        ),
        component_uid=component.uid,
        resources=(RESOURCE,),
        resources_source="the test",
        family="generic",
        change_digest="sha256:change",
        plan_digest="sha256:plan",
        generation=component.generation,
        former=former or Revision("plugin-1", "1", 1, component.template_digest),
        former_template=component.template,
        former_strategy=component.strategy,
        target_template=with_images(component.template, {"plugin": target_image}),
        cohorts=(PlannedCohort("all", ("node-1",)),),
        stages=(Stage("canary", StageKind.CANARY, ("node-1",), 1, 2, 1.0),),
        timing=Timing(settle=3.0, status_period=1.0, timeout=30.0),
        cost=Cost(1.0, 0.0, 1),
    )


async def plan_for(kube: Kube, namespace: str) -> Plan:
    raw = await kube.get_raw(DAEMON_SETS, NAME, namespace)
    component = component_from(raw)
    revisions = await kube.list_raw(CONTROLLER_REVISIONS, namespace)
    found = [revision_from(item) for item in revisions.items]
    return plan_of(component, former=found[0] if found else None)


class OnCluster(msgspec.Struct):
    """The component as it is on the cluster now."""

    kube: Kube
    plan: Plan

    @property
    def namespace(self) -> str:
        return self.plan.spec.component.namespace

    async def now(self) -> Component:
        return component_from(await self.kube.get_raw(DAEMON_SETS, NAME, self.namespace))

    async def merge(self, body: dict[str, Any]) -> None:
        """A foreign change, as far as the component's spec and annotations go."""
        await self.kube.patch_merge(DAEMON_SETS, NAME, body, namespace=self.namespace)

    async def pods_on(self, node: str) -> list[Any]:
        listing = await self.kube.list(PODS, self.namespace, field_selector=f"spec.nodeName={node}")
        return list(listing.items)

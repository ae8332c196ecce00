"""What the API server would make of a change: asked by dry-run, which stores nothing."""

from collections.abc import Mapping

import msgspec

from bridgehead.cluster.refusals import is_refusal, knows_no_dry_run
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, child, texts
from bridgehead.core.plan.plan import Refusal
from bridgehead.core.plan.settings import RolloutSpec
from bridgehead.core.plan.subject import changed_template
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import ApiError
from bridgehead.kube.resources import DAEMON_SETS, PODS


async def stored_target(
    kube: Kube, spec: RolloutSpec, component: Component
) -> JsonObject | Refusal:
    """The changed template as the server would store it, with its defaults and its webhooks.

    A refusal where validation or admission says no: to write it would say the same. Raises
    KeyError for a container that the template lacks, Forbidden where the permission to patch is
    missing, and KubeError.
    """
    template = changed_template(spec, component)
    operations: list[JsonObject] = [
        {"op": "test", "path": "/metadata/uid", "value": component.uid},
        {"op": "replace", "path": "/spec/template", "value": template},
    ]
    try:
        answer = await kube.patch_json(
            DAEMON_SETS, component.name, operations, namespace=component.namespace, dry_run=True
        )
    except ApiError as error:
        if not is_refusal(error):
            raise
        return Refusal(
            "template-refused",
            f"the API server would refuse the changed template of {component.ref}: {error.message}",
            "change what the spec asks for, or what the cluster admits: "
            "kubectl get validatingwebhookconfigurations,validatingadmissionpolicies",
            component.ref,
        )
    stored = child(answer, "spec", "template")
    return stored if isinstance(stored, Mapping) else template


class Answer(msgspec.Struct, frozen=True):
    """What the server says to a pod; ``accepted`` is None where its answer tells nothing."""

    accepted: bool | None
    message: str = ""


async def pod_answer(kube: Kube, namespace: str, name: str, template: JsonObject) -> Answer:
    """Whether the namespace would take a pod of the template of the DaemonSet ``name``.

    Quota, Pod Security, LimitRanges and webhooks judge pods only: a DaemonSet is accepted, and its
    pods are refused. A dry-run meets them all without a pod (Kubernetes 1.37, seen for Pod
    Security and quota). Raises Forbidden where the permission to create pods is missing, NotFound
    where there is no such namespace.
    """
    pod: JsonObject = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": f"{name}-",
            "namespace": namespace,
            "labels": texts(template, "metadata", "labels"),
            "annotations": texts(template, "metadata", "annotations"),
        },
        "spec": child(template, "spec"),
    }
    try:
        await kube.create(PODS, pod, dry_run=True)
    except ApiError as error:
        if not is_refusal(error):
            raise
        return Answer(None if knows_no_dry_run(error) else False, error.message)
    return Answer(True)


async def pod_refusal(kube: Kube, component: Component, template: JsonObject) -> Refusal | None:
    """Why the namespace would refuse a pod of the template; None where it would take it.

    An answer that tells nothing counts as a refusal: a change must not begin on it. Raises as
    ``pod_answer`` does.
    """
    answer = await pod_answer(kube, component.namespace, component.name, template)
    if answer.accepted:
        return None
    return Refusal(
        "pod-refused",
        f"namespace {component.namespace} would refuse a pod of {component.ref}: {answer.message}",
        "change the template, or what the namespace allows: kubectl describe namespace "
        f"{component.namespace}",
        component.ref,
    )

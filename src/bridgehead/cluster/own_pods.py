"""Pods of our own: one that pulls the target's images, one that asks for a device. Pure.

They have nothing of the component's but what decides whether an image can be pulled and started:
pull secrets, service account, runtime class. They pass Pod Security's restricted profile, carry
only labels of ours, and are pinned by affinity, so that scheduler and kubelet treat them as they
would treat a user's pod (a pod with ``nodeName`` skips the scheduler).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bridgehead.cluster.names import own_pod_labels, own_pod_name
from bridgehead.core.model.component import images
from bridgehead.core.model.json import JsonObject, child, children, text
from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.settings import ProbeSettings
from bridgehead.core.rollout.commands import Role
from bridgehead.core.verify.probe import ABSENT_COMMAND

NOBODY = 65534
"""A user without rights, by convention ``nobody``."""

_SLACK = 60
"""Seconds beyond what the gates wait for: the pod ends by itself if nobody removes it."""


def own_pod(plan: Plan, run: str, node: str, role: Role, *, running: str = "") -> dict[str, Any]:
    """The pod's manifest.

    ``running`` is the image of the component's pod that the node runs already; a probe uses it,
    so that it asks for a device and not for the registry. Empty where there is none.
    """
    containers = _pull_containers(plan) if role is Role.PULL else [_probe_container(plan, running)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": own_pod_name(run, role, node),
            "namespace": plan.spec.component.namespace,
            "labels": own_pod_labels(run, role),
        },
        "spec": _spec(plan, node, containers),
    }


def _spec(plan: Plan, node: str, containers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    patience = int(plan.timing.settle + plan.timing.timeout) + _SLACK
    spec: dict[str, Any] = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "activeDeadlineSeconds": patience,
        "terminationGracePeriodSeconds": 1,
        "affinity": {"nodeAffinity": _only(node)},
        "tolerations": [{"operator": "Exists"}],
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": NOBODY,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": list(containers),
    }
    template = child(plan.target_template, "spec")
    for field in ("imagePullSecrets", "serviceAccountName", "runtimeClassName"):
        if value := child(template, field):
            spec[field] = value
    return spec


def _only(node: str) -> dict[str, Any]:
    """The affinity that the DaemonSet controller gives its pods, too."""
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms = [{"matchFields": [field]}]
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}


def _container(name: str, image: str, command: Sequence[str]) -> dict[str, Any]:
    return {
        "name": name,
        "image": image,
        "command": list(command),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        },
    }


def _pull_containers(plan: Plan) -> list[dict[str, Any]]:
    """One container for each image that a node may lack, init containers' images included."""
    _, changes = plan.pulls
    chosen = {image: name for name, image in sorted(changes.items(), reverse=True)}
    by_name = sorted((name, image) for image, name in chosen.items())
    return [_container(name, image, [ABSENT_COMMAND]) for name, image in by_name]


def _probe_container(plan: Plan, running: str) -> dict[str, Any]:
    settings: ProbeSettings | None = plan.spec.verify.probe
    if settings is not None:
        container = _container("probe", settings.image, settings.command)
    else:
        image = running or images(plan.target_template)[probe_container(plan)]
        container = _container("probe", image, [ABSENT_COMMAND])
    container["resources"] = {"limits": {plan.resources[0]: "1"}}
    return container


def probe_container(plan: Plan) -> str:
    """The container whose image the probe uses: the first that changes, else the first."""
    names = [text(item, "name") for item in children(plan.target_template, "spec", "containers")]
    changed = plan.images
    return next((name for name in names if name in changed), names[0])


def selects(selector: JsonObject, labels: Mapping[str, str]) -> bool:
    """Whether a controller's label selector selects an object with these labels.

    Source: LabelSelector of apimachinery ``meta/v1``, Kubernetes 1.37; an unknown operator counts
    as selecting, which is the careful answer here.
    """
    wanted = child(selector, "matchLabels")
    pairs = wanted.items() if isinstance(wanted, Mapping) else ()
    return all(labels.get(key) == value for key, value in pairs) and all(
        _holds(item, labels) for item in children(selector, "matchExpressions")
    )


def _holds(expression: JsonObject, labels: Mapping[str, str]) -> bool:
    key, values = text(expression, "key"), child(expression, "values")
    listed = values if isinstance(values, Sequence) else ()
    match text(expression, "operator"):
        case "In":
            return key in labels and labels[key] in listed
        case "NotIn":
            return key not in labels or labels[key] not in listed
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case _:
            return True

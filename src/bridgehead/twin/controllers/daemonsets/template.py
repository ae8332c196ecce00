"""The pod that a DaemonSet makes for a node.

Source: k8s.io/kubernetes/pkg/controller/daemon/util/daemonset_util.go (1.37).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bridgehead.twin.controllers.pods import pod_of
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, fields, items, labels_of, text, with_field
from bridgehead.twin.selection import required_terms

HASH_LABEL = "controller-revision-hash"
GENERATION_LABEL = "pod-template-generation"
_GENERATION = "deprecated.daemonset.template.generation"

_ALWAYS = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
_ON_HOST_NETWORK = (*_ALWAYS, ("node.kubernetes.io/network-unavailable", "NoSchedule"))
_IDENTITY = ("key", "effect", "operator", "value")


def generation_of(daemon_set: Object) -> str:
    """How often its template has changed, as a label says it; empty where nobody knows."""
    found = text(daemon_set, "metadata", "annotations", _GENERATION)
    return found if found.lstrip("-").isdigit() else ""


def tolerations_of(daemon_set: Object) -> list[Mapping[str, Any]]:
    """The tolerations of its pods: those of the template, and those that every one gets."""
    spec = fields(daemon_set, "spec", "template", "spec")
    found: list[Mapping[str, Any]] = list(items(spec, "tolerations"))
    for key, effect in _ON_HOST_NETWORK if spec.get("hostNetwork") else _ALWAYS:
        added = {"key": key, "operator": "Exists", "effect": effect}
        same = [index for index, each in enumerate(found) if _identity(each) == _identity(added)]
        if same:
            found[same[0]] = added
        else:
            found.append(added)
    return found


def daemon_pod(kind: Kind, daemon_set: Object, hashed: str, node: str) -> Object:
    """A pod for a node, which only the scheduler gives to it."""
    template = daemon_set["spec"]["template"]
    labels = {**labels_of(template), HASH_LABEL: hashed}
    if generation := generation_of(daemon_set):
        labels[GENERATION_LABEL] = generation
    named = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms = [{"matchFields": [named]}]
    rule = "requiredDuringSchedulingIgnoredDuringExecution"
    path = ("affinity", "nodeAffinity", rule, "nodeSelectorTerms")
    spec = with_field(template["spec"], path, terms)
    spec["tolerations"] = tolerations_of(daemon_set)
    template = with_field({**template, "spec": spec}, ("metadata", "labels"), labels)
    return pod_of(template, kind, daemon_set)


def is_updated(pod: Object, hashed: str, generation: str) -> bool:
    """Whether a pod is of the present template, by its hash or by the older label."""
    labels = labels_of(pod)
    if labels.get(HASH_LABEL) == hashed:
        return True
    return bool(generation) and labels.get(GENERATION_LABEL) == generation


def target_of(pod: Object) -> str:
    """The node of a DaemonSet's pod, or the one that it waits for; empty where neither is known."""
    if node := text(pod, "spec", "nodeName"):
        return node
    terms: Sequence[Mapping[str, Any]] = required_terms(fields(pod, "spec")) or ()
    for term in terms:
        for each in term.get("matchFields") or ():
            if each["key"] == "metadata.name" and each["operator"] == "In":
                values: Sequence[str] = each.get("values") or ()
                return values[0] if len(values) == 1 else ""
    return ""


def _identity(toleration: Mapping[str, Any]) -> list[str]:
    return [toleration.get(key) or "" for key in _IDENTITY]

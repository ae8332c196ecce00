"""Defaults of all other kinds, and which function is whose.

Source: k8s.io/kubernetes/pkg/apis/GROUP/VERSION/defaults.go.
"""

from collections.abc import Callable, Mapping

from bridgehead.twin.admission.defaults.containers import default_resources
from bridgehead.twin.admission.defaults.pods import default_pod
from bridgehead.twin.admission.defaults.scaling import default_autoscaler
from bridgehead.twin.admission.defaults.services import default_service
from bridgehead.twin.admission.defaults.storage import (
    default_claim,
    default_csi_driver,
    default_persistent_volume,
    default_storage_class,
)
from bridgehead.twin.admission.defaults.text import with_text_encoded
from bridgehead.twin.admission.defaults.workloads import (
    default_cron_job,
    default_daemon_set,
    default_deployment,
    default_job,
    default_pod_template,
    default_replica_set,
    default_replication_controller,
    default_stateful_set,
)
from bridgehead.twin.objects import Object

_RBAC = "rbac.authorization.k8s.io"


def _default_namespace(obj: Object) -> None:
    metadata = obj["metadata"]
    if name := metadata.get("name"):
        labels = metadata["labels"] = metadata.get("labels") or {}
        labels["kubernetes.io/metadata.name"] = name
    status = obj.setdefault("status", {})
    status["phase"] = status.get("phase") or "Active"


def _default_secret(obj: Object) -> None:
    with_text_encoded(obj)
    obj["type"] = obj.get("type") or "Opaque"


def _default_node(obj: Object) -> None:
    status = obj.setdefault("status", {})
    default_resources({"limits": status.get("capacity"), "requests": status.get("allocatable")})
    if "capacity" in status and "allocatable" not in status:
        status["allocatable"] = dict(status["capacity"])


def _default_binding(obj: Object) -> None:
    role = obj.setdefault("roleRef", {})
    role["apiGroup"] = role.get("apiGroup") or _RBAC
    for subject in obj.get("subjects") or ():
        if subject.get("kind") in {"User", "Group"} and not subject.get("apiGroup"):
            subject["apiGroup"] = _RBAC


def _default_priority_class(obj: Object) -> None:
    obj.setdefault("preemptionPolicy", "PreemptLowerPriority")


def _default_network_policy(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    for rule in [*(spec.get("ingress") or ()), *(spec.get("egress") or ())]:
        for port in rule.get("ports") or ():
            port.setdefault("protocol", "TCP")
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


def _default_ingress_class(obj: Object) -> None:
    parameters = (obj.get("spec") or {}).get("parameters")
    if parameters is not None:
        parameters.setdefault("scope", "Cluster")


def _default_endpoint_slice(obj: Object) -> None:
    for port in obj.get("ports") or ():
        port.setdefault("name", "")
        port.setdefault("protocol", "TCP")


def _default_endpoints(obj: Object) -> None:
    for subset in obj.get("subsets") or ():
        for port in subset.get("ports") or ():
            port["protocol"] = port.get("protocol") or "TCP"


def _default_limit_range(obj: Object) -> None:
    for item in (obj.get("spec") or {}).get("limits") or ():
        if item.get("type") != "Container":
            continue
        limits = item.setdefault("default", {})
        requests = item.setdefault("defaultRequest", {})
        for source, target in (
            (item.get("max"), limits),
            (limits, requests),
            (item.get("min"), requests),
        ):
            for name, amount in (source or {}).items():
                target.setdefault(name, amount)


def _default_csr(obj: Object) -> None:
    obj.setdefault("status", {})


def _default_webhooks(obj: Object) -> None:
    for webhook in obj.get("webhooks") or ():
        webhook.setdefault("failurePolicy", "Fail")
        webhook.setdefault("matchPolicy", "Equivalent")
        webhook.setdefault("namespaceSelector", {})
        webhook.setdefault("objectSelector", {})
        webhook.setdefault("timeoutSeconds", 10)
        if obj.get("kind") == "MutatingWebhookConfiguration":
            webhook.setdefault("reinvocationPolicy", "Never")
        if (service := (webhook.get("clientConfig") or {}).get("service")) is not None:
            service.setdefault("port", 443)
        for rule in webhook.get("rules") or ():
            rule.setdefault("scope", "*")


def _default_custom_definition(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    names = spec.setdefault("names", {})
    if kind := names.get("kind"):
        names["singular"] = names.get("singular") or str(kind).lower()
        names["listKind"] = names.get("listKind") or f"{kind}List"
    spec.setdefault("conversion", {"strategy": "None"})


DEFAULTS: Mapping[tuple[str, str], Callable[[Object], None]] = {
    ("", "pods"): default_pod,
    ("", "podtemplates"): default_pod_template,
    ("", "replicationcontrollers"): default_replication_controller,
    ("", "services"): default_service,
    ("", "secrets"): _default_secret,
    ("", "namespaces"): _default_namespace,
    ("", "nodes"): _default_node,
    ("", "endpoints"): _default_endpoints,
    ("", "limitranges"): _default_limit_range,
    ("", "persistentvolumes"): default_persistent_volume,
    ("", "persistentvolumeclaims"): default_claim,
    ("apps", "daemonsets"): default_daemon_set,
    ("apps", "deployments"): default_deployment,
    ("apps", "replicasets"): default_replica_set,
    ("apps", "statefulsets"): default_stateful_set,
    ("batch", "jobs"): default_job,
    ("batch", "cronjobs"): default_cron_job,
    ("autoscaling", "horizontalpodautoscalers"): default_autoscaler,
    ("storage.k8s.io", "storageclasses"): default_storage_class,
    ("storage.k8s.io", "csidrivers"): default_csi_driver,
    ("scheduling.k8s.io", "priorityclasses"): _default_priority_class,
    ("networking.k8s.io", "networkpolicies"): _default_network_policy,
    ("networking.k8s.io", "ingressclasses"): _default_ingress_class,
    ("discovery.k8s.io", "endpointslices"): _default_endpoint_slice,
    ("certificates.k8s.io", "certificatesigningrequests"): _default_csr,
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"): _default_webhooks,
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"): _default_webhooks,
    ("apiextensions.k8s.io", "customresourcedefinitions"): _default_custom_definition,
    (_RBAC, "rolebindings"): _default_binding,
    (_RBAC, "clusterrolebindings"): _default_binding,
}
"""By group and resource; what is not in it has no defaults."""

"""What a rule may ask to see: a closed set, so that no more is read than rules need."""

from collections.abc import Mapping
from enum import Enum


class Need(Enum):
    """Something that is read of a cluster, or not."""

    NODES = "nodes"
    PODS = "pods"
    DAEMON_SETS = "daemonsets"
    REVISIONS = "controllerrevisions"
    EVENTS = "events"
    NAMESPACES = "namespaces"
    RESOURCE_QUOTAS = "resourcequotas"
    PRIORITY_CLASSES = "priorityclasses"
    RUNTIME_CLASSES = "runtimeclasses"
    CONFIG_MAPS = "configmaps"
    SECRETS = "secrets"
    """Names only: what is in a Secret is never read."""
    SERVICE_ACCOUNTS = "serviceaccounts"
    DEPLOYMENTS = "deployments"
    STATEFUL_SETS = "statefulsets"
    JOBS = "jobs"
    SERVICES = "services"
    ENDPOINTS = "endpointslices"
    WEBHOOKS = "webhookconfigurations"
    CSI_NODES = "csinodes"
    KUBEVIRT = "kubevirts"
    VIRTUAL_MACHINES = "virtualmachines"
    MACHINE_INSTANCES = "virtualmachineinstances"
    FPGA_FUNCTIONS = "acceleratorfunctions"
    FPGA_REGIONS = "fpgaregions"
    LOGS = "logs"
    """Logs of plugins and of pods that need explaining, with those of previous containers."""
    NODE_EVIDENCE = "node evidence"
    """Files of a node, by a reader pod or recorded."""
    ACCESS = "access reviews"
    """Answers of SubjectAccessReviews for the plugins' service accounts."""
    DRY_RUNS = "dry runs"
    """Answers of the server to a pod built from a template, created with ``dryRun=All``."""
    REGISTRY = "registry"
    """Image indexes, asked of the registry."""
    HISTORY = "history"
    """Earlier readings of what nodes offered."""


KINDS: Mapping[Need, tuple[str, ...]] = {
    Need.NODES: ("Node",),
    Need.PODS: ("Pod",),
    Need.DAEMON_SETS: ("DaemonSet",),
    Need.REVISIONS: ("ControllerRevision",),
    Need.EVENTS: ("Event",),
    Need.NAMESPACES: ("Namespace",),
    Need.RESOURCE_QUOTAS: ("ResourceQuota",),
    Need.PRIORITY_CLASSES: ("PriorityClass",),
    Need.RUNTIME_CLASSES: ("RuntimeClass",),
    Need.CONFIG_MAPS: ("ConfigMap",),
    Need.SECRETS: ("Secret",),
    Need.SERVICE_ACCOUNTS: ("ServiceAccount",),
    Need.DEPLOYMENTS: ("Deployment",),
    Need.STATEFUL_SETS: ("StatefulSet",),
    Need.JOBS: ("Job",),
    Need.SERVICES: ("Service",),
    Need.ENDPOINTS: ("EndpointSlice",),
    Need.WEBHOOKS: ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    Need.CSI_NODES: ("CSINode",),
    Need.KUBEVIRT: ("KubeVirt",),
    Need.VIRTUAL_MACHINES: ("VirtualMachine",),
    Need.MACHINE_INSTANCES: ("VirtualMachineInstance",),
    Need.FPGA_FUNCTIONS: ("AcceleratorFunction",),
    Need.FPGA_REGIONS: ("FpgaRegion",),
    Need.NODE_EVIDENCE: ("NodeEvidence",),
    Need.HISTORY: ("DeviceHistory",),
    Need.DRY_RUNS: ("PodDryRun",),
    Need.ACCESS: ("AccessAnswer",),
    Need.REGISTRY: ("ImageIndex",),
}
"""Kinds of recorded objects that meet a need. The last five are kinds of ours, apiVersion
``bridgehead.dev/v1``: what was learned otherwise than by reading objects is recorded as objects, so
that a live and a recorded state are the same to a rule. LOGS are files (design: recorded state)."""

OF_SOME_CLUSTERS = frozenset(
    {
        Need.KUBEVIRT,
        Need.VIRTUAL_MACHINES,
        Need.MACHINE_INSTANCES,
        Need.FPGA_FUNCTIONS,
        Need.FPGA_REGIONS,
    }
)
"""Kinds that few clusters have. They are asked for only if something gives a reason
(``findings.occasions``): who may not list them would otherwise be told of a permission that is
missing for something that is not there."""

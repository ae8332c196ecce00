"""Pods: what they ask for, where they belong, what became of their containers."""

from datetime import datetime

import msgspec

from bridgehead.kube.objects.base import Condition, ObjectMeta, Partial, SelectorRequirement


class ResourceRequirements(Partial, frozen=True):
    """Quantities as written; `claims` are names out of the pod's `resource_claims`."""

    limits: dict[str, str] = msgspec.field(default_factory=dict)
    requests: dict[str, str] = msgspec.field(default_factory=dict)
    claims: tuple["ContainerClaim", ...] = ()


class ContainerClaim(Partial, frozen=True):
    """A container's use of one claim of its pod, or of one request inside it."""

    name: str = ""
    request: str = ""


class EnvName(Partial, frozen=True):
    """The name of an environment variable. Values may be secrets and are not decoded."""

    name: str = ""


class ContainerPort(Partial, frozen=True):
    """A port that a container declares."""

    name: str = ""
    container_port: int = 0
    host_port: int = 0
    protocol: str = "TCP"


class VolumeMount(Partial, frozen=True):
    """Where a container sees one of the pod's volumes."""

    name: str = ""
    mount_path: str = ""
    read_only: bool = False


class Container(Partial, frozen=True):
    """A container or init container as specified; `restart_policy` Always marks a sidecar."""

    name: str = ""
    image: str = ""
    image_pull_policy: str = ""
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    resources: ResourceRequirements = ResourceRequirements()
    env: tuple[EnvName, ...] = ()
    ports: tuple[ContainerPort, ...] = ()
    volume_mounts: tuple[VolumeMount, ...] = ()
    restart_policy: str = ""


class HostPath(Partial, frozen=True):
    """A folder or file of the node."""

    path: str = ""
    type: str = ""


class NamedSource(Partial, frozen=True):
    """A ConfigMap by name (volumes; pull secrets use it too)."""

    name: str = ""


class SecretSource(Partial, frozen=True):
    """A Secret by name, as volumes write it."""

    secret_name: str = ""


class Volume(Partial, frozen=True):
    """A volume; sources other than these three are not decoded."""

    name: str = ""
    host_path: HostPath | None = None
    config_map: NamedSource | None = None
    secret: SecretSource | None = None


class Toleration(Partial, frozen=True):
    """A taint that the pod tolerates; an empty key with `Exists` tolerates all."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class NodeSelectorTerm(Partial, frozen=True):
    """One alternative of a node selector; all of its expressions must match."""

    match_expressions: tuple[SelectorRequirement, ...] = ()
    match_fields: tuple[SelectorRequirement, ...] = ()


class NodeSelector(Partial, frozen=True):
    """Alternatives, of which one must match."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()


class NodeAffinity(Partial, frozen=True):
    """Only the required part; preferences do not decide where a daemon pod runs."""

    required: NodeSelector | None = msgspec.field(
        default=None, name="requiredDuringSchedulingIgnoredDuringExecution"
    )


class Affinity(Partial, frozen=True):
    """Affinity to nodes; affinity to pods is not decoded."""

    node_affinity: NodeAffinity | None = None


class PodResourceClaim(Partial, frozen=True):
    """A claim that the pod uses: an existing one or one made from a template."""

    name: str = ""
    resource_claim_name: str = ""
    resource_claim_template_name: str = ""


class PodSpec(Partial, frozen=True):
    """What a pod, or the template of a controller, asks for."""

    node_name: str = ""
    node_selector: dict[str, str] = msgspec.field(default_factory=dict)
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    volumes: tuple[Volume, ...] = ()
    image_pull_secrets: tuple[NamedSource, ...] = ()
    service_account_name: str = ""
    priority_class_name: str = ""
    priority: int | None = None
    runtime_class_name: str = ""
    restart_policy: str = ""
    host_network: bool = False
    host_pid: bool = msgspec.field(default=False, name="hostPID")
    scheduler_name: str = ""
    termination_grace_period_seconds: int | None = None
    resource_claims: tuple[PodResourceClaim, ...] = ()

    @property
    def pinned_node(self) -> str:
        """The node a daemon pod is made for, known before it is bound; empty for other pods."""
        return pinned_node(self.affinity)


def pinned_node(affinity: Affinity | None) -> str:
    """The node that an affinity pins a daemon pod to; empty where it pins to none.

    The DaemonSet controller writes it as a required match on the field `metadata.name`
    (documentation of DaemonSet, "How Daemon Pods are scheduled"; Kubernetes 1.12 and later).
    """
    required = affinity and affinity.node_affinity
    terms = required.required.node_selector_terms if required and required.required else ()
    for term in terms:
        for field in term.match_fields:
            if field.key == "metadata.name" and field.operator == "In" and field.values:
                return field.values[0]
    return ""


class ContainerWaiting(Partial, frozen=True):
    """Not started yet, e.g. reason `ImagePullBackOff` or `CrashLoopBackOff`."""

    reason: str = ""
    message: str = ""


class ContainerRunning(Partial, frozen=True):
    """Running since `started_at`."""

    started_at: datetime | None = None


class ContainerTerminated(Partial, frozen=True):
    """Ended; `reason` is e.g. `Completed`, `Error`, `OOMKilled`, `StartError`."""

    exit_code: int = 0
    signal: int = 0
    reason: str = ""
    message: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    container_id: str = msgspec.field(default="", name="containerID")


class ContainerState(Partial, frozen=True):
    """One of the three is set; none of them means that nothing is known yet."""

    waiting: ContainerWaiting | None = None
    running: ContainerRunning | None = None
    terminated: ContainerTerminated | None = None


class DeviceHealth(Partial, frozen=True):
    """Health of one device of a container: `Healthy`, `Unhealthy` or `Unknown`."""

    resource_id: str = msgspec.field(default="", name="resourceID")
    health: str = "Unknown"


class AllocatedResource(Partial, frozen=True):
    """Devices of one resource that a container holds (KEP-4680, behind a feature gate)."""

    name: str = ""
    resources: tuple[DeviceHealth, ...] = ()


class ContainerStatus(Partial, frozen=True):
    """What the kubelet reports of one container."""

    name: str = ""
    image: str = ""
    image_id: str = msgspec.field(default="", name="imageID")
    container_id: str = msgspec.field(default="", name="containerID")
    ready: bool = False
    started: bool | None = None
    restart_count: int = 0
    state: ContainerState = ContainerState()
    last_state: ContainerState = ContainerState()
    allocated_resources_status: tuple[AllocatedResource, ...] = ()


class PodClaimStatus(Partial, frozen=True):
    """Which ResourceClaim was made for a template entry of the pod."""

    name: str = ""
    resource_claim_name: str = ""


class PodStatus(Partial, frozen=True):
    """`start_time` is set once the kubelet has admitted the pod."""

    phase: str = ""
    reason: str = ""
    message: str = ""
    host_ip: str = msgspec.field(default="", name="hostIP")
    pod_ip: str = msgspec.field(default="", name="podIP")
    start_time: datetime | None = None
    conditions: tuple[Condition, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    resource_claim_statuses: tuple[PodClaimStatus, ...] = ()


class Pod(Partial, frozen=True):
    """A pod in full, as far as gates look at it; for all pods at once see `LeanPod`."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def intended_node(self) -> str:
        """The node it is bound to, else the one its controller made it for, else empty."""
        return self.spec.node_name or self.spec.pinned_node

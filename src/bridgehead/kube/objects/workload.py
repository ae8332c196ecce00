"""Controllers of pods: DaemonSets in detail, the others as far as ownership and counts go."""

from datetime import datetime
from typing import Any

import msgspec

from bridgehead.kube.objects.base import Condition, LabelSelector, ObjectMeta, Partial
from bridgehead.kube.objects.pod import PodSpec


class PodTemplate(Partial, frozen=True):
    """The template of a controller's pods. Compare and patch the raw form, not this one."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()


class RollingUpdateDaemonSet(Partial, frozen=True):
    """Counts or percentages, as written."""

    max_unavailable: int | str | None = None
    max_surge: int | str | None = None


class DaemonSetUpdateStrategy(Partial, frozen=True):
    """`type` is `RollingUpdate` or `OnDelete`."""

    type: str = ""
    rolling_update: RollingUpdateDaemonSet | None = None


class DaemonSetSpec(Partial, frozen=True):
    """Which pods, made how, replaced how."""

    selector: LabelSelector = LabelSelector()
    template: PodTemplate = PodTemplate()
    update_strategy: DaemonSetUpdateStrategy = DaemonSetUpdateStrategy()
    min_ready_seconds: int = 0
    revision_history_limit: int | None = None


class DaemonSetStatus(Partial, frozen=True):
    """Counts of nodes. Under OnDelete only `observed_generation` is to be trusted.

    Seen on Kubernetes 1.37.2: `updatedNumberScheduled` did not follow a flip of the template
    within 3 s.
    """

    observed_generation: int = 0
    desired_number_scheduled: int = 0
    current_number_scheduled: int = 0
    number_misscheduled: int = 0
    number_ready: int = 0
    number_available: int = 0
    number_unavailable: int = 0
    updated_number_scheduled: int = 0
    conditions: tuple[Condition, ...] = ()


class DaemonSet(Partial, frozen=True):
    """A DaemonSet."""

    metadata: ObjectMeta = ObjectMeta()
    spec: DaemonSetSpec = DaemonSetSpec()
    status: DaemonSetStatus = DaemonSetStatus()


class ControllerRevision(Partial, frozen=True):
    """A template that a controller keeps; `data` is raw, `{"spec": {"template": ...}}`."""

    metadata: ObjectMeta = ObjectMeta()
    revision: int = 0
    data: dict[str, Any] = msgspec.field(default_factory=dict)


class ReplicatedSpec(Partial, frozen=True):
    """Spec of a Deployment, ReplicaSet or StatefulSet; the server's default is one replica."""

    replicas: int = 1
    selector: LabelSelector = LabelSelector()
    template: PodTemplate = PodTemplate()


class ReplicatedStatus(Partial, frozen=True):
    """Counts of pods."""

    observed_generation: int = 0
    replicas: int = 0
    ready_replicas: int = 0
    updated_replicas: int = 0
    available_replicas: int = 0
    conditions: tuple[Condition, ...] = ()


class Replicated(Partial, frozen=True):
    """A Deployment, ReplicaSet or StatefulSet: for our purposes they read the same."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicatedSpec = ReplicatedSpec()
    status: ReplicatedStatus = ReplicatedStatus()


class JobSpec(Partial, frozen=True):
    """Spec of a Job."""

    parallelism: int | None = None
    completions: int | None = None
    suspend: bool = False
    template: PodTemplate = PodTemplate()


class JobStatus(Partial, frozen=True):
    """Status of a Job."""

    active: int = 0
    succeeded: int = 0
    failed: int = 0
    start_time: datetime | None = None
    completion_time: datetime | None = None
    conditions: tuple[Condition, ...] = ()


class Job(Partial, frozen=True):
    """A Job."""

    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()

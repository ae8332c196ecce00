"""A pod as far as a rollout needs to know it."""

from collections.abc import Mapping

import msgspec

REVISION_HASH = "controller-revision-hash"
"""Label that the DaemonSet controller gives its pods: the hash of the template they came from."""

TERMINAL = frozenset({"Succeeded", "Failed"})

STARTING = frozenset({"", "ContainerCreating", "PodInitializing"})
"""Reasons of a waiting container with which nothing is wrong yet."""

OWN_LABEL = "bridgehead.dev/run"
"""Label of pods that a run of ours made: the run's name."""


class Container(msgspec.Struct, frozen=True):
    """One container with its last known state.

    ``state`` is ``waiting``, ``running``, ``terminated`` or empty (nothing reported yet).
    """

    name: str
    image: str = ""
    image_id: str = ""
    container_id: str = ""
    ready: bool = False
    restarts: int = 0
    state: str = ""
    reason: str = ""
    message: str = ""
    exit_code: int | None = None
    last_reason: str = ""
    last_message: str = ""
    last_exit_code: int | None = None


class Pod(msgspec.Struct, frozen=True):
    """One pod. ``node`` is where it runs or, before it is bound, where it is meant to run."""

    namespace: str
    name: str
    uid: str
    node: str = ""
    bound: bool = False
    labels: Mapping[str, str] = {}
    owner_kind: str = ""
    owner_name: str = ""
    owner_uid: str = ""
    phase: str = ""
    reason: str = ""
    message: str = ""
    admitted: bool = False
    """``status.startTime`` is set: the kubelet has taken the pod up, or has refused it for good."""
    ready: bool = False
    deleting: bool = False
    created: float = 0.0
    requests: Mapping[str, int] = {}
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    host_paths: tuple[str, ...] = ()
    """Folders and files of the node that the pod mounts, sorted."""

    @property
    def revision(self) -> str:
        """The controller revision hash that the pod carries, or an empty string."""
        return self.labels.get(REVISION_HASH, "")

    @property
    def terminal(self) -> bool:
        """Whether the pod has ended and holds nothing any more."""
        return self.phase in TERMINAL

    @property
    def refused(self) -> bool:
        """Whether the kubelet's device manager refused the pod, which is final for it."""
        return self.phase == "Failed" and self.reason == "UnexpectedAdmissionError"

    @property
    def ours(self) -> bool:
        """Whether a run of ours made it."""
        return OWN_LABEL in self.labels

    @property
    def restarts(self) -> int:
        """Restarts of all its containers together."""
        return sum(item.restarts for item in (*self.init_containers, *self.containers))

    @property
    def ref(self) -> str:
        """``namespace/name``, as messages name a pod."""
        return f"{self.namespace}/{self.name}"


def requested(pods: tuple[Pod, ...], resource: str) -> int:
    """Devices of ``resource`` that the pods hold: the requests of those that have not ended."""
    return sum(pod.requests.get(resource, 0) for pod in pods if not pod.terminal)

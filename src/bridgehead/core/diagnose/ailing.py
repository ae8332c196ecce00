"""Containers of plugin pods that do not run, with everything that says why.

A container that waits for its image, for its sandbox or for another start is told by its status and
by the events of its pod; one that runs again after a crash and has not proved itself yet counts as
crashing. What lies behind it (a restart last week, a first attempt) does not.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

import msgspec

from bridgehead.core.diagnose.patience import PATIENCE
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import children, text
from bridgehead.core.model.pod import STARTING, Container
from bridgehead.core.model.times import epoch

# Reasons of the kubelet, pkg/kubelet/images/types.go and pkg/kubelet/kuberuntime, Kubernetes 1.37.
_PULL = frozenset(
    {
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "RegistryUnavailable",
        "ImageInspectError",
        "SignatureValidationFailed",
    }
)
_START = frozenset(
    {"RunContainerError", "CreateContainerError", "StartError", "PostStartHookError"}
)
_TELLING = (
    "Failed",
    "BackOff",
    "Unhealthy",
    "FailedCreatePodSandBox",
    "FailedMount",
    "FailedAttachVolume",
)
_PROVED = 300.0
"""Seconds after which a container that was restarted counts as running: the longest back-off."""


class Trouble(Enum):
    """What a container is kept from."""

    PULL = "its image is not pulled"
    CONFIG = "something that it refers to is missing"
    CREATING = "its pod is not set up"
    START = "it is not started"
    CRASH = "it crashes"


class Ailing(msgspec.Struct, frozen=True, kw_only=True):
    """One such container of a plugin's pod."""

    post: Post
    container: Container
    trouble: Trouble
    said: tuple[Evidence, ...]
    """Messages of its status and of its pod's events, the most telling first."""
    is_init: bool = False

    def match(self, pattern: str) -> tuple[Evidence, re.Match[str]] | None:
        """The first message that contains the pattern, whatever its letter case."""
        for item in self.said:
            found = re.search(pattern, item.text, re.IGNORECASE)
            if found:
                return item, found
        return None


def ailing(scene: Scene, *troubles: Trouble) -> tuple[Ailing, ...]:
    """Containers with such a trouble, by plugin and node; of each pod the first that has one."""
    found = (_first(scene, post) for post in scene.posts)
    return tuple(item for item in found if item and item.trouble in troubles)


def by_component(items: Iterable[Ailing]) -> list[tuple[Ailing, ...]]:
    """Those of each plugin together."""
    found: dict[str, list[Ailing]] = {}
    for item in items:
        found.setdefault(item.post.plugin.component.ref, []).append(item)
    return [tuple(each) for each in found.values()]


def matching(
    items: Iterable[Ailing], pattern: str
) -> list[tuple[tuple[Ailing, ...], Evidence, re.Match[str]]]:
    """Of each plugin those whose messages contain the pattern, with the first message and match."""
    groups = by_component(item for item in items if item.match(pattern))
    return [(items, *found) for items in groups if (found := items[0].match(pattern))]


def _first(scene: Scene, post: Post) -> Ailing | None:
    pod = post.pod
    if pod is None or pod.deleting or pod.terminal:
        return None
    for is_init, containers in ((True, pod.init_containers), (False, pod.containers)):
        for container in containers:
            trouble = _trouble(post, container, is_init=is_init)
            if trouble is None:
                continue
            if trouble is Trouble.CREATING and scene.now - pod.created < PATIENCE:
                return None
            return Ailing(
                post=post,
                container=container,
                trouble=trouble,
                said=tuple(_said(scene, post, container)),
                is_init=is_init,
            )
    return None


def _trouble(post: Post, container: Container, *, is_init: bool) -> Trouble | None:
    match container.state:
        case "waiting" if container.reason in _PULL:
            return Trouble.PULL
        case "waiting" if container.reason == "CreateContainerConfigError":
            return Trouble.CONFIG
        case "waiting" if container.reason in _START:
            return Trouble.START
        case "waiting" if container.reason == "CrashLoopBackOff":
            return Trouble.START if container.last_reason in _START else Trouble.CRASH
        case "terminated" if container.exit_code:
            return Trouble.START if container.reason in _START else Trouble.CRASH
        case "running" if container.restarts > 1 and _unproved(post, container):
            return Trouble.CRASH
        case "waiting" | "" if container.reason in STARTING and _set_up(post, is_init):
            return Trouble.CREATING
        case _:
            return None


def _set_up(post: Post, is_init: bool) -> bool:
    """Whether it can only be the pod's own set-up that it waits for: no init container runs."""
    pod = post.pod
    assert pod is not None
    started = any(item.state in ("running", "terminated") for item in pod.init_containers)
    return is_init is bool(pod.init_containers) and not started and pod.admitted


def _unproved(post: Post, container: Container) -> bool:
    """It has ended in error and runs again for less than the longest back-off."""
    if not container.last_exit_code:
        return False
    for item in children(post.raw, "status", "containerStatuses"):
        if text(item, "name") == container.name:
            at = epoch(text(item, "state", "running", "startedAt"))
            return at is not None and post.now - at < _PROVED
    return False


def _said(scene: Scene, post: Post, container: Container) -> Iterator[Evidence]:
    assert post.pod is not None
    source = f"status of pod {post.pod.ref}, container {container.name}"
    for reason, message in (
        (container.reason, container.message),
        (container.last_reason, container.last_message),
    ):
        if message:
            yield Evidence(source, f"{reason}: {message}")
    messages = dict.fromkeys(
        (event.source, event.message)
        for event in reversed(scene.events(post.pod))
        if event.reason in _TELLING and event.type != "Normal"
    )
    for about, message in messages:
        yield Evidence(about, message)
    if container.last_reason or container.reason:
        code = container.exit_code or container.last_exit_code
        ended = f", exit code {code}" if code else ""
        reasons = " after ".join(filter(None, (container.reason, container.last_reason)))
        yield Evidence(source, f"{reasons}{ended}, {container.restarts} restarts")


def quoted(items: Sequence[Ailing], most: int = 2) -> tuple[Evidence, ...]:
    """The most telling message of each, as far as they differ."""
    first = (item.said[0] for item in items if item.said)
    return tuple(dict.fromkeys(first))[:most]

"""Fetches the image of a container, or says why that cannot be done.

Source: k8s.io/kubernetes/pkg/kubelet/images/image_manager.go (1.37).
"""

from collections.abc import Generator
from typing import TYPE_CHECKING

from bridgehead.core.model.image import ImageError, parse_image
from bridgehead.twin.nodes.driver import durations
from bridgehead.twin.objects import Object, text

if TYPE_CHECKING:
    from bridgehead.twin.nodes.pods.worker import Worker


def ensure_image(worker: "Worker", container: Object) -> Generator[float, None, bool]:
    """See that the image is on the node; whether it is."""
    name, image = text(container, "name"), text(container, "image")
    wrong = _unreadable(image)
    if wrong:
        told = f'Failed to apply default image tag "{image}": {wrong}'
        worker.event("Warning", "InspectFailed", told, container=name)
        return _cannot(worker, name, "InvalidImageName", told)
    policy = text(container, "imagePullPolicy") or "IfNotPresent"
    if policy != "Always" and worker.host.has(image):
        told = (
            f'Container image "{image}" already present on machine and can be accessed by the pod'
        )
        worker.event("Normal", "Pulled", told, container=name)
        return True
    if policy == "Never":
        told = f'Container image "{image}" is not present with pull policy of Never'
        worker.event("Warning", "ErrImageNeverPull", told, container=name)
        return _cannot(worker, name, "ErrImageNeverPull", told)
    return (yield from _pull(worker, name, image))


def _pull(worker: "Worker", name: str, image: str) -> Generator[float, None, bool]:
    kubelet, now = worker.kubelet, worker.context.clock.now()
    key = (worker.uid, image)
    until = kubelet.pull_backoff.until_since_update(key)
    if until is not None and until > now:
        told = f'Back-off pulling image "{image}"'
        worker.event("Normal", "BackOff", told, container=name)
        last = kubelet.pull_errors.get(key)
        return _cannot(worker, name, "ImagePullBackOff", f"{told}: {last}" if last else told)
    kubelet.pull_errors.pop(key, None)
    worker.event("Normal", "Pulling", f'Pulling image "{image}"', container=name)
    pull = worker.host.image(image).pull
    took = worker.host.delay("pull", image) if pull.delay is None else pull.delay
    yield took
    if pull.error:
        told = f'Failed to pull image "{image}": {pull.error}'
        worker.event("Warning", "Failed", told, container=name)
        kubelet.pull_backoff.next(key, now, worker.context.clock.now())
        kubelet.pull_errors[key] = f"ErrImagePull: {pull.error}"
        return _cannot(worker, name, "ErrImagePull", pull.error)
    size = worker.host.pulled(image)
    length = durations.written(took)
    told = (
        f'Successfully pulled image "{image}" in {length} ({length} including waiting). '
        f"Image size: {size} bytes."
    )
    worker.event("Normal", "Pulled", told, container=name)
    kubelet.images_changed()
    return True


def _cannot(worker: "Worker", name: str, reason: str, message: str) -> bool:
    worker.event("Warning", "Failed", f"Error: {reason}", container=name)
    worker.waiting[name] = (reason, message)
    worker.report()
    return False


def _unreadable(image: str) -> str:
    try:
        parse_image(image)
    except ImageError:
        why = "invalid reference format"
        path = image.partition("/")[2] or image
        repository = path.rpartition(":")[0] or path
        if repository != repository.lower():
            name = repository.partition(":")[0]
            why += f": repository name ({name}) must be lowercase"
        return f'couldn\'t parse image name "{image}": {why}'
    return ""

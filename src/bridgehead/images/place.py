"""Where an image is to be asked for: host, path and reference."""

import msgspec

from bridgehead.core.model.image import full_name

_DOCKER_HUB = "docker.io"
_DOCKER_HUB_API = "registry-1.docker.io"
"""Where Docker Hub answers the distribution API: https://docs.docker.com/docker-hub/."""


class Place(msgspec.Struct, frozen=True):
    """``registry`` is the host (and port) as in image names, ``reference`` a tag or a digest."""

    registry: str
    path: str
    reference: str

    @property
    def host(self) -> str:
        """The host that answers."""
        return _DOCKER_HUB_API if self.registry == _DOCKER_HUB else self.registry


def place_of(image: str) -> Place:
    """Where it is; raises core.model.image.ImageError."""
    name = full_name(image)
    repository, at, digest = name.partition("@")
    if not at:
        repository, _, digest = name.rpartition(":")
    registry, _, path = repository.partition("/")
    return Place(registry, path, digest)

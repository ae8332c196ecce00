"""What makes a family of components: the marks to know it by, its names, and its log lines."""

import re

import msgspec

from bridgehead.core.model.image import ImageError, parse_image


class LogPattern(msgspec.Struct, frozen=True):
    """A log line that tells a cause. Both expressions are searched for without regard to case.

    ``cured_by`` matches a later line that takes it back: plugins retry, and what was wrong at the
    first attempt says nothing once an attempt has succeeded. Empty where nothing takes it back.

    ``counts`` marks lines about how many devices there are, or how they are. The node's status says
    that too, and may have said it before the change: such a line explains a verdict and makes none.
    """

    regex: str
    cause: str
    cured_by: str = ""
    counts: bool = False


class Family(msgspec.Struct, frozen=True):
    """A family of device plugins.

    ``images`` match the repository of an image; registries are mirrored, so only the end of the
    path is telling. ``resources`` are prefixes of resource names.
    """

    name: str
    images: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    faults: tuple[LogPattern, ...] = ()
    shrinks_when_busy: bool = False
    """Whether a plugin that restarts finds only the devices that no pod holds at that time."""

    def makes(self, image: str) -> bool:
        """Whether the image is one of the family's."""
        try:
            repository = parse_image(image).repository
        except ImageError:
            return False
        return any(re.search(pattern, repository) for pattern in self.images)

    def offers(self, resource: str) -> bool:
        """Whether the resource name is one of the family's."""
        return resource.startswith(self.resources) if self.resources else False

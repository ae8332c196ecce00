"""Images known by the end of their path, as registries are mirrored under any name."""

import re

from bridgehead.core.model.image import ImageError, parse_image


def repository_matches(image: str, pattern: str) -> bool:
    """Whether the image's repository contains the pattern; False for what is no image name."""
    try:
        repository = parse_image(image).repository
    except ImageError:
        return False
    return re.search(pattern, repository) is not None

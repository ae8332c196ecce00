"""What registries said of images: ``ImageIndex`` objects, as rules read them.

A registry is asked from where the command runs. A node may be told something else: by a mirror, by
a proxy, with other credentials.
"""

from collections.abc import Sequence

import msgspec

from bridgehead.core.findings.observed import Observed
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.image import ImageError, full_name
from bridgehead.core.model.json import JsonObject, child, text

FOUND, ABSENT, REFUSED = "found", "absent", "refused"
"""The words of a registry. Refused is said of private images and, by many registries, of images
that do not exist."""


class ImageIndex(msgspec.Struct, frozen=True, kw_only=True):
    """One answer. ``architectures`` is empty where the registry did not say."""

    image: str
    word: str = FOUND
    registry: str = ""
    architectures: tuple[str, ...] = ()
    digest: str = ""
    message: str = ""

    @property
    def evidence(self) -> Evidence:
        """As causes and findings quote it."""
        match self.word:
            case "found":
                said = ", ".join(self.architectures) or "found, without its architectures"
                text = f"architectures {said}" if self.architectures else said
                return Evidence(f"index of image {self.image}", text)
            case _:
                said = f": {self.message}" if self.message else ""
                return Evidence(f"registry of image {self.image}", f"{self.word}{said}")


def index_of(observed: Observed | None, image: str) -> ImageIndex | None:
    """What the registry said of this image; None where it was not asked, or did not answer."""
    wanted = _full(image)
    for item in observed.of_kind("ImageIndex") if observed is not None else ():
        if _full(text(item, "status", "image")) == wanted:
            return ImageIndex(
                image=image,
                word=text(item, "status", "answer") or FOUND,
                registry=text(item, "status", "registry"),
                architectures=_listed(item),
                digest=text(item, "status", "digest"),
                message=text(item, "status", "message"),
            )
    return None


def _listed(item: JsonObject) -> tuple[str, ...]:
    found = child(item, "status", "architectures")
    if not isinstance(found, Sequence) or isinstance(found, str):
        return ()
    return tuple(str(name) for name in found)


def _full(image: str) -> str:
    """One name for an image, however it is written; what is no name stays itself."""
    try:
        return full_name(image)
    except ImageError:
        return image

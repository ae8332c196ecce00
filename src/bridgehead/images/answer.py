"""What a registry says of an image."""

from enum import Enum

import msgspec


class Word(Enum):
    """In one word."""

    FOUND = "found"
    ABSENT = "absent"
    REFUSED = "refused"
    """To this user: a registry that hides private images says the same of one that is not there."""


class ImageAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, from where this process runs; a node may be told something else.

    ``image`` is the reference as written in a template, ``registry`` the host that was asked,
    ``digest`` that of the index or manifest. ``architectures`` are those of the index's platforms,
    by Go's names as in ``nodeInfo.architecture``; of an image without an index that of its
    configuration. ``message`` is what the registry said instead of an image.
    """

    image: str
    registry: str
    word: Word
    digest: str = ""
    architectures: tuple[str, ...] = ()
    message: str = ""


class NoAnswer(Exception):  # noqa: N818 - it is no fault of anybody's code
    """The registry was not reached, or says nothing that means anything; the message says why."""

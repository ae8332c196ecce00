"""What registries say of images, as objects that rules read and a recorded state keeps."""

import asyncio
import re
from collections.abc import Collection, Iterable

import msgspec

from bridgehead.core.diagnose.ailing import Trouble, ailing
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptoms import symptoms_of
from bridgehead.core.findings.manifest import Linted, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.model.snapshot import OrderedUnread, Unread
from bridgehead.images.answer import ImageAnswer, NoAnswer
from bridgehead.images.registry import Registries
from bridgehead.sources.lintable import Unit

MOST_IMAGES = 20
"""Images that a diagnosis asks for."""
_AT_ONCE = 4


def images_in_trouble(observed: Observed) -> tuple[str, ...]:
    """Images of plugins whose containers do not start, of which a registry may know why."""
    bare = Scene(observed)
    troubled = ailing(
        Scene(observed, symptoms_of(bare)), Trouble.PULL, Trouble.START, Trouble.CRASH
    )
    images = {item.container.image for item in troubled if item.container.image}
    return tuple(sorted(images))


def images_of_plugins(units: Iterable[Unit]) -> tuple[str, ...]:
    """Images of the device plugins among manifests."""
    images = {
        text(container, "image")
        for unit in units
        for plugin in Linted(manifests=unit.manifests).plugins
        for _, container in containers(plugin)
    }
    return tuple(sorted(images - {""}))


async def with_registry(
    observed: Observed, images: Collection[str], asked: Registries, most: int | None = None
) -> Observed:
    """The same with an ``ImageIndex`` for each image that a registry answered about.

    An image without an answer, and those beyond ``most``, are unread: nobody may take it for found.
    """
    chosen = list(images)[:most]
    slots = asyncio.Semaphore(_AT_ONCE)

    async def one(image: str) -> ImageAnswer | Unread:
        async with slots:
            try:
                return await asked.ask(image)
            except NoAnswer as error:
                return OrderedUnread(f"registry of image {image}", str(error))

    said = await asyncio.gather(*(one(image) for image in chosen))
    unread = [item for item in said if isinstance(item, Unread)]
    if len(chosen) < len(images):
        unread.append(Unread("some registries", f"{len(images) - len(chosen)} more images"))
    objects = tuple(_object(item) for item in said if isinstance(item, ImageAnswer))
    return msgspec.structs.replace(
        observed,
        objects={**observed.objects, "ImageIndex": objects},
        met=observed.met | {Need.REGISTRY},
        unread=(*observed.unread, *unread),
    )


def _object(answer: ImageAnswer) -> JsonObject:
    status = {
        "image": answer.image,
        "answer": answer.word.value,
        "registry": answer.registry,
        "architectures": list(answer.architectures),
        "digest": answer.digest,
        "message": answer.message,
    }
    return {
        "apiVersion": "bridgehead.dev/v1",
        "kind": "ImageIndex",
        "metadata": {"name": re.sub(r"[^a-z0-9.-]+", "-", answer.image.lower())},
        "status": {key: value for key, value in status.items() if value},
    }

"""Asks a registry whether it has an image, and for which architectures.

Source: OCI distribution specification 1.1
(https://github.com/opencontainers/distribution-spec/blob/main/spec.md), image index and image
manifest of the OCI image specification, and Docker's media types that came before them.
"""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager

import aiohttp
import msgspec

from bridgehead.core.model.image import ImageError
from bridgehead.images.answer import ImageAnswer, NoAnswer, Word
from bridgehead.images.connection import Answer, RegistryConnection, decoded
from bridgehead.images.credentials import logins_of_user
from bridgehead.images.place import Place, place_of

PATIENCE = 10.0
"""Seconds for all that is asked about one image."""
_QUOTED = 200
_ACCEPT = ", ".join(
    (
        "application/vnd.oci.image.index.v1+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    )
)


class _Platform(msgspec.Struct):
    architecture: str = ""


class _Descriptor(msgspec.Struct):
    digest: str = ""
    platform: _Platform | None = None


class _Manifest(msgspec.Struct):
    """An index or a manifest: the one has ``manifests``, the other ``config``."""

    manifests: tuple[_Descriptor, ...] | None = None
    config: _Descriptor | None = None


class _Complaint(msgspec.Struct):
    code: str = ""
    message: str = ""


class _Complaints(msgspec.Struct):
    errors: tuple[_Complaint, ...] = ()


class Registries:
    """Registries, as one user sees them."""

    def __init__(self, connection: RegistryConnection, *, patience: float = PATIENCE) -> None:
        self.connection = connection
        self._patience = patience

    async def ask(self, image: str) -> ImageAnswer:
        """What the registry says of it. Raises NoAnswer."""
        try:
            place = place_of(image)
        except ImageError as error:
            raise NoAnswer(str(error)) from error
        try:
            async with asyncio.timeout(self._patience):
                return await self._ask(image, place)
        except TimeoutError:
            raise NoAnswer(f"{place.host} did not answer within {self._patience:g} s") from None

    async def _ask(self, image: str, place: Place) -> ImageAnswer:
        found = await self.connection.get(place, f"manifests/{place.reference}", _ACCEPT)
        match found.status:
            case 200:
                digest = found.headers.get("Docker-Content-Digest") or _digest(found.body)
                return ImageAnswer(
                    image=image,
                    registry=place.registry,
                    word=Word.FOUND,
                    digest=digest,
                    architectures=await self._architectures(place, found.body),
                )
            case 404:
                word = Word.ABSENT
            case 401 | 403:
                word = Word.REFUSED
            case _:
                raise NoAnswer(f"{place.host} answered {found.status}: {_said(found)}")
        return ImageAnswer(image=image, registry=place.registry, word=word, message=_said(found))

    async def _architectures(self, place: Place, body: bytes) -> tuple[str, ...]:
        manifest = decoded(body, _Manifest, place.host)
        if manifest.manifests is not None:
            # Attestations are listed beside images, for the platform "unknown".
            listed = {item.platform.architecture for item in manifest.manifests if item.platform}
            return tuple(sorted(listed - {"", "unknown"}))
        if manifest.config is None or not manifest.config.digest:
            raise NoAnswer(f"{place.host} answered with neither an index nor a manifest")
        config = await self.connection.get(place, f"blobs/{manifest.config.digest}", "*/*")
        if config.status != 200:
            raise NoAnswer(
                f"{place.host} answered {config.status} for the image's configuration: "
                f"{_said(config)}"
            )
        architecture = decoded(config.body, _Platform, place.host).architecture
        return (architecture,) if architecture else ()


@asynccontextmanager
async def registries(
    plain_http: Collection[str] = (), environ: Mapping[str, str] = os.environ
) -> AsyncIterator[Registries]:
    """Registries as the user who runs this process sees them, until the end of the block.

    ``plain_http``: registries (``HOST[:PORT]``) that speak HTTP without TLS, as those of this
    machine always do.
    """
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Registries(
            RegistryConnection(
                session,
                logins_of_user(environ),
                environ=environ,
                plain_http=frozenset(plain_http),
            )
        )


def _digest(body: bytes) -> str:
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def _said(answer: Answer) -> str:
    """The registry's own words, or the status where it says none."""
    try:
        errors = msgspec.json.decode(answer.body, type=_Complaints).errors
    except msgspec.DecodeError:
        errors = ()
    words = "; ".join(" ".join(filter(None, (item.code, item.message))) for item in errors)
    return words[:_QUOTED] or f"status {answer.status}"

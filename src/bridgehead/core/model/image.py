"""Image references: ``[registry/]repository[:tag][@digest]``.

The grammar is that of the distribution project (https://distribution.github.io/reference/), which
kubelets and registries use. A reference is kept as written; nothing is filled in.
"""

import re

import msgspec

_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_LABEL = r"(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])"
_REGISTRY = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9a-fA-F:]+\])(?::\d{{1,5}})?"
_REPOSITORY = re.compile(rf"(?:{_REGISTRY}/)?{_COMPONENT}(?:/{_COMPONENT})*")
_TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
# The limit of the reference grammar for registry and path together.
_LONGEST = 255


class ImageError(ValueError):
    """A text that is no image reference; the message says which part is wrong."""


class ImageReference(msgspec.Struct, frozen=True):
    """An image as named in a template."""

    repository: str
    tag: str | None = None
    digest: str | None = None

    @property
    def moves(self) -> bool:
        """Whether it may name another image tomorrow by convention: no tag or ``latest``."""
        return self.digest is None and self.tag in (None, "latest")

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{self.repository}{tag}{digest}"


def parse_image(text: str) -> ImageReference:
    """Read an image reference; raises ImageError."""
    rest, at, digest = text.partition("@")
    if at and not _DIGEST.fullmatch(digest):
        raise ImageError(f"'{digest}' is no digest: write sha256: and 64 hexadecimal digits")
    # A colon before the last slash belongs to the registry's port.
    head, slash, last = rest.rpartition("/")
    name, colon, tag = last.partition(":")
    if colon and not _TAG.fullmatch(tag):
        raise ImageError(f"'{tag}' is no tag: letters, digits, '_', '.' and '-', at most 128")
    repository = f"{head}{slash}{name}"
    if not _REPOSITORY.fullmatch(repository) or len(repository) > _LONGEST:
        lower = " (its path must be lower case)" if repository != repository.lower() else ""
        raise ImageError(f"'{repository}' is no image name{lower}")
    return ImageReference(repository, tag if colon else None, digest if at else None)


def full_name(text: str) -> str:
    """The reference as nodes list it, with registry, path and tag; raises ImageError.

    A name without a registry is one of Docker Hub, where a bare name lives below ``library``. With
    a digest the tag says nothing and is left out. Source: https://distribution.github.io/reference/
    """
    found = parse_image(text)
    first, slash, _ = found.repository.partition("/")
    has_registry = bool(slash) and ("." in first or ":" in first or first == "localhost")
    library = "" if slash else "library/"
    repository = found.repository if has_registry else f"docker.io/{library}{found.repository}"
    return (
        f"{repository}@{found.digest}" if found.digest else f"{repository}:{found.tag or 'latest'}"
    )

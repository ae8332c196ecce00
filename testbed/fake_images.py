"""Images of the fake driver: versions of the plugin, and the workload that holds devices."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from testbed.errors import TestbedError
from testbed.images import File, Image
from testbed.knobs import environment

REGISTRY = "registry.test"
"""Host in the names of images that are imported into nodes; nothing answers there."""

_PATH = "/fakedriver"


def fake_images(
    versions: Mapping[str, Mapping[str, object]],
    *,
    driver: Path,
    registry: str = REGISTRY,
    repository: str = "fake",
) -> dict[str, Image]:
    """One image for each version: a tag, and the knobs that become its environment defaults.

    `driver` is the fake driver's binary; `registry` the host and port from which nodes shall pull.
    Raises TestbedError for wrong knobs, and names the version.
    """
    images = {}
    for tag, knobs in versions.items():
        try:
            env = environment({"version": tag, **knobs})
        except TestbedError as error:
            raise TestbedError(f"image {repository}:{tag}: {error}") from error
        images[f"{registry}/{repository}:{tag}"] = Image(
            files=(File(_PATH, driver),), entrypoint=(_PATH, "plugin"), env=env
        )
    return images


def hold_image(*, driver: Path) -> Image:
    """A workload that prints its devices (`FAKE_DEVICES=...`) and waits for its end."""
    return Image(files=(File(_PATH, driver),), entrypoint=(_PATH, "hold"))
